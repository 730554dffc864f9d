"""Our own searches compared with SHS, on several made-up populations.

The search `steepest` evaluates one chain of best merges and the neighbors of all policies in the
chain, and the search `combined` continues from this chain. Our searches evaluate at most a tenth of
the policies of SHS. For every seed, the population is estimated again, and Adult's records are
matched with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.combined import Combined
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, FrontierSearch
from roadstead.search.frontiers.steepest import Steepest
from roadstead.search.protocol import Control
from roadstead_reproductions.parallel import spread, tenths
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell
from roadstead_reproductions.xia2013.courses import Asked, checkpoints, follow
from roadstead_reproductions.xia2013.instances import Instance
from roadstead_reproductions.xia2013.published import STEP
from roadstead_reproductions.xia2013.readings import CHOSEN, Reading

Maker: TypeAlias = Callable[[int], Instance]
"""A function that creates the table and the population for a seed."""

SHARE = 10
"""The number of policies that SHS may evaluate for each policy that our searches may evaluate."""
STRICT = Reading(threshold=0.5)
"""A reading of SHS that is slower, but ends with a smaller area than the chosen reading."""
OURS: tuple[FrontierSearch, ...] = (Steepest(), Combined())

COLUMNS = (
    Column("seed", "population", "count"),
    Column("search", "search", "text"),
    Column("area", "area", "quality"),
    Column("members", "members", "count"),
    Column("evaluated", "evaluated", "count"),
    Column("seconds", "seconds", "seconds"),
    Column("complete", "first complete frontier", "seconds"),
    Column("complete_area", "its area", "quality"),
    Column("complete_area_ratio", "its area / SHS's", "times"),
    Column("complete_seconds_ratio", "its seconds / the fastest SHS's", "times"),
    Column("area_ratio", "area / SHS's", "times"),
    Column("evaluated_ratio", "evaluations / SHS's", "times"),
    Column("seconds_ratio", "seconds / SHS's", "times"),
)
COURSES = (
    Column("seed", "population", "count"),
    Column("search", "search", "text"),
    Column("policies", "policies", "count"),
    Column("area", "area", "quality"),
)


@dataclass(frozen=True)
class BeyondExtent:
    """The seeds of the populations, and the number of policies that SHS may evaluate.

    `strict` states whether SHS also runs with the strict reading.
    """

    seeds: tuple[int, ...]
    budget: int
    strict: bool = True


@dataclass(frozen=True)
class Timed:
    """The result of a search, in which the initial chain is not counted.

    `ours` states whether the search is ours. `complete` and `complete_area` are the time and the
    area at which the search had evaluated more policies than there are boundaries, or None if the
    search never evaluated this many policies.
    """

    name: str
    ours: bool
    area: float
    members: int
    evaluated: int
    seconds: float
    complete: float | None = None
    complete_area: float | None = None


@dataclass(frozen=True)
class Race:
    """The results of the searches on one population, and their areas by evaluated policies."""

    timed: tuple[Timed, ...]
    courses: tuple[Row, ...]


def race(
    problem: FrontierProblem, budget: int, *, strict: bool, seed: int = 0
) -> tuple[Timed, ...]:
    """Run SHS, and then our searches with a tenth of its evaluations.

    If `strict` is true, SHS runs with both readings.
    """
    readings = [CHOSEN, STRICT] if strict else [CHOSEN]
    found = [shs(problem, reading, budget, seed) for reading in readings]
    return (*found, *(ours(problem, search, budget // SHARE) for search in OURS))


def shs(problem: FrontierProblem, reading: Reading, budget: int, seed: int) -> Timed:
    """Run SHS with a reading."""
    uncounted = reading.uncounted(problem)
    outcome = reading.sublattices(seed).run(problem, Control(budget=budget + uncounted))
    return Timed(
        f"SHS, TH {reading.threshold:g}",
        ours=False,
        area=outcome.frontier.area,
        members=len(outcome.frontier),
        evaluated=outcome.evaluated - uncounted,
        seconds=outcome.seconds,
    )


def ours(problem: FrontierProblem, search: FrontierSearch, budget: int) -> Timed:
    """Run one of our searches, and record when its first chain was complete."""
    complete: list[tuple[float, float]] = []
    steering = Control(budget=budget)

    def watch(evaluated: int, frontier: Frontier[Partition]) -> None:
        if not complete and evaluated > problem.domains.boundaries:
            complete.append((steering.seconds, frontier.area))

    steering.watch = watch
    outcome = search.run(problem, steering)
    return Timed(
        search.name,
        ours=True,
        area=outcome.frontier.area,
        members=len(outcome.frontier),
        evaluated=outcome.evaluated,
        seconds=outcome.seconds,
        complete=complete[0][0] if complete else None,
        complete_area=complete[0][1] if complete else None,
    )


def warm_up(problem: FrontierProblem) -> None:
    """Load compiled functions before the timed runs."""
    race(problem, SHARE * SHARE, strict=False)


def race_on(shared: tuple[BeyondExtent, Maker], seed: int) -> Race:
    """Create a population, and run the searches on it."""
    extent, make = shared
    problem = make(seed).problem
    warm_up(problem)
    timed = race(problem, extent.budget, strict=extent.strict)
    return Race(timed, tuple(_courses(problem, extent.budget, seed)))


def _courses(problem: FrontierProblem, budget: int, seed: int) -> list[Row]:
    """Run the searches again, and record their areas."""
    first, tenth = CHOSEN.uncounted(problem), budget // SHARE
    searches: list[tuple[str, FrontierSearch, int, int]] = [
        ("RCS", CHOSEN.chains(0), first, budget),
        ("SHS", CHOSEN.sublattices(0), first, budget),
        *((search.name, search, 0, tenth) for search in OURS),
    ]
    rows: list[Row] = []
    for name, search, uncounted, last in searches:
        marks = checkpoints(STEP, last)
        areas = follow(problem, Asked(search, marks, uncounted)).areas
        rows += [
            {"seed": seed, "search": name, "policies": mark, "area": area}
            for mark, area in zip(marks, areas, strict=True)
            if area < 1.0
        ]
    return rows


def beyond(
    extent: BeyondExtent, make: Maker, workers: int, tell: Tell
) -> tuple[ResultTable, ResultTable]:
    """Run the searches on every population.

    `make` creates the table and the population for a seed. With several workers, `make` must be a
    module-level function. The function returns the results, and the areas by evaluated policies for
    the picture.
    """
    every = len(extent.seeds)
    found = spread(
        (extent, make),
        race_on,
        extent.seeds,
        min(workers, every),
        tenths(tell, "beyond the paper: populations", every),
    )
    return tables(extent, found)


def tables(extent: BeyondExtent, found: Sequence[Race]) -> tuple[ResultTable, ResultTable]:
    """Return the tables of the results."""
    pairs = list(zip(extent.seeds, found, strict=True))
    return (
        ResultTable(
            "beyond",
            "Beyond the paper: our own searches compared with SHS",
            COLUMNS,
            tuple(row for seed, own in pairs for row in compared(seed, own.timed)),
            (
                f"Our searches may evaluate a tenth of SHS's {extent.budget:,} policies. They "
                "evaluate policies whose classes they have, and compute risk and loss of the "
                "neighbors from the same classes. Ratios are to the SHS with the least area on "
                "the same population.",
                "SHS has a faster evaluation here than its command has: it uses a table of the "
                "population (tabled_problem) instead of the cells.",
                "A frontier is complete when the first chain from the unchanged data has reached "
                "the top. Its area is compared with the SHS that has the least area, and its "
                "time with the fastest SHS, although no reading of SHS is both. Searches of one "
                "population run one after the other in one process.",
            ),
        ),
        ResultTable(
            "beyond-courses",
            "Beyond the paper: area by policies evaluated",
            COURSES,
            tuple(row for own in found for row in own.courses),
            (
                "Our searches add policies to the frontier in batches, so a line begins after "
                "the first batch.",
            ),
            drawn=True,
        ),
    )


def compared(seed: int, found: Sequence[Timed]) -> list[Row]:
    """Compare all searches of a population with the SHS run that has the smallest area."""
    theirs = [one for one in found if not one.ours]
    best = min(theirs, key=lambda one: one.area)
    quickest = min(one.seconds for one in theirs)
    return [_row(seed, one, best, quickest) for one in found]


def _row(seed: int, one: Timed, best: Timed, quickest: float) -> Row:
    return {
        **vars(one),
        "seed": seed,
        "search": one.name,
        "complete_area_ratio": None if one.complete_area is None else one.complete_area / best.area,
        "complete_seconds_ratio": None if one.complete is None else one.complete / quickest,
        "area_ratio": one.area / best.area if one.ours else None,
        "evaluated_ratio": one.evaluated / best.evaluated if one.ours else None,
        "seconds_ratio": one.seconds / best.seconds if one.ours else None,
    }
