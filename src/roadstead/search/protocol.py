"""Define the input, the control, and the output of a search.

A search receives a `Problem` and a `Control`, and returns an `Outcome`. If a search is stopped, it
returns the best policy so far, with a proven lower bound on the loss of every policy. All classes
are generic over the type `P` of a policy, which is either the levels of hierarchies or a partition
of ordered domains. Searches for a frontier return different outcomes (`frontiers.protocol`).
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
"""The type of a policy."""
Problem_contra = TypeVar("Problem_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)

Preference: TypeAlias = tuple[float, int, Levels]
Ending: TypeAlias = Literal["complete", "budget", "iterations", "time limit", "interrupted"]
THE_BEST = (
    "the best policy of the lattice, with a proof; if stopped early, the best policy so far and "
    "a bound"
)
"""The guarantee of lattice searches that prove optimality."""


def preference(loss: float, levels: Levels) -> Preference:
    """Return the key for sorting levels by loss, then by rank, then in lexicographic order.

    Among policies with equal loss, the policy with the lower rank is preferred, because it is less
    general. This rule ensures that all searches that claim to be optimal return the same policy.
    Losses that agree to twelve decimals count as equal, because the order of addition may change
    the last bit of a sum.
    """
    return round(loss, 12), rank(levels), levels


@dataclass(frozen=True)
class Candidate(Generic[P_co]):
    """A policy that satisfies the models, with its loss and the number of suppressed records."""

    policy: P_co
    loss: float
    suppressed: int

    @property
    def preference(self: Candidate[Levels]) -> Preference:
        """The sort key among candidates of a lattice."""
        return preference(self.loss, self.policy)


class Problem(Protocol[P]):
    """The problem of finding the admissible policy with the lowest loss."""

    def policies(self) -> Iterator[P]:
        """Yield every policy, which is practical only for small spaces."""

    def judge(self, policy: P) -> Candidate[P] | None:
        """Evaluate a policy, and return None if it suppresses more than the limit."""


@dataclass(frozen=True)
class Progress:
    """The progress of a search of any kind.

    `evaluated` is the number of policies whose classes were computed. In a search for one policy,
    the lowest possible loss is between `lower_bound` and the loss of the best policy so far. `open`
    is the number of parts of the space that still have to be searched. If a database evaluates
    policies, `queries` is the number of database queries. In a search for a frontier, `members` is
    the number of policies on the frontier, and `area` is the area under it.
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

    `best` is the best policy found, or None if no policy satisfies the models, or if no such policy
    was found in time. `evaluated` is the number of policies whose classes were computed, and
    `first_met` is the number of the evaluation that found the best policy. No admissible policy of
    the space loses less than `lower_bound`, apart from rounding (1e-12). If the best policy is
    optimal, the bound is its loss. If the search proves that no admissible policy exists, the bound
    is infinite. `proven` indicates whether the search proves that no other policy is preferred to
    the best policy.

    `pruned` is the number of policies, or subtrees, that were excluded without evaluation because
    they cannot be better. `hits` counts how often an earlier evaluation made another evaluation
    unnecessary. If a database evaluated policies, `queries` is the number of database queries.
    `seconds` is the duration of the search alone.
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
        """Return whether the best policy is proven to be the best of all policies."""
        return self.best is not None and self.proven

    @property
    def gap(self) -> float:
        """The largest share of the loss that a better policy could avoid; 0 if none is better."""
        if self.best is None:
            return 1.0
        return gap_between(self.lower_bound, self.best.loss)


@dataclass
class Control:
    """Controls a search of any kind by deciding when it must end and receiving its progress.

    The `time_limit` is in seconds. A search calls `stopped` between steps, which consist of a few
    evaluations each. If `stopped` returns True, the search ends with its current result. `report`
    is called with the progress, at most once in `interval` seconds.

    The `budget` is the number of policies that may be evaluated. A search may exceed the budget to
    complete the current step, such as a chain. `iterations` is the number of policies that a search
    at a threshold must find, including repetitions. A SettingError is raised if this number is
    below 1. `watch` is called with the number of evaluated policies and the frontier whenever
    either has changed. Experiments use `watch` to plot the convergence of a search.
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
        """The time since the start, in seconds."""
        return time.perf_counter() - self._start

    def ending(self, evaluated: int | None = None) -> Ending | None:
        """Return the reason to end the search now, or None to continue.

        The number `evaluated` counts against the budget.
        """
        if self.budget is not None and evaluated is not None and evaluated >= self.budget:
            return "budget"
        if self.stopped():
            return "interrupted"
        if self.time_limit is not None and self.seconds >= self.time_limit:
            return "time limit"
        return None

    def report_progress(self, progress: Callable[[], Progress]) -> None:
        """Compute and report the progress if enough time has passed."""
        if self.report is not None and self.seconds - self._reported >= self.interval:
            self._reported = self.seconds
            self.report(progress())

    def rest(self, evaluated: int) -> Control:
        """Return a control with the remaining time and budget that does not report progress."""
        left = None if self.time_limit is None else max(self.time_limit - self.seconds, 0.0)
        budget = None if self.budget is None else max(self.budget - evaluated, 0)
        return Control(left, self.stopped, budget=budget)


class Named(Protocol):
    """The name and the guarantee of a search."""

    @property
    def name(self) -> str:
        """The name of the search on the command line."""

    @property
    def guarantee(self) -> str:
        """The guarantee of the search, in words."""


class Search(Named, Protocol[Problem_contra, Outcome_co]):
    """A search strategy for one kind of problem."""

    def run(self, problem: Problem_contra, control: Control) -> Outcome_co:
        """Run the search until it is complete or stopped."""


class Tracker(Generic[P]):
    """The state of a running search for one policy, with the best policy so far, and counts.

    Creating a tracker starts the clock. `looks` is the number of evaluated policies. The function
    `groupings` returns the number of additional policies whose classes were computed for bounds.
    """

    def __init__(self, control: Control, groupings: Callable[[], int] = lambda: 0) -> None:
        self.control = control
        self.best: Candidate[P] | None = None
        self.looks = self.first_met = self.pruned = self.hits = self.open = 0
        self._groupings, self._grouped_before = groupings, groupings()
        control.begin()

    @property
    def evaluated(self) -> int:
        """The number of policies whose classes were computed, also for bounds."""
        return self.looks + self._groupings() - self._grouped_before

    @property
    def queries(self) -> int:
        """The number of queries to a database."""
        return 0

    @property
    def ceiling(self) -> float:
        """The loss of the best policy, or infinity if there is none."""
        return inf if self.best is None else self.best.loss

    def lower_bound(self) -> float:
        """Return a lower bound on the loss, or infinity if no admissible policy exists."""
        return 0.0

    def report(self) -> None:
        """Report the progress, if enough time has passed."""
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
        """Report the progress, and return the reason to end the search now, or None to continue."""
        self.report()
        return self.control.ending(self.evaluated)

    def outcome(self, ending: Ending, *, proven: bool) -> Outcome[P]:
        """Return the outcome of the search with the given ending."""
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
