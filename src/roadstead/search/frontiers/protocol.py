"""How a search for the frontier is steered, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.protocol import Control

FrontierEnding: TypeAlias = Literal["complete", "budget", "time limit", "interrupted"]


@dataclass(frozen=True)
class FrontierProgress:
    """How far a search is.

    Attributes
    ----------
    evaluated
        Policies whose classes were counted.
    seconds
        Time since the start.
    members
        Policies on the frontier.
    area
        Area under it.
    """

    evaluated: int
    seconds: float
    members: int
    area: float


@dataclass
class Steering:
    """Steers a search for the frontier.

    Attributes
    ----------
    control
        Time limit and the question whether to stop.
    budget
        Policies that may be evaluated; None for no limit. A search may exceed it by the chain, or
        the neighbors, that it has begun.
    report
        Told about progress, at most every tenth of a second.
    watch
        Told the frontier and the number of policies evaluated whenever either has changed: for
        experiments that draw how a search converges.
    """

    control: Control = field(default_factory=Control)
    budget: int | None = None
    report: Callable[[FrontierProgress], None] | None = None
    watch: Callable[[int, Frontier[Partition]], None] | None = None
    _told: float = field(default=-1.0, init=False)

    def begin(self) -> None:
        """Start the clock."""
        self.control.begin()
        self._told = -1.0

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self.control.seconds

    def ending(self, evaluated: int) -> FrontierEnding | None:
        """Why the search must end now, or None."""
        if self.budget is not None and evaluated >= self.budget:
            return "budget"
        ending = self.control.ending()
        return None if ending is None or ending == "complete" else ending

    def rest(self, evaluated: int) -> Steering:
        """Steer a part of the search with what is left; it tells of its own frontier to nobody."""
        limit = self.control.time_limit
        return Steering(
            Control(
                None if limit is None else max(limit - self.seconds, 0.0), self.control.stopped
            ),
            None if self.budget is None else max(self.budget - evaluated, 0),
        )

    def tell(self, evaluated: int, frontier: Frontier[Partition]) -> None:
        """Report how far the search is, if it is time to."""
        if self.watch is not None:
            self.watch(evaluated, frontier)
        if self.report is not None and self.seconds - self._told >= self.control.interval:
            self._told = self.seconds
            self.report(FrontierProgress(evaluated, self.seconds, len(frontier), frontier.area))


@dataclass(frozen=True)
class FrontierOutcome:
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
    beside
        Further policies whose risk and loss were told from the classes of those evaluated.
    gap
        By how much the area under the frontier of all policies can at most be smaller, proven; 0
        where this is that frontier, None where nothing is known.
    """

    frontier: Frontier[Partition]
    evaluated: int
    seconds: float
    ending: FrontierEnding
    beside: int = 0
    gap: float | None = None


class FrontierSearch(Protocol):
    """A search for the frontier over partitions."""

    @property
    def name(self) -> str:
        """The name used on the command line."""
        ...

    @property
    def guarantee(self) -> str:
        """What it promises, in words."""
        ...

    def run(self, problem: FrontierProblem, steering: Steering) -> FrontierOutcome:
        """Search until done or told to stop."""
        ...
