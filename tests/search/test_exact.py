"""Exact search against the enumeration of every policy by the definition."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import definition
import pytest
from diving import diving, one_dive_or_two
from effort import sparing, thorough, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from lattices import Admits, Attribute, Case, cases, crowded, crowded_cases
from toy_models import Balanced, DistinctValues, EvenClasses, balanced, distinct, even, histograms

from roadstead.policies.full_domain import Levels, is_below
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.search.evaluation import evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome


def check(case: Case, outcome: Outcome[Levels], admits: Admits | None = None) -> None:
    """The same policy with the same figures, proven, or none, proven too."""
    expected = definition.best(case, admits)
    assert outcome.ending == "complete"
    assert 1 <= outcome.evaluated <= len(list(definition.policies(case)))
    if expected is None:
        assert outcome.best is None
        assert outcome.lower_bound == inf
        assert not outcome.optimal
        return
    assert outcome.best is not None
    assert outcome.best.policy == expected.levels
    assert outcome.best.suppressed == expected.suppressed
    assert outcome.best.loss == pytest.approx(expected.loss, rel=0, abs=1e-12)
    assert outcome.optimal
    assert outcome.lower_bound == outcome.best.loss
    assert outcome.gap == 0.0
    assert 1 <= outcome.first_met <= outcome.evaluated


@thorough
@given(cases())
def test_the_optimum_is_that_of_enumerating_every_policy(case: Case) -> None:
    """Both means, any weights, limits, counts, hierarchies and ranges of levels."""
    check(case, Exact().run(case.problem(), Control()))


@one_dive_or_two
@sparing
@given(crowded_cases())
@example(crowded(850))  # two policies lose 7/12 and differ only by rounding
def test_the_optimum_is_that_of_enumeration_on_larger_lattices(dives: int, case: Case) -> None:
    """Four attributes of three or four levels each; also with two dives side by side."""
    with diving(dives):
        check(case, Exact().run(case.problem(), Control()))


def models(data: st.DataObject, case: Case) -> tuple[BoundPrivacy, Admits]:
    """Draw one of the models the engine does not know, with its condition in plain Python."""
    histogram = data.draw(histograms(case), label="histogram")
    known: list[tuple[BoundPrivacy, Admits]] = [
        (EvenClasses(), even(case)),
        (DistinctValues(2, histogram), distinct(2, histogram)),
        (DistinctValues(3, histogram), distinct(3, histogram)),
        (Balanced(histogram), balanced(histogram)),
    ]
    return data.draw(st.sampled_from(known), label="model")


@thorough
@given(cases(), st.data())
def test_a_privacy_model_is_added_without_touching_the_search(
    case: Case, data: st.DataObject
) -> None:
    """Monotone or not, by sizes or by another column: the optimum is that of enumeration."""
    model, admits = models(data, case)
    check(case, Exact().run(case.problem(model), Control()), admits)


@unhurried
@given(cases(), st.data())
def test_an_evaluation_counts_what_the_whole_model_suppresses(
    case: Case, data: st.DataObject
) -> None:
    """Not only what its monotone part does: that bounds it from below."""
    model, admits = models(data, case)
    problem = case.problem(model)
    for levels in problem.space:
        found = evaluate(problem, levels, start(problem))
        expected = definition.judge(case, levels, admits)
        assert found.suppressed <= expected.suppressed
        assert (found.candidate is None) == (expected.suppressed > case.limit)
        if found.candidate is not None:
            assert found.candidate.policy == levels
            assert found.candidate.suppressed == expected.suppressed
            assert found.candidate.loss == pytest.approx(expected.loss, rel=0, abs=1e-12)


TWINS = tuple(
    Attribute(name, ("u", "v"), (("u", "v"), ("*", "*")), (1, 1)) for name in ("a", "b", "c")
)


def twins(rows: dict[tuple[str, str, str], int], k: int, limit: int) -> Case:
    """Three attributes of two values, arithmetic mean."""
    return Case(
        attributes=TWINS,
        rows=tuple(sorted(rows)),
        counts=tuple(rows[row] for row in sorted(rows)),
        k=k,
        limit=limit,
        aggregate="arithmetic",
        weights=None,
        bottom=(0, 0, 0),
        top=(1, 1, 1),
    )


def test_of_equal_losses_and_ranks_the_first_in_lexicographic_order_is_chosen() -> None:
    """Any one of three attributes must go; the last is generalized."""
    one_apart = {("u", "u", "u"): 1, ("v", "u", "u"): 1, ("u", "v", "u"): 1, ("u", "u", "v"): 1}
    others = {("v", "v", "v"): 1, ("u", "v", "v"): 1, ("v", "u", "v"): 1, ("v", "v", "u"): 1}
    outcome = Exact().run(twins(one_apart | others, k=2, limit=0).problem(), Control())
    assert outcome.best is not None
    assert outcome.best.policy == (0, 0, 1)


def test_of_equal_losses_the_lower_rank_is_chosen() -> None:
    """Where everything is suppressed anyway, nothing is generalized in vain."""
    case = twins({("u", "u", "u"): 1, ("v", "v", "v"): 1}, k=3, limit=2)
    outcome = Exact().run(case.problem(), Control())
    assert outcome.best is not None
    assert outcome.best.policy == (0, 0, 0)
    assert outcome.best.loss == 1.0


def test_a_table_smaller_than_k_has_no_policy() -> None:
    """One evaluation, of the top, is the proof."""
    outcome = Exact().run(twins({("u", "u", "u"): 2}, k=3, limit=1).problem(), Control())
    assert outcome.best is None
    assert outcome.lower_bound == inf
    assert (outcome.evaluated, outcome.first_met) == (1, 0)
    assert outcome.gap == 1.0


def test_rows_that_all_agree_are_released_as_they_are() -> None:
    """The bottom is optimal at no loss."""
    outcome = Exact().run(twins({("u", "v", "u"): 9}, k=5, limit=0).problem(), Control())
    assert outcome.best is not None
    assert outcome.best.policy == (0, 0, 0)
    assert outcome.best.loss == 0.0


def test_only_the_levels_allowed_are_searched() -> None:
    """The best policy is not below the minimum, and losses count as in the whole hierarchy."""
    case = twins({("u", "v", "u"): 9}, k=5, limit=0)
    narrowed = replace(case, bottom=(0, 1, 0), top=(1, 1, 0))
    outcome = Exact().run(narrowed.problem(), Control())
    assert outcome.best is not None
    assert outcome.best.policy == (0, 1, 0)
    assert is_below(narrowed.bottom, outcome.best.policy)
    assert outcome.best.loss == pytest.approx(1 / 3)
