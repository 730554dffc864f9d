"""Take one job apart: the time of each stage, and the peak memory by its end, as JSON.

    python benchmarks/stages.py DATA --quasi a,b,c --k 5 [--hierarchies DIR] [--summary-only]

Run in a process of its own by `scaling.py`. Reading a text file is proving that it is one; summing
up is one GROUP BY; the search is timed with compiled code warm; the release is written with
certificate and report, and verified; verifying is done once more. The peak can only grow from
stage to stage: a stage that needs less than one before it shows the same figure.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeVar

import measuring
import roadstead
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import summarize
from roadstead.verbs.anonymize import plan
from roadstead.verbs.anonymize.plan import AnonymizationTask

SEARCHES = 5
"""Searches timed after the one that counts, which loads compiled code."""
T = TypeVar("T")


@dataclass
class Stages:
    """Stages as they are done: seconds, processor seconds, and the peak memory by the end."""

    seconds: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)

    def do(self, name: str, work: Callable[[], T]) -> T:
        """Do a stage and note what it took."""
        began, used = time.perf_counter(), time.process_time()
        result = work()
        self.seconds[name] = time.perf_counter() - began
        self.cpu[name] = time.process_time() - used
        self.peak[name] = measuring.peak_so_far()
        return result


def _kept_problems() -> list[FullDomainProblem]:
    """Keep each problem that is searched from now on."""
    found: list[FullDomainProblem] = []
    make = plan.problem_of

    def kept(task: AnonymizationTask) -> FullDomainProblem:
        found.append(make(task))
        return found[-1]

    plan.problem_of = kept
    return found


def main() -> None:
    """Do the stages and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--quasi", required=True)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--hierarchies", type=Path)
    parser.add_argument("--unchanged", action="append", default=[])
    parser.add_argument("--summary-only", action="store_true")
    given = parser.parse_args()
    quasi = given.quasi.split(",")
    stages = Stages()
    with stages.do("read", lambda: roadstead.read(given.data)) as source:
        table = stages.do("summarize", lambda: summarize(source, quasi))
        facts = {"rows": table.records, "distinct": table.distinct}
        if not given.summary_only:
            del table
            problems = _kept_problems()
            result = stages.do(
                "anonymize",
                lambda: roadstead.anonymize(
                    source,
                    quasi=quasi,
                    k=given.k,
                    hierarchies=given.hierarchies,
                    unchanged=given.unchanged,
                ),
            )
            (problem,) = problems
            for search in range(SEARCHES):
                stages.do(f"search {search}", lambda: Exact().run(problem, Control()))
            for times in (stages.seconds, stages.cpu):
                times["search"] = median(times.pop(f"search {i}") for i in range(SEARCHES))
            facts |= {"evaluated": result.outcome.evaluated, "suppressed": result.suppressed}
            with tempfile.TemporaryDirectory(dir=given.data.parent) as folder:
                out = Path(folder, "release")
                stages.do("release", lambda: result.write(out))
                stages.do("verify", lambda: roadstead.verify(out))
    print(json.dumps({**facts, **asdict(stages)}))


if __name__ == "__main__":
    main()
