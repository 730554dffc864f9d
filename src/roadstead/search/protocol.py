"""What is searched, how a search is steered, and what it answers.

A search gets a `Problem` and a `Control` and returns an `Outcome`. It may be stopped at any time
and then gives the best policy so far with a proven lower bound on the loss of every policy.

Candidates are compared by loss, then by rank (the less general wins), then by their levels in
lexicographic order, so that every search that claims to be optimal returns the same policy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels, rank
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.for_sharing import gap_between
from roadstead.quality.protocol import BoundQuality

Preference: TypeAlias = tuple[float, int, Levels]
Ending: TypeAlias = Literal["complete", "time limit", "interrupted"]


def preference(loss: float, levels: Levels) -> Preference:
    """Sort key of a candidate: the smaller is the better.

    Losses that agree to twelve decimals are equal: the same sum in another order may differ in its
    last bit, and that shall not decide.
    """
    return round(loss, 12), rank(levels), levels


@dataclass(frozen=True)
class Problem:
    """The best policy of `space` is wanted, under a privacy model and a suppression limit.

    Attributes
    ----------
    encoding
        The table.
    space
        The lattice of policies.
    privacy
        What released classes must satisfy, bound to the table.
    quality
        The loss, bound to the table.
    limit
        Most records that may be suppressed.
    """

    encoding: Encoding
    space: FullDomain
    privacy: BoundPrivacy
    quality: BoundQuality[Any]
    limit: int


@dataclass(frozen=True)
class Candidate:
    """A policy that satisfies the models."""

    levels: Levels
    loss: float
    suppressed: int

    @property
    def preference(self) -> Preference:
        """Sort key among candidates."""
        return preference(self.loss, self.levels)


@dataclass(frozen=True)
class Progress:
    """How far a search is: the best so far lies between `lower_bound` and its loss.

    `queries` are those that a database was asked, where policies are evaluated there.
    """

    evaluated: int
    seconds: float
    best: Candidate | None
    lower_bound: float
    open: int
    queries: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a search found.

    Attributes
    ----------
    best
        The best policy met, None when none satisfies the models (or none was met in time).
    lower_bound
        No admissible policy of the space loses less than this; the best's own loss when optimal,
        infinite when there is provably no admissible policy.
    evaluated
        Policies whose classes were computed.
    first_met
        The evaluation at which the best was met.
    seconds
        Time of the search alone.
    ending
        Why it ended.
    proven
        Whether the search shows that no other policy is preferred to the best.
    pruned
        Policies shown to be no better without their classes being computed.
    hits
        Times that an earlier evaluation told about a policy what another one would have.
    queries
        Queries that a database was asked, where policies were evaluated there; else 0.
    """

    best: Candidate | None
    lower_bound: float
    evaluated: int
    first_met: int
    seconds: float
    ending: Ending
    proven: bool
    pruned: int = 0
    hits: int = 0
    queries: int = 0

    @property
    def optimal(self) -> bool:
        """Whether the best is proven to be the best of all."""
        return self.best is not None and self.proven

    @property
    def gap(self) -> float:
        """Share of the loss that a better policy could at most avoid; 0 when optimal."""
        if self.best is None:
            return 1.0
        return gap_between(self.lower_bound, self.best.loss)


@dataclass
class Control:
    """Steers a search: time limit, a question whether to stop, and somebody to tell.

    Attributes
    ----------
    time_limit
        Seconds, or None.
    stopped
        Asked between steps, each of a few evaluations; True ends the search with what it has.
    report
        Told about progress, at most every `interval` seconds.
    """

    time_limit: float | None = None
    stopped: Callable[[], bool] = field(default=lambda: False)
    report: Callable[[Progress], None] | None = None
    interval: float = 0.1
    _start: float = field(default_factory=time.perf_counter, init=False)
    _told: float = field(default=0.0, init=False)

    def begin(self) -> None:
        """Start the clock."""
        self._start = time.perf_counter()
        self._told = 0.0

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self._start

    def ending(self) -> Ending | None:
        """Why the search must end now, or None."""
        if self.stopped():
            return "interrupted"
        if self.time_limit is not None and self.seconds >= self.time_limit:
            return "time limit"
        return None

    def tell(self, progress: Callable[[], Progress]) -> None:
        """Report if it is time to; progress is only worked out then."""
        if self.report is not None and self.seconds - self._told >= self.interval:
            self._told = self.seconds
            self.report(progress())


class Search(Protocol):
    """A search strategy."""

    @property
    def name(self) -> str:
        """The name used on the command line."""
        ...

    @property
    def guarantee(self) -> str:
        """What it promises, in words."""
        ...

    def refusal(self, problem: Problem) -> str | None:
        """Why it cannot be used on a problem; None where it can."""
        ...

    def run(self, problem: Problem, control: Control) -> Outcome:
        """Search until done or told to stop."""
        ...
