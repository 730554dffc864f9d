"""Consequences of parts of the attributes for all: never too much, and all that is possible."""

from __future__ import annotations

from itertools import combinations, product
from math import inf, log1p
from typing import Any

import definition
import pytest
from diving import diving, one_dive_or_two, taking_turns
from effort import sparing, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from lattices import Case, crowded, crowded_cases
from toy_models import Balanced, balanced, histograms

from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import (
    Aggregate,
    ArithmeticMean,
    GeometricMean,
    part_of,
    whole_of,
)
from roadstead.search.attribute_subsets import Parts, SmallerLattice
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome, Progress

PLACES = tuple(some for size in (1, 2, 3) for some in combinations(range(4), size))


def loss_of(case: Case, places: tuple[int, ...], losses: list[float]) -> float:
    """Work out the mean over some attributes by its formula."""
    weights = [float((case.weights or (1,) * 4)[i]) for i in places]
    whole = sum(weights)
    if case.aggregate == "arithmetic":
        return sum(w * losses[i] for w, i in zip(weights, places, strict=True)) / whole
    grown = 1.0
    for w, i in zip(weights, places, strict=True):
        grown *= (1.0 + losses[i]) ** (w / whole)
    return grown - 1.0


def least_by_enumeration(case: Case, problem: FullDomainProblem, places: tuple[int, ...]) -> float:
    """Try all levels of some attributes, the others at the top."""
    space, least = problem.space, inf
    ranges = [
        range(low, high + 1) if i in places else [high]
        for i, (low, high) in enumerate(zip(space.bottom, space.top, strict=True))
    ]
    for levels in product(*ranges):
        found = evaluate(problem, levels, start(problem))
        if found.suppressed > problem.limit:
            continue
        losses = problem.quality.loss_by_attribute(levels, found.tally, found.kept)
        assert losses is not None
        least = min(least, loss_of(case, places, losses))
    return least


@sparing
@given(crowded_cases(), st.sampled_from(PLACES))
@example(crowded(46), (0, 1, 3))
def test_a_part_finds_out_what_its_attributes_must_lose(
    case: Case, places: tuple[int, ...]
) -> None:
    """On the way there it promises no more; at its end it knows what enumeration knows."""
    problem = case.problem()
    made = problem.part(places)
    if made is None:
        assert case.weights is not None
        assert not any(case.weights[i] for i in places)
        return
    least = least_by_enumeration(case, problem, places)
    part = SmallerLattice(*made)
    before = 0.0
    while not part.done:
        assert before <= part.bound <= least + 1e-12
        before = part.bound
        part.advance(1)
    assert part.bound == pytest.approx(least, abs=1e-12)


@sparing
@given(crowded_cases())
@example(crowded(46))
@example(crowded(850))
def test_a_part_short_of_memory_raises_its_bound_as_fast(case: Case) -> None:
    """Classes are forgotten before the order changes; only a second limit changes the order."""
    made = case.problem().part((0, 1, 2, 3))
    if made is None:
        return
    plenty, short, none = (SmallerLattice(*made) for _ in range(3))
    short.queue.without_classes, short.queue.depth_first = -1, 1 << 30
    none.queue.without_classes = none.queue.depth_first = -1
    while not plenty.done:
        for part in (plenty, short, none):
            part.advance(1)
        assert plenty.bound == short.bound
        assert plenty.evaluated == short.evaluated
        assert none.bound <= plenty.bound or none.done
    assert short.done
    while not none.done:
        none.advance(1)
    assert none.bound == plenty.bound


def every_bound(problem: FullDomainProblem) -> list[float]:
    """Give what parts say, after each few evaluations until they know all that they can."""
    said = []
    with taking_turns():
        parts = Parts(problem)
        while open_ones := parts.next(2):
            for part in open_ones:
                part.advance(2)
            parts.learn()
            said.append(parts.best_bound)
    return said


@sparing
@given(crowded_cases())
@example(crowded(46))
@example(crowded(850))
def test_no_policy_loses_less_than_parts_say(case: Case) -> None:
    """Whenever they are asked; and what they say does not fall."""
    problem = case.problem()
    said = every_bound(problem)
    assert said == sorted(said)
    best = definition.best(case)
    assert max(said, default=0.0) <= (inf if best is None else best.loss)


