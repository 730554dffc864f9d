"""The optima that are published, found again: how much work, how long, how much memory.

    ROADSTEAD_DATA=folder python benchmarks/published.py [--runs 7] [--commands 3] [--json FILE]

Paper 003 publishes the best full-domain policy of three data sets with a growing number of
quasi-identifiers, and how many policies its best-first search and Flash evaluate to find it. The
times of ARX are of its search alone, Flash, on a shared 2-core machine: on other machines only
their order of magnitude means something. Every line is checked: levels, records suppressed, loss.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import measuring
from problems import ADULT, CUP, FARS, DataSet, problem_of, summary
from roadstead.policies.full_domain import Levels
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome

_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Published:
    """A case whose optimum is known.

    Attributes
    ----------
    data, number
        The data set, and how many of its quasi-identifiers.
    quality, levels, suppressed
        The optimum: 1 - loss, the levels in the order of the table, the records suppressed.
    best_first, flash
        Policies evaluated by paper 003's best-first search and by Flash; None if not published.
    milliseconds
        ARX's time for the search.
    k, limit
        The privacy model and the share that may be suppressed.
    """

    data: DataSet
    number: int
    quality: float
    levels: tuple[int, ...]
    suppressed: int
    best_first: int | None
    flash: int
    milliseconds: int
    k: int = 5
    limit: float = 0.05


# fmt: off
CASES = (
    Published(ADULT, 3, 0.9589917129013221, (1, 0, 0), 847, 10, 12, 10),
    Published(ADULT, 4, 0.8801818030123745, (2, 0, 0, 1), 1112, 51, 45, 25),
    Published(ADULT, 5, 0.869744724488194, (3, 0, 0, 0, 1), 1411, 105, 77, 31),
    Published(ADULT, 6, 0.8699319038417452, (2, 0, 0, 1, 1, 0), 1390, 183, 114, 41),
    Published(ADULT, 7, 0.8674315517457727, (0, 3, 0, 0, 1, 1, 0), 1449, 299, 192, 90),
    Published(ADULT, 8, 0.8288350057809766, (0, 3, 0, 0, 2, 1, 1, 0), 1383, 1062, 446, 224),
    Published(ADULT, 9, 0.7570844289429579, (0, 3, 0, 0, 2, 1, 1, 2, 0), 1383, 5319, 1180, 730),
    Published(CUP, 3, 0.9826641704214456, (1, 0, 0), 260, 7, 8, 7),
    Published(CUP, 4, 0.9406215210080544, (2, 0, 0, 0), 2422, 23, 21, 25),
    Published(CUP, 5, 0.9218406352334123, (1, 0, 0, 1, 1), 878, 88, 75, 82),
    Published(CUP, 6, 0.8723318416408845, (3, 0, 0, 0, 2, 1), 2488, 284, 204, 304),
    Published(CUP, 7, 0.8712033847775258, (4, 3, 0, 0, 0, 2, 1), 2491, 1736, 555, 1065),
    Published(CUP, 8, 0.8603106390825048, (4, 3, 0, 0, 0, 1, 2, 1), 2578, 6911, 1524, 3424),
    Published(FARS, 3, 0.9520693164893594, (2, 0, 0), 1921, 10, 12, 66),
    Published(FARS, 4, 0.9029144224083259, (2, 0, 1, 0), 2086, 42, 43, 54),
    Published(FARS, 5, 0.9185494747167227, (2, 0, 1, 0, 0), 2096, 82, 78, 77),
    Published(FARS, 6, 0.9042146344687654, (2, 0, 0, 1, 0, 0), 4701, 262, 188, 187),
    Published(FARS, 7, 0.8985293682610245, (3, 0, 0, 1, 0, 0, 0), 4711, 509, 308, 563),
    Published(FARS, 8, 0.8460101233152582, (3, 0, 1, 1, 0, 0, 2, 0), 4597, 3769, 1342, 2015),
    Published(ADULT, 9, 0.8297754126876287, (0, 3, 0, 0, 1, 1, 1, 1, 0), 1393, None, 1225, 831,
              k=2),
    Published(ADULT, 9, 0.5304308935984157, (0, 4, 0, 2, 3, 1, 1, 2, 0), 1481, None, 735, 258,
              k=100),
    Published(ADULT, 9, 0.42684903444099564, (0, 4, 1, 1, 3, 2, 2, 1, 0), 0, None, 170, 34,
              limit=0.0),
    Published(ADULT, 9, 0.778713255440429, (0, 3, 0, 0, 2, 1, 1, 1, 0), 2584, None, 4777, 2428,
              limit=1.0),
)
# fmt: on


COLUMNS: measuring.Columns = {
    "data": "{data}",
    "QIs": "{quasi_identifiers}",
    "k": "{k}",
    "limit": "{limit:.0%}",
    "policies": "{lattice:,}",
    "evaluated (first met)": "{evaluated:,} ({first_met:,})",
    "best-first": lambda row: "" if row["best_first"] is None else f"{row['best_first']:,}",
    "Flash": "{flash:,}",
    "search, ms (CPU)": "{search_ms:.1f} ({search_cpu_ms:.1f})",
    "ARX, ms": "{arx_ms:,}",
    "times faster": lambda row: f"{row['arx_ms'] / row['search_ms']:.0f}",
    "command, s (CPU)": "{command_s:.2f} ({command_cpu_s:.2f})",
    "peak, MB": "{peak_mb:.0f}",
    "as published": lambda row: "yes" if row["matches"] else "NO",
}


@dataclass(frozen=True)
class Searched:
    """Searches in this process: the lattice's size, an outcome, median seconds by both clocks."""

    lattice: int
    outcome: Outcome[Levels]
    seconds: float
    cpu: float


