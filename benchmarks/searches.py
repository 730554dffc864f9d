"""Every search on every data set: evaluations, time, loss, and what it proves.

    ROADSTEAD_DATA=folder python benchmarks/searches.py [--quasi 6 7 8 9] [--time-limit 60]

k = 5, 5% suppressed at most, Iyengar's loss, geometric mean, the published hierarchies. The time
is that of the search alone, compiled code warm. A search that is stopped has the best it met.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import measuring
from problems import ADULT, CUP, FARS, DataSet, problem_of, summary
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.registry import LEVELS, LevelSearch

COLUMNS: measuring.Columns = {
    "data": "{data}",
    "QIs": "{quasi_identifiers}",
    "policies": "{policies:,}",
    "search": "{search}",
    "evaluated": "{evaluated:,}",
    "seconds": "{seconds:.3f}",
    "loss": lambda row: "none" if row["loss"] is None else f"{row['loss']:.6f}",
    "gap": lambda row: "proven" if row["proven"] else f"{row['gap']:.1%}",
    "stopped": lambda row: "" if row["ending"] == "complete" else row["ending"],
}


def measure(
    data: DataSet, problem: FullDomainProblem, search: LevelSearch, time_limit: float
) -> dict[str, Any]:
    """Run one search."""
    outcome = search.run(problem, Control(time_limit))
    return {
        "data": data.name,
        "quasi_identifiers": len(problem.space.attributes),
        "policies": problem.space.size,
        "search": search.name,
        "evaluated": outcome.evaluated,
        "pruned": outcome.pruned,
        "hits": outcome.hits,
        "seconds": outcome.seconds,
        "loss": None if outcome.best is None else outcome.best.loss,
        "gap": outcome.gap,
        "proven": outcome.optimal,
        "ending": outcome.ending,
    }


def fewest(rows: list[measuring.Row]) -> list[str]:
    """Name the problems on which another search proves the optimum with fewer evaluations."""
    found = []
    proofs = [row for row in rows if row["proven"]]
    for own in (row for row in proofs if row["search"] == "exact"):
        problem = (own["data"], own["quasi_identifiers"])
        rivals = [row for row in proofs if (row["data"], row["quasi_identifiers"]) == problem]
        least = min(rivals, key=itemgetter("evaluated"))
        if least["evaluated"] < own["evaluated"]:
            found.append("{} {}: {}".format(*problem, least["search"]))
    return found


def measured(
    numbers: list[int], searches: list[str], time_limit: float
) -> Iterator[dict[str, Any]]:
    """Run the searches on each problem."""
    for data in (ADULT, CUP, FARS):
        table = summary(data.path, data.columns)
        for number in (n for n in numbers if n <= len(data.columns)):
            part = table.project(data.quasi(number))
            problem = problem_of(part, data.hierarchy_folder, 5, 0.05)
            Exact().run(problem, Control())  # to load compiled code
            for name in searches:
                yield measure(data, problem, LEVELS[name](None), time_limit)


def main() -> None:
    """Measure all searches."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--quasi", type=int, nargs="+", default=[6, 7, 8, 9])
    parser.add_argument("--search", nargs="+", default=list(LEVELS), choices=list(LEVELS))
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each search")
    given = parser.parse_args()
    measuring.show_machine()
    rows = measuring.collect(measured(given.quasi, given.search, given.time_limit))
    measuring.show(COLUMNS, rows)
    beaten = fewest(rows)
    print("\nProven with fewer evaluations than by exact:", ", ".join(beaten) or "nowhere")
    measuring.save(given.json, rows)


if __name__ == "__main__":
    main()
