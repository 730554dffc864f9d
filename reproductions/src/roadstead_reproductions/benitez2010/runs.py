"""Runs of the searches with several seeds.

A run is random, so every figure is a mean over runs with different seeds. The searches take turns,
so that other work on the machine affects all searches equally.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.boundary import (
    Acceptance,
    Bisecting,
    BoundaryOutcome,
    BoundaryProblem,
    BoundarySearch,
    Directed,
    even,
)
from roadstead.search.protocol import Control
from roadstead_reproductions.benitez2010.cases import Case
from roadstead_reproductions.tables import Tell

Floats: TypeAlias = NDArray[np.float64]

DIRECTED: Final = "directed"
BISECTING: Final = "bisecting"
EVEN: Final = "bisecting, even weights"

SEARCHES: Final[dict[str, Callable[[int], BoundarySearch]]] = {
    DIRECTED: Directed,
    BISECTING: Bisecting,
    EVEN: lambda seed: Bisecting(seed, even),
}
"""Searches by name, created from a seed. The last search is the control for the weights."""
PAIR: Final = (DIRECTED, BISECTING)


@dataclass(frozen=True)
class Runs:
    """Runs of one search on one table with different seeds.

    `outcomes` has one entry per seed, all with the same number of iterations. `asking` is the time
    spent evaluating the rule for each seed, in seconds.
    """

    case: Case
    search: str
    outcomes: tuple[BoundaryOutcome, ...]
    asking: tuple[float, ...]

    @property
    def iterations(self) -> int:
        """Return the number of iterations of each run."""
        return len(self.outcomes[0].found)

    @property
    def seconds(self) -> Floats:
        """Return the seconds of each iteration; shape ``(seeds, iterations)``."""
        return np.array([[one.seconds for one in run.found] for run in self.outcomes])

    @property
    def searched(self) -> Floats:
        """Return the number of policies each iteration needed; shape ``(seeds, iterations)``."""
        return np.array([[float(one.searched) for one in run.found] for run in self.outcomes])

    @property
    def evaluated(self) -> Floats:
        """Return the number of needed policies not known before; shape ``(seeds, iterations)``."""
        return np.array([[float(one.evaluated) for one in run.found] for run in self.outcomes])

    @property
    def non_dominated(self) -> Floats:
        """Return the number of non-dominated policies so far; shape ``(seeds, iterations)``."""
        return np.array([[float(one.non_dominated) for one in run.found] for run in self.outcomes])

    @property
    def ranks(self) -> Floats:
        """Return the number of boundaries that each policy keeps; shape ``(seeds, iterations)``."""
        return np.array([[float(one.policy.rank) for one in run.found] for run in self.outcomes])


@dataclass(eq=False)
class _Timed:
    """A rule that measures its total time."""

    rule: Acceptance
    seconds: float = 0.0

    def __call__(self, partition: Partition) -> bool:
        began = time.perf_counter()
        answer = self.rule(partition)
        self.seconds += time.perf_counter() - began
        return answer


def search(name: str, case: Case, rule: Acceptance, seed: int, iterations: int) -> BoundaryOutcome:
    """Run a search once."""
    problem = BoundaryProblem(case.cells.domains, rule)
    return SEARCHES[name](seed).run(problem, Control(iterations=iterations))


def repeated(
    case: Case,
    rule: Acceptance,
    seeds: int,
    iterations: int,
    names: Sequence[str] = PAIR,
    tell: Tell | None = None,
) -> dict[str, Runs]:
    """Run the searches in turn with seeds 0, 1, and so on."""
    outcomes: dict[str, list[BoundaryOutcome]] = {name: [] for name in names}
    asking: dict[str, list[float]] = {name: [] for name in names}
    for seed in range(seeds):
        if tell is not None:
            tell(f"{case.name}: run {seed + 1} of {seeds}")
        for name in names:
            timed = _Timed(rule)
            outcomes[name].append(search(name, case, timed, seed, iterations))
            asking[name].append(timed.seconds)
    return {
        name: Runs(case, name, tuple(found), tuple(asking[name]))
        for name, found in outcomes.items()
    }


def deviation(values: Floats) -> float | None:
    """Return the standard deviation of a sample, or None for a single value."""
    return float(values.std(ddof=1)) if values.size > 1 else None
