"""Every search on every data set: evaluations, time, loss, and what it proves.

    ROADSTEAD_DATA=folder python benchmarks/searches.py [--quasi 6 7 8 9] [--time-limit 60]

k = 5, 5% suppressed at most, Iyengar's loss, geometric mean, the published hierarchies. The time
is that of the search alone, compiled code warm. A search that is stopped has the best it met.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import measuring
from problems import ADULT, CUP, FARS, DataSet, problem_of, summary
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.registry import LEVELS, LevelSearch


@dataclass(frozen=True)
class Measured:
    """One search of one problem.

    Attributes
    ----------
    data, quasi_identifiers, policies
        The problem.
    search
        The search.
    evaluated, pruned, hits
        As the search counts them.
    seconds
        Of the search alone.
    loss, gap
        The loss of the best policy, and the share of it that a better one could avoid.
    proven
        Whether it is proven to be the best.
    ending
        Why the search ended.
    """

    data: str
    quasi_identifiers: int
    policies: int
    search: str
    evaluated: int
    pruned: int
    hits: int
    seconds: float
    loss: float | None
    gap: float
    proven: bool
    ending: str

    def cells(self) -> tuple[str, ...]:
        """Give the line of the table."""
        return (
            self.data,
            str(self.quasi_identifiers),
            f"{self.policies:,}",
            self.search,
            f"{self.evaluated:,}",
            f"{self.seconds:.3f}",
            "none" if self.loss is None else f"{self.loss:.6f}",
            "proven" if self.proven else f"{self.gap:.1%}",
            "" if self.ending == "complete" else self.ending,
        )


COLUMNS = ("data", "QIs", "policies", "search", "evaluated", "seconds", "loss", "gap", "stopped")


def measure(
    data: DataSet, problem: FullDomainProblem, search: LevelSearch, time_limit: float
) -> Measured:
    """Run one search."""
    outcome = search.run(problem, Control(time_limit))
    return Measured(
        data=data.name,
        quasi_identifiers=len(problem.space.attributes),
        policies=problem.space.size,
        search=search.name,
        evaluated=outcome.evaluated,
        pruned=outcome.pruned,
        hits=outcome.hits,
        seconds=outcome.seconds,
        loss=None if outcome.best is None else outcome.best.loss,
        gap=outcome.gap,
        proven=outcome.optimal,
        ending=outcome.ending,
    )


def fewest(rows: list[Measured]) -> list[str]:
    """Name the problems on which another search proves the optimum with fewer evaluations."""
    found = []
    proofs = [row for row in rows if row.proven]
    for own in (row for row in proofs if row.search == "exact"):
        rivals = [
            row
            for row in proofs
            if (row.data, row.quasi_identifiers) == (own.data, own.quasi_identifiers)
        ]
        least = min(rivals, key=lambda row: row.evaluated)
        if least.evaluated < own.evaluated:
            found.append(f"{own.data} {own.quasi_identifiers}: {least.search}")
    return found


def main() -> None:
    """Measure all searches."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quasi", type=int, nargs="+", default=[6, 7, 8, 9])
    parser.add_argument("--search", nargs="+", default=list(LEVELS), choices=list(LEVELS))
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each search")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    given = parser.parse_args()
    measuring.show_machine()
    rows = []
    for data in (ADULT, CUP, FARS):
        table = summary(data.path, data.columns)
        for number in (n for n in given.quasi if n <= len(data.columns)):
            part = table.project(data.quasi(number))
            problem = problem_of(part, data.hierarchy_folder, 5, 0.05)
            Exact().run(problem, Control())  # to load compiled code
            for name in given.search:
                rows.append(measure(data, problem, LEVELS[name](None), given.time_limit))
                print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    measuring.show_table(COLUMNS, [row.cells() for row in rows])
    beaten = fewest(rows)
    print("\nProven with fewer evaluations than by exact:", ", ".join(beaten) or "nowhere")
    measuring.save(given.json, [asdict(row) for row in rows])


if __name__ == "__main__":
    main()