@sparing
@given(crowded_cases(), st.data())
def test_under_a_model_that_is_not_monotone_too(case: Case, data: st.DataObject) -> None:
    """Parts look at its monotone part alone."""
    model = Balanced(data.draw(histograms(case)))
    problem = case.problem(model)
    best = definition.best(case, balanced(model.histogram))
    assert max(every_bound(problem), default=0.0) <= (best.loss if best else inf)


def test_parts_say_something() -> None:
    """The table has a conflict between every two attributes."""
    said = [max(every_bound(crowded(seed).problem()), default=0.0) for seed in range(12)]
    assert sum(bound > 0.01 for bound in said) >= 3


@pytest.mark.parametrize(
    "aggregate", [GeometricMean(), ArithmeticMean(), GeometricMean((1, 2, 0, 5))]
)
def test_a_mean_is_the_mean_of_the_means_of_parts(aggregate: Aggregate) -> None:
    """By hand: four attributes in two halves; what is in no part loses nothing."""
    losses = [0.1, 0.9, 0.4, 0.25]
    halves = [part_of(aggregate, places, 4) for places in ((0, 2), (1, 3))]
    known = [(share, own(losses)) for own, share in filter(None, halves)]
    assert whole_of(aggregate, known) == pytest.approx(aggregate(losses), abs=1e-14)
    share, loss = known[0]
    zeros = [0.1, 0.0, 0.4, 0.0]
    assert whole_of(aggregate, [(share, loss)]) == pytest.approx(aggregate(zeros), abs=1e-14)


def test_what_weighs_nothing_is_no_part() -> None:
    """The same is true for a part of an aggregate other than a mean."""
    assert part_of(ArithmeticMean((0, 1)), (0,), 2) is None
    assert part_of(GeometricMean((0, 1)), (1,), 2) == (GeometricMean((0.0, 1.0)), 1.0)


def test_halves_of_a_geometric_mean_by_hand() -> None:
    """Losses of 0.2 and 0.5 in halves: the root of 1.2 * 1.5, less 1."""
    found = whole_of(GeometricMean(), [(0.5, 0.2), (0.5, 0.5)])
    assert log1p(found) == pytest.approx((log1p(0.2) + log1p(0.5)) / 2)


def search(problem: FullDomainProblem, dives: int, **settings: Any) -> Outcome[Levels]:  # noqa: ANN401 - Control's
    """Search with turns for parts and neighborhoods."""
    with diving(dives), taking_turns():
        return Exact().run(problem, Control(**settings))


@one_dive_or_two
@sparing
@given(crowded_cases())
@example(crowded(46))
@example(crowded(850))
def test_in_turns_with_all_of_it_the_optimum_is_that_of_enumeration(dives: int, case: Case) -> None:
    """Parts and neighborhoods settle nothing, so the proof is what it was."""
    outcome = search(case.problem(), dives)
    expected = definition.best(case)
    assert outcome.ending == "complete"
    if expected is None:
        assert outcome.best is None
        assert outcome.lower_bound == inf
        return
    assert outcome.best is not None
    assert outcome.best.policy == expected.levels
    assert outcome.lower_bound == outcome.best.loss
    assert outcome.optimal
    assert outcome.first_met <= outcome.evaluated


@one_dive_or_two
@unhurried
@given(crowded_cases())
@example(crowded(46))
def test_in_turns_progress_never_promises_too_much(dives: int, case: Case) -> None:
    """The optimum lies between bound and best, at each report."""
    reports: list[Progress] = []
    outcome = search(case.problem(), dives, report=reports.append, interval=0.0)
    optimum = outcome.best.loss if outcome.best else inf
    for report in reports:
        assert report.lower_bound <= optimum
        assert optimum <= (report.best.loss if report.best else inf)


@one_dive_or_two
@unhurried
@given(crowded_cases(), st.integers(1, 60))
@example(crowded(46), 30)
def test_in_turns_two_runs_do_the_same(dives: int, case: Case, budget: int) -> None:
    """Turns are given by counting, whatever budget ends them."""
    first, second = (search(case.problem(), dives, budget=budget) for _ in range(2))
    for fact in ("best", "lower_bound", "evaluated", "first_met", "ending"):
        assert getattr(first, fact) == getattr(second, fact)
