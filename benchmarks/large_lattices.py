"""How far the exact search gets, and its results when it is stopped, as the lattice grows.

    ROADSTEAD_DATA=folder python benchmarks/large_lattices.py [--time-limit 60] [--json FILE]

The data are encounters of 130 hospitals with 9 to 24 quasi-identifiers and Roadstead's default
hierarchies. The table shows the time until the best policy was found and until it was proven to be
the best. At some moments before, and at the end, it shows the best loss, the least loss that was
still possible, and the gap: the largest share of its loss that a better policy could avoid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import measuring
from problems import DIABETES, problem_of, summary
from roadstead.policies.full_domain import Levels
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Progress

if TYPE_CHECKING:
    from roadstead.search.protocol import Candidate
from roadstead.search.evaluation import FullDomainProblem

MOMENTS = (0.3, 1.0, 2.0, 5.0, 10.0, 30.0)


@dataclass
class Watcher:
    """Notes how a search went: what was known at each moment, and when the best was met."""

    known: dict[float, tuple[float | None, float]] = field(default_factory=dict)
    best: Candidate[Levels] | None = None
    best_met: float = 0.0

    def tell(self, progress: Progress) -> None:
        """Record the state of the search."""
        if progress.best is not self.best:
            self.best, self.best_met = progress.best, progress.seconds
        for moment in MOMENTS:
            if progress.seconds >= moment and moment not in self.known:
                loss = None if progress.best is None else progress.best.loss
                self.known[moment] = (loss, progress.lower_bound)


def _known(loss: float | None, bound: float) -> str:
    if loss is None:
        return f"no policy, {bound:.4f}"
    gap = 1.0 - bound / loss if loss else 0.0
    return f"{loss:.4f}, {bound:.4f} ({gap:.0%})"


def _at(moment: float, row: measuring.Row) -> str:
    return _known(*row["known"][moment]) if moment in row["known"] else ""


def _proven(row: measuring.Row) -> str:
    return (
        f"{row['seconds']:.2f}" if row["ending"] == "complete" else f"not in {row['seconds']:.0f}"
    )


COLUMNS: measuring.Columns = {
    "QIs": "{quasi_identifiers}",
    "distinct rows": "{rows:,}",
    "policies": "{lattice:,}",
    "evaluated (best met)": "{evaluated:,} ({first_met:,})",
    "best met, s": "{best_met_s:.2f}",
    "proven, s": _proven,
    **{f"at {moment:g} s: loss, bound (gap)": partial(_at, moment) for moment in MOMENTS},
    "at the end": lambda row: _known(row["loss"], row["lower_bound"]),
    "peak, MB": "{peak_mb:,.0f}",
}


def measure(problem: FullDomainProblem, time_limit: float) -> dict[str, Any]:
    """Search one problem, watched."""
    watcher = Watcher()
    control = Control(time_limit, report=watcher.tell, interval=0.0)
    outcome = Exact().run(problem, control)
    best = outcome.best
    # The last step is not reported as progress.
    met = watcher.best_met if best is watcher.best else outcome.seconds
    return {
        "quasi_identifiers": len(problem.space.attributes),
        "rows": problem.encoding.counts.size,
        "lattice": problem.space.size,
        "evaluated": outcome.evaluated,
        "first_met": outcome.first_met,
        "best_met_s": met,
        "seconds": outcome.seconds,
        "ending": outcome.ending,
        "levels": None if best is None else best.policy,
        "loss": None if best is None else best.loss,
        "lower_bound": outcome.lower_bound,
        "known": watcher.known,
        "peak_mb": measuring.peak_so_far() / 1e6,
    }


def main() -> None:
    """Measure with more and more quasi-identifiers."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--quasi", type=int, nargs="+", default=[*range(9, 17), 20, 24])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", type=float, default=0.05)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each search")
    given = parser.parse_args()
    measuring.show_machine()
    table = summary(DIABETES.path, DIABETES.columns)
    small = problem_of(table.project(DIABETES.quasi(3)), None, given.k, given.suppression)
    Exact().run(small, Control())  # to load compiled code
    parts = (table.project(DIABETES.quasi(number)) for number in given.quasi)
    problems = (problem_of(part, None, given.k, given.suppression) for part in parts)
    rows = measuring.collect(measure(problem, given.time_limit) for problem in problems)
    measuring.report(rows, given.json, COLUMNS)


if __name__ == "__main__":
    main()
