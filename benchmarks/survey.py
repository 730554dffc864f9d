"""Sixteen quasi-identifiers of 70,000 people, 85,030,560 policies: the optimum and its proof.

    python benchmarks/survey.py [--questions 4 6 8 10] [--time-limit 600] [--json FILE]

The survey is made up (`roadstead_reproductions.survey`), so no data are needed. Each search runs in
its own process, whose largest memory is printed. The last search is stopped after ten seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import measuring
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead_reproductions.survey import demographics_and, survey

_SHORT = 10.0


@dataclass(frozen=True)
class Measured:
    """One search of the survey.

    Attributes
    ----------
    quasi_identifiers, rows, policies
        The problem: attributes, distinct combinations, policies.
    limit_s
        Time limit.
    evaluated, first_met
        Policies evaluated, and the evaluation that met the best.
    seconds, cpu_s, peak_mb
        Time of the search and processor time of it, and most memory of the process in 10**6 bytes.
    loss, gap, ending
        The best loss, the share of it that a better policy could avoid, and why the search ended.
    """

    quasi_identifiers: int
    rows: int
    policies: int
    limit_s: float
    evaluated: int
    first_met: int
    seconds: float
    cpu_s: float
    peak_mb: float
    loss: float
    gap: float
    ending: str

    def cells(self) -> tuple[str, ...]:
        """Give the line of the table."""
        return (
            str(self.quasi_identifiers),
            f"{self.rows:,}",
            f"{self.policies:,}",
            f"{self.evaluated:,} ({self.first_met:,})",
            f"{self.seconds:.1f}",
            f"{self.cpu_s:.1f}",
            f"{self.loss:.6f}",
            "proven" if self.ending == "complete" else f"{self.gap:.1%}",
            f"{self.peak_mb:.0f}",
        )


COLUMNS = (
    *("QIs", "distinct rows", "policies", "evaluated (best met)"),
    *("seconds", "processor, s", "loss", "gap", "peak, MB"),
)


def problem_with(questions: int) -> FullDomainProblem:
    """Make the problem: k = 5, 5%, Iyengar's loss, geometric mean."""
    made = survey().of(demographics_and(questions))
    encoding = encode(made.table, made.hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(5),
        quality=Loss().bind(encoding),
        limit=encoding.records // 20,
    )


def measure(questions: int, time_limit: float) -> Measured:
    """Search once, in this process."""
    Exact().run(problem_with(1), Control())  # to load compiled code
    problem = problem_with(questions)
    before = _cpu()
    outcome = Exact().run(problem, Control(time_limit))
    return Measured(
        quasi_identifiers=len(problem.space.attributes),
        rows=problem.encoding.counts.size,
        policies=problem.space.size,
        limit_s=time_limit,
        evaluated=outcome.evaluated,
        first_met=outcome.first_met,
        seconds=outcome.seconds,
        cpu_s=_cpu() - before,
        peak_mb=measuring.peak_so_far() / 1e6,
        loss=1.0 if outcome.best is None else outcome.best.loss,
        gap=outcome.gap,
        ending=outcome.ending,
    )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure more and more questions, then one search that is stopped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, nargs="+", default=[4, 6, 8, 10])
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds for each search")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(asdict(measure(given.one, given.time_limit))))
        return
    measuring.show_machine()
    runs = [(number, given.time_limit) for number in given.questions]
    rows = []
    for number, limit in [*runs, (max(given.questions), _SHORT)]:
        command = [sys.executable, __file__, "--one", str(number), "--time-limit", str(limit)]
        rows.append(Measured(**json.loads(measuring.run(command).output)))
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    measuring.show_table(COLUMNS, [row.cells() for row in rows])
    measuring.save(given.json, [asdict(row) for row in rows])


if __name__ == "__main__":
    main()
