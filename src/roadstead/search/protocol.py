"""The input of a search, its control, and its output.

A search gets a `Problem` and a `Control` and returns an `Outcome`. It may be stopped at any time.
It then returns the best policy so far, with a proven lower bound on the loss of every policy. All
are generic over the policy `P`: the levels of hierarchies, or a partition of ordered domains. The
searches for a frontier have separate outcomes (`frontiers.protocol`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from roadstead.errors import SettingError
from roadstead.policies.full_domain import Levels, rank
from roadstead.quality.for_sharing import gap_between

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)
"""A policy."""
Problem_contra = TypeVar("Problem_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)

Preference: TypeAlias = tuple[float, int, Levels]
Ending: TypeAlias = Literal["complete", "budget", "iterations", "time limit", "interrupted"]
THE_BEST = (
    "the best policy of the lattice, with a proof; if stopped early, the best policy so far and "
    "a bound"
)
"""The guarantee of the searches of a lattice that give a proof."""


def preference(loss: float, levels: Levels) -> Preference:
    """Sort key of levels: by loss, then rank (the less general wins), then lexicographically.

    Every search that claims to be optimal returns the same policy. Losses that agree to twelve
    decimals are equal: the same sum in another order may differ in its last bit, and that shall
    not decide.
    """
    return round(loss, 12), rank(levels), levels


@dataclass(frozen=True)
class Candidate(Generic[P_co]):
    """A policy that satisfies the models, with its loss and the records it suppresses."""

    policy: P_co
    loss: float
    suppressed: int

    @property
    def preference(self: Candidate[Levels]) -> Preference:
        """Sort key among candidates of a lattice."""
        return preference(self.loss, self.policy)


class Problem(Protocol[P]):
    """Find the policy of least loss among those that satisfy models and suppress few records."""

    def policies(self) -> Iterator[P]:
        """Every policy; only for small spaces."""

    def judge(self, policy: P) -> Candidate[P] | None:
        """Evaluate a single policy; None when it suppresses more than the limit."""


@dataclass(frozen=True)
class Progress:
    """The progress of a search of any kind.

    `evaluated` is the number of policies whose classes were computed. In a search for one policy,
    the best loss is between `lower_bound` and the best policy's loss, and `open` parts of the space
    remain; `queries` is the number of database queries, if a database evaluates policies. In a
    search for a frontier, `members` is the number of policies on it, and `area` is the area under
    it.
    """

    evaluated: int
    seconds: float
    best: Candidate[Any] | None = None
    lower_bound: float = 0.0
    open: int = 0
    queries: int = 0
    members: int = 0
    area: float = 1.0


@dataclass(frozen=True)
class Outcome(Generic[P_co]):
    """The result of a search for one policy.

    `best` is the best policy met, None if no policy satisfies the models, or none was met in time;
    `first_met` is the number of the evaluation that met it, among the `evaluated` policies whose
    classes were computed. No admissible policy of the space loses less than `lower_bound`, apart
    from rounding (1e-12). The bound is the best policy's loss if it is optimal, and infinite if
    provably no admissible policy exists. `proven` is whether the search shows that no other policy
    is preferred to the best.

    `pruned` is the number of policies, or subtrees, that were excluded without evaluation because
    they cannot be better; `hits` is how often an earlier evaluation made another unnecessary;
    `queries` is the number of database queries, if a database evaluated policies. `seconds` is the
    time of the search alone.
    """

    best: Candidate[P_co] | None
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
    """Steers a search of any kind: when it must end, and who follows how far it is.

    The `time_limit` is in seconds. A search calls `stopped` between steps, each of a few
    evaluations; True ends the search with its current result. `report` gets the progress, at most
    every `interval` seconds.

    The `budget` is how many policies may be evaluated. A search may exceed it by the step that it
    has begun, such as a chain. `iterations`, 1 or more, else there is a SettingError, are the
    policies that a search at a threshold is to find, those found again included. `watch` gets the
    number of policies evaluated and the frontier whenever either has changed: for experiments that
    draw how a search converges.
    """

    time_limit: float | None = None
    stopped: Callable[[], bool] = field(default=lambda: False)
    report: Callable[[Progress], None] | None = None
    interval: float = 0.1
    budget: int | None = None
    iterations: int = 100
    watch: Callable[[int, Any], None] | None = None
    _start: float = field(default_factory=time.perf_counter, init=False)
    _reported: float = field(default=-inf, init=False)

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise SettingError(
                f"{self.iterations} boundary policies are requested", fix="request 1 or more"
            )

    def begin(self) -> None:
        """Start the clock."""
        self._start = time.perf_counter()
        self._reported = -inf

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self._start

    def ending(self, evaluated: int | None = None) -> Ending | None:
        """Why a search must end now, or None; the number counts against the budget."""
        if self.budget is not None and evaluated is not None and evaluated >= self.budget:
            return "budget"
        if self.stopped():
            return "interrupted"
        if self.time_limit is not None and self.seconds >= self.time_limit:
            return "time limit"
        return None

    def report_progress(self, progress: Callable[[], Progress]) -> None:
        """Report if it is time to; progress is only worked out then."""
        if self.report is not None and self.seconds - self._reported >= self.interval:
            self._reported = self.seconds
            self.report(progress())

    def rest(self, evaluated: int) -> Control:
        """Give the remaining budget to a part of the search; the part does not report progress."""
        left = None if self.time_limit is None else max(self.time_limit - self.seconds, 0.0)
        budget = None if self.budget is None else max(self.budget - evaluated, 0)
        return Control(left, self.stopped, budget=budget)


class Named(Protocol):
    """The name of a search, and its guarantee."""

    @property
    def name(self) -> str:
        """The name used on the command line."""

    @property
    def guarantee(self) -> str:
        """Its guarantee, in words."""


class Search(Named, Protocol[Problem_contra, Outcome_co]):
    """A search strategy for one kind of problem."""

    def run(self, problem: Problem_contra, control: Control) -> Outcome_co:
        """Search until done or stopped."""


class Tracker(Generic[P]):
    """A running search for one policy: the best so far, and counts; creating it starts the clock.

    `looks` are the policies evaluated; `groupings` says how many more were grouped for bounds.
    """

    def __init__(self, control: Control, groupings: Callable[[], int] = lambda: 0) -> None:
        self.control = control
        self.best: Candidate[P] | None = None
        self.looks = self.first_met = self.pruned = self.hits = self.open = 0
        self._groupings, self._grouped_before = groupings, groupings()
        control.begin()

    @property
    def evaluated(self) -> int:
        """Policies whose classes were computed, including those for bounds."""
        return self.looks + self._groupings() - self._grouped_before

    @property
    def queries(self) -> int:
        """Queries to a database."""
        return 0

    @property
    def ceiling(self) -> float:
        """Loss that a policy must stay below to be better."""
        return inf if self.best is None else self.best.loss

    def lower_bound(self) -> float:
        """The smallest loss that is still possible; infinite if no admissible policy exists."""
        return 0.0

    def report(self) -> None:
        """Report how far it is, if it is time to."""
        self.control.report_progress(
            lambda: Progress(
                evaluated=self.evaluated,
                seconds=self.control.seconds,
                best=self.best,
                lower_bound=self.lower_bound(),
                open=self.open,
                queries=self.queries,
            )
        )

    def pause(self) -> Ending | None:
        """Report, and say why the search must end now, or None."""
        self.report()
        return self.control.ending(self.evaluated)

    def outcome(self, ending: Ending, *, proven: bool) -> Outcome[P]:
        """Close the search; proven if nothing is preferred to the best, or none is admissible."""
        return Outcome(
            best=self.best,
            lower_bound=self.ceiling if proven else self.lower_bound(),
            evaluated=self.evaluated,
            first_met=self.first_met,
            seconds=self.control.seconds,
            ending=ending,
            proven=proven,
            pruned=self.pruned,
            hits=self.hits,
            queries=self.queries,
        )
