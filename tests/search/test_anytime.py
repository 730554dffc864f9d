"""A search that is stopped, watched, repeated or short of memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any, Self

import numpy as np
import pytest
from diving import diving, one_dive_or_two, short_of_memory, taking_turns
from effort import sparing, unhurried
from hypothesis import example, given
from lattices import Case, cases, crowded, crowded_cases
from measures import problem as measured

from roadstead.policies.full_domain import Levels
from roadstead.search import evaluation, exact
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.evaluator import Evaluation
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome, Progress

SEED = 46
"""Seed of a problem with several sublattices waiting at once."""


def after(calls: int) -> Callable[[], bool]:
    """Say no so many times, then yes."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


def same(one: Outcome[Levels], other: Outcome[Levels]) -> bool:
    """Whether two runs did the same; time aside."""
    facts = ("best", "lower_bound", "evaluated", "first_met", "ending")
    return all(getattr(one, fact) == getattr(other, fact) for fact in facts)


def search(problem: FullDomainProblem, dives: int, **settings: Any) -> Outcome[Levels]:  # noqa: ANN401 - Control's
    """Run the exact search with so many dives side by side."""
    with diving(dives):
        return Exact().run(problem, Control(**settings))


def interruptions(problem: FullDomainProblem, dives: int) -> list[Outcome[Levels]]:
    """Stop a search at every place where it can be stopped."""
    outcomes: list[Outcome[Levels]] = []
    while True:
        outcome = search(problem, dives, stopped=after(len(outcomes)))
        if outcome.ending == "complete":
            return outcomes
        outcomes.append(outcome)


@one_dive_or_two
@sparing
@given(cases() | crowded_cases())
def test_stopped_anywhere_the_optimum_lies_between_bound_and_best(dives: int, case: Case) -> None:
    """The bound does not fall and the best does not get worse, the later it is stopped."""
    problem = case.problem()
    complete = search(problem, dives)
    optimum = complete.best.loss if complete.best else inf
    stopped = interruptions(problem, dives)
    for outcome in stopped:
        assert outcome.ending == "interrupted"
        assert not outcome.optimal
        assert outcome.lower_bound <= optimum
        assert optimum <= (outcome.best.loss if outcome.best else inf)
        assert 0.0 <= outcome.gap <= 1.0
    for earlier, later in pairwise([*stopped, complete]):
        assert earlier.lower_bound <= later.lower_bound
        assert earlier.evaluated <= later.evaluated
        assert earlier.best is None or (
            later.best is not None and later.best.preference <= earlier.best.preference
        )


@one_dive_or_two
@sparing
@given(crowded_cases())
@example(crowded(SEED))
def test_short_of_memory_too_the_optimum_lies_between_bound_and_best(
    dives: int, case: Case
) -> None:
    """Postponed policies limit the remaining possibilities, as do waiting ones."""
    problem = case.problem()
    complete = search(problem, dives)
    optimum = complete.best.loss if complete.best else inf
    with short_of_memory():
        stopped = interruptions(problem, dives)
    for outcome in stopped:
        assert outcome.lower_bound <= optimum
        assert optimum <= (outcome.best.loss if outcome.best else inf)
    for earlier, later in pairwise([*stopped, complete]):
        assert earlier.lower_bound <= later.lower_bound


@unhurried
@given(cases())
def test_without_any_time_there_is_a_bound_and_maybe_a_policy(case: Case) -> None:
    """Only what needs no second look is answered in full."""
    problem = case.problem()
    complete = Exact().run(problem, Control())
    outcome = Exact().run(problem, Control(time_limit=0.0))
    assert outcome.evaluated == 1
    assert outcome.lower_bound <= complete.lower_bound
    if outcome.ending == "complete":
        assert same(outcome, complete)
    else:
        assert outcome.ending == "time limit"
        assert not outcome.optimal