def searched(case: Published, runs: int) -> Searched:
    """Search in this process, so often, after a warm-up."""
    data = case.data
    table = summary(data.path, data.quasi(case.number))
    problem = problem_of(table, data.hierarchy_folder, case.k, case.limit)
    Exact().run(problem, Control())  # to compile, and to warm the processor's caches
    outcomes, cpu = [], []
    for _ in range(runs):
        began = time.process_time()
        outcomes.append(Exact().run(problem, Control()))
        cpu.append(time.process_time() - began)
    seconds = median(outcome.seconds for outcome in outcomes)
    return Searched(problem.space.size, outcomes[0], seconds, median(cpu))


def commanded(case: Published, runs: int) -> tuple[list[measuring.Run], bool]:
    """Run the whole command; say what each run took and whether all found the optimum."""
    data = case.data
    with tempfile.TemporaryDirectory() as folder:
        command = measuring.roadstead(
            "anonymize", str(data.path), "--quasi", ",".join(data.quasi(case.number)),
            "--hierarchies", str(data.hierarchy_folder), "--k", str(case.k),
            "--suppression", str(case.limit), "--out", str(Path(folder, "release")),
            "--force", "--json",
        )  # fmt: skip
        done = [measuring.run(command) for _ in range(runs)]
    results = [json.loads(run.output) for run in done]
    same = [
        is_published(case, tuple(r["levels"].values()), r["suppressed"], r["loss"])
        and r["verified"]
        for r in results
    ]
    return done, all(same)


def is_published(case: Published, levels: Levels, suppressed: int, loss: float) -> bool:
    """Whether a policy is the published optimum."""
    return (
        levels == case.levels
        and suppressed == case.suppressed
        and abs(1.0 - loss - case.quality) <= _TOLERANCE
    )


def measure(case: Published, runs: int, commands: int) -> dict[str, Any]:
    """Measure one case."""
    search = searched(case, runs)
    done, same = commanded(case, commands)
    best = search.outcome.best
    return {
        "data": case.data.name,
        "quasi_identifiers": case.number,
        "k": case.k,
        "limit": case.limit,
        "lattice": search.lattice,
        "evaluated": search.outcome.evaluated,
        "first_met": search.outcome.first_met,
        "best_first": case.best_first,
        "flash": case.flash,
        "search_ms": 1000 * search.seconds,
        "search_cpu_ms": 1000 * search.cpu,
        "arx_ms": case.milliseconds,
        "command_s": median(run.seconds for run in done),
        "command_cpu_s": median(run.cpu for run in done),
        "peak_mb": max(run.peak for run in done) / 1e6,
        "matches": same
        and best is not None
        and is_published(case, best.policy, best.suppressed, best.loss),
    }


def main() -> int:
    """Measure all cases; 1 if one is not as published."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--runs", type=int, default=7, help="searches timed per case")
    parser.add_argument("--commands", type=int, default=3, help="whole commands timed per case")
    given = parser.parse_args()
    measuring.show_machine()
    rows = measuring.collect(measure(case, given.runs, given.commands) for case in CASES)
    measuring.report(rows, given.json, COLUMNS)
    return 0 if all(row["matches"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
