"""Figure 7: when a search finds the optimum, and how quality develops during the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roadstead.policies.full_domain import Levels
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome, Progress
from roadstead.search.registry import LevelSearch
from roadstead_reproductions.prasser2016.cases import Case
from roadstead_reproductions.prasser2016.published import BEST_FIRST, OPTIMUM_STATEMENT
from roadstead_reproductions.prasser2016.watching import watching
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.heuristics import igreedy
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

PROBLEMS = (
    Column("data", "data", "text"),
    Column("attributes", "QIs", "count"),
    Column("policies", "policies", "count"),
)
OPTIMA = (
    *PROBLEMS,
    Column("quality", "quality", "quality", "quality_published"),
    Column("evaluated", "best-first evaluates", "count", "evaluated_published"),
    Column("first_met", "optimum at", "count", "first_met_published"),
    Column("exact_evaluated", "exact evaluates", "count"),
    Column("exact_first_met", "optimum at", "count"),
)
TIMES = (
    *PROBLEMS,
    Column("seconds", "best-first takes", "seconds"),
    Column("to_optimum", "to the optimum", "seconds"),
    Column("share", "share", "share"),
    Column("exact_seconds", "exact takes", "seconds"),
    Column("exact_to_optimum", "to the optimum", "seconds"),
    Column("exact_share", "share", "share"),
)

STEPS = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("seconds", "time", "seconds"),
    Column("quality", "quality", "quality"),
)


@dataclass(frozen=True)
class Course:
    """The best known quality over time. The last step marks the end of the search."""

    outcome: Outcome[Levels]
    steps: tuple[tuple[float, float], ...]

    @property
    def to_best(self) -> float:
        """Return the seconds until the best policy was known."""
        best = self.steps[-1][1]
        return next(seconds for seconds, quality in self.steps if quality == best)


def course(search: LevelSearch, case: Case) -> Course:
    """Run a search to the end, and record when the search found better policies."""
    steps: list[tuple[float, float]] = []

    def look(progress: Progress) -> None:
        if progress.best is not None:
            quality = 1.0 - progress.best.loss
            if not steps or quality > steps[-1][1]:
                steps.append((progress.seconds, quality))

    outcome = search.run(case.problem(), watching(look))
    if outcome.best is not None:
        quality = 1.0 - outcome.best.loss
        steps.append((outcome.seconds, quality))
    return Course(outcome, tuple(steps))


def convergence(cases: Sequence[Case], most: int, tell: Tell) -> tuple[ResultTable, ...]:
    """Run the searches with three attributes, and then with one more attribute at a time.

    The function returns the optima, the times, and the steps of quality with the most attributes
    for the picture.
    """
    rows: list[Row] = []
    steps: list[Row] = []
    for case in cases:
        last = min(most, len(case.attributes))
        for number in range(3, last + 1):
            tell(f"time to the optimum: {case.name}, {number} attributes")
            part = case.first(number)
            bfs, exact = course(best_first(), part), course(Exact(), part)
            rows.append(_row(part, bfs, exact))
        greedy = course(igreedy(), part)
        for name, found in (("best-first", bfs), ("exact", exact), ("IGreedy", greedy)):
            steps += [
                {"data": case.name, "search": name, "seconds": seconds, "quality": quality}
                for seconds, quality in found.steps
            ]
    return (
        ResultTable(
            "optima",
            "Optima, and the evaluations that found them",
            OPTIMA,
            tuple(rows),
            (
                "Both searches prove the same optimum; the published figures are from the paper's "
                "benchmark.",
            ),
        ),
        ResultTable(
            "figure-7a-optimum",
            "Figure 7a: time to the optimum against the time of the whole search",
            TIMES,
            tuple(rows),
            (
                OPTIMUM_STATEMENT,
                "Exact is our branch and bound over sublattices.",
                "The time at which the optimum was found is measured to within a fiftieth.",
            ),
        ),
        ResultTable(
            "figure-7b-quality",
            "Figure 7b: quality of the best known policy over time, with most attributes",
            STEPS,
            tuple(steps),
            ("The last row of a search is its end.",),
            drawn=True,
        ),
    )


def warm_up(case: Case) -> None:
    """Load compiled functions before the timed runs."""
    for search in (best_first(), Exact(), igreedy()):
        search.run(case.first(3).problem(), Control())


def _row(case: Case, bfs: Course, exact: Course) -> Row:
    if bfs.outcome.best is None or exact.outcome.best is None:
        raise RuntimeError(
            "the search found no admissible policy, although everything may be generalized"
        )
    if bfs.outcome.best.preference != exact.outcome.best.preference:
        raise RuntimeError("two searches prove different optima")
    known = BEST_FIRST.get((case.name, len(case.attributes)))
    return {
        "data": case.name,
        "attributes": len(case.attributes),
        "policies": case.problem().space.size,
        "quality": 1.0 - bfs.outcome.best.loss,
        "quality_published": None if known is None else known.quality,
        "evaluated": bfs.outcome.evaluated,
        "evaluated_published": None if known is None else known.evaluated,
        "first_met": bfs.outcome.first_met,
        "first_met_published": None if known is None else known.first_met,
        "seconds": bfs.outcome.seconds,
        "to_optimum": bfs.to_best,
        "share": bfs.to_best / bfs.outcome.seconds,
        "exact_evaluated": exact.outcome.evaluated,
        "exact_first_met": exact.outcome.first_met,
        "exact_seconds": exact.outcome.seconds,
        "exact_to_optimum": exact.to_best,
        "exact_share": exact.to_best / exact.outcome.seconds,
    }