@one_dive_or_two
@unhurried
@given(cases() | crowded_cases())
def test_progress_never_promises_too_much(dives: int, case: Case) -> None:
    """Each report holds the optimum between bound and best, and closes in on it."""
    reports: list[Progress] = []
    outcome = search(case.problem(), dives, report=reports.append, interval=0.0)
    optimum = outcome.best.loss if outcome.best else inf
    for report in reports:
        assert report.lower_bound <= optimum
        assert optimum <= (report.best.loss if report.best else inf)
        assert report.open >= 1
    for earlier, later in pairwise(reports):
        assert earlier.lower_bound <= later.lower_bound
        assert earlier.evaluated <= later.evaluated
        assert earlier.best is None or (later.best and later.best.loss <= earlier.best.loss)


@one_dive_or_two
@unhurried
@given(cases() | crowded_cases())
def test_two_runs_do_the_same(dives: int, case: Case) -> None:
    """With and without a watcher: neither clock nor chance plays a role."""
    first = search(case.problem(), dives)
    problem = case.problem()
    assert same(first, search(problem, dives))
    watched = search(problem, dives, report=lambda _: None, interval=0.0, time_limit=3600.0)
    assert same(first, watched)


class Order:
    """Another core that does its work at once, or when the answer is wanted."""

    at_once = True

    def __init__(self, _: int) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, work: Callable[[], Any]) -> Self:
        """Take work."""
        self.done = work() if self.at_once else None
        self.work = work
        return self

    def result(self) -> Any:  # noqa: ANN401 - whatever the work gives
        """Give its answer."""
        return self.done if self.at_once else self.work()


class Last(Order):
    """One that is slow."""

    at_once = False


@pytest.mark.parametrize("measure", ["class-size", "discernibility", "divergence"])
@sparing
@given(crowded_cases())
@example(crowded(3))
@example(crowded(52))
@example(crowded(55))
def test_whichever_core_is_first_a_search_does_the_same(measure: str, case: Case) -> None:
    """One core's stored facts about classes for its bounds do not affect the other."""
    outcomes = []
    for core in (Order, Last):
        alike = np.array([[number, 0, 0] for number in case.counts])
        problem = measured(case, measure, alike)
        with pytest.MonkeyPatch.context() as patch, taking_turns():
            patch.setattr(exact, "ThreadPoolExecutor", core)
            outcomes.append(search(problem, 2))
    assert same(*outcomes)


@one_dive_or_two
@unhurried
@given(cases() | crowded_cases())
def test_short_of_memory_it_proves_the_same(dives: int, case: Case) -> None:
    """Depth first, and with classes that are forgotten and worked out again."""
    problem = case.problem()
    usual = search(problem, dives)
    with short_of_memory():
        scarce = search(problem, dives)
    assert scarce.best == usual.best
    assert scarce.lower_bound == usual.lower_bound
    assert scarce.ending == "complete"


@pytest.mark.parametrize(
    ("measure", "seed"), [("class-size", 39), ("ambiguity", 21), ("discernibility", 29)]
)
def test_short_of_memory_a_forgotten_sublattice_is_searched(measure: str, seed: int) -> None:
    """Its open splits are found again with its classes; without either it would seem settled."""
    case = crowded(seed)
    alike = np.array([[number, 0, 0] for number in case.counts])
    known = measured(case, measure, alike)
    found = [evaluate(known, levels, start(known)).candidate for levels in known.space]
    with short_of_memory():
        scarce = Exact().run(known, Control())
    assert scarce.proven
    assert scarce.best == min((one for one in found if one), key=lambda one: one.preference)


def test_short_of_memory_classes_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """More work is done than policies are evaluated."""
    worked_out = []

    def watched(
        problem: FullDomainProblem, levels: Levels, general: Evaluation, lower: Levels
    ) -> Evaluation:
        worked_out.append(levels)
        return evaluate(problem, levels, general, lower)

    monkeypatch.setattr(evaluation, "evaluate", watched)
    problem = crowded(SEED).problem()
    usual = Exact().run(problem, Control())
    assert len(worked_out) == usual.evaluated
    worked_out.clear()
    with short_of_memory():
        scarce = Exact().run(problem, Control())
    assert scarce.best == usual.best
    assert len(worked_out) > scarce.evaluated
