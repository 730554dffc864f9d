"""What a search for the frontier answers, and what every one of them does on the way.

A search gets a problem and a `Control`, puts the policies that it meets on a `Frontier`, and
returns a `FrontierOutcome`. Those over partitions keep their books in a `FrontierRun`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier, P
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.protocol import Control, Ending, Progress, Search


@dataclass(frozen=True)
class FrontierOutcome(Generic[P]):
    """What a search found.

    Attributes
    ----------
    frontier
        The policies that no other policy met betters in both.
    evaluated
        Policies whose classes were counted.
    seconds
        Time of the search.
    ending
        Why it ended.
    derived
        Further policies whose risk and loss follow from the classes of those evaluated.
    lower
        A staircase that no policy is below, proven; None where nothing is known. Its members
        without a policy are corners.
    tied
        For each member, how many policies have its point, itself included, as far as met; nothing
        where they are not counted.
    """

    frontier: Frontier[P]
    evaluated: int
    seconds: float
    ending: Ending
    derived: int = 0
    lower: Frontier[Any] | None = None
    tied: tuple[int, ...] = ()

    @property
    def gap(self) -> float | None:
        """By how much the area under the frontier of all policies can at most be smaller.

        0 where this is that frontier, None where nothing is known.
        """
        return None if self.lower is None else max(0.0, self.frontier.area - self.lower.area)

    @property
    def proven(self) -> bool:
        """Whether this is the frontier of all policies."""
        return self.ending == "complete" and self.gap == 0.0


FrontierSearch: TypeAlias = Search[FrontierProblem, FrontierOutcome[Partition]]


def report_frontier(control: Control, evaluated: int, frontier: Frontier[Any]) -> None:
    """Report how far a search is, if it is time to."""
    if control.watch is not None:
        control.watch(evaluated, frontier)
    control.report_progress(
        lambda: Progress(evaluated, control.seconds, members=len(frontier), area=frontier.area)
    )


@dataclass
class FrontierRun:
    """A search over partitions that is going on, and what it has found; it starts the clock."""

    problem: FrontierProblem
    control: Control
    frontier: Frontier[Partition] = field(default_factory=Frontier)
    evaluated: int = 0
    derived: int = 0

    def __post_init__(self) -> None:
        self.control.begin()

    def evaluate(self, partition: Partition) -> None:
        """Evaluate one policy, and put it on the frontier if it belongs there."""
        self.evaluated += 1
        self.frontier.insert(*self.problem.point(partition), partition)

    def evaluate_ends(self) -> None:
        """Begin with the data as they are, and with one interval for each attribute."""
        self.evaluate(self.problem.domains.most_specific)
        self.evaluate(self.problem.domains.most_general)

    @property
    def left(self) -> int | None:
        """Policies that may still be evaluated; None for no limit."""
        return None if self.control.budget is None else self.control.budget - self.evaluated

    def report(self) -> None:
        """Report how far the search is."""
        report_frontier(self.control, self.evaluated, self.frontier)

    def ending(self) -> Ending | None:
        """Why the search must end now, or None."""
        return self.control.ending(self.evaluated)

    def pause(self) -> Ending | None:
        """Report, and say why the search must end now, or None."""
        self.report()
        return self.ending()

    def outcome(
        self, ending: Ending, lower: Frontier[Any] | None = None
    ) -> FrontierOutcome[Partition]:
        """Close the search."""
        return FrontierOutcome(
            self.frontier, self.evaluated, self.control.seconds, ending, self.derived, lower
        )
