"""The bounds that pruning rests on, for every a <= y <= b of random lattices."""

from __future__ import annotations

import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, chains

from roadstead.search.evaluation import evaluate, start


@thorough
@given(cases(), st.data())
def test_no_policy_of_a_sublattice_loses_less_than_its_bound(
    case: Case, data: st.DataObject
) -> None:
    """The bound is had from the lower end and from what the upper end suppresses."""
    problem = case.unlimited()
    lower, between, upper = data.draw(chains(case))
    at_upper = evaluate(problem, upper, start(problem))
    inside = evaluate(problem, between, start(problem))
    bound = problem.quality.lower_bound(lower, at_upper.levels, at_upper.tally, at_upper.kept)
    assert bound <= problem.quality.loss(between, inside.tally, inside.kept)


@unhurried
@given(cases(), st.data())
def test_records_suppressed_at_the_top_of_a_sublattice_are_suppressed_in_all_of_it(
    case: Case, data: st.DataObject
) -> None:
    """So a search may leave their rows out, and may drop what suppresses too many."""
    problem = case.unlimited()
    _, between, upper = data.draw(chains(case))
    at_upper = evaluate(problem, upper, start(problem))
    inside = evaluate(problem, between, start(problem))
    assert set(inside.kept.rows.tolist()) <= set(at_upper.kept.rows.tolist())
    assert inside.suppressed >= at_upper.suppressed


@unhurried
@given(cases(), st.data())
def test_a_bound_at_the_policy_itself_is_its_loss(case: Case, data: st.DataObject) -> None:
    """A sublattice of one policy is settled by its bound."""
    problem = case.unlimited()
    levels, _, _ = data.draw(chains(case))
    here = evaluate(problem, levels, start(problem))
    bound = problem.quality.lower_bound(levels, levels, here.tally, here.kept)
    assert bound == problem.quality.loss(levels, here.tally, here.kept)


@unhurried
@given(cases(), st.data())
def test_bounds_with_one_component_raised_are_those_of_the_raised_policy(
    case: Case, data: st.DataObject
) -> None:
    """One for each level up to the upper end, not falling with the level."""
    problem = case.unlimited()
    quality = problem.quality
    lower, _, upper = data.draw(chains(case))
    at_upper = evaluate(problem, upper, start(problem))
    tally, kept = at_upper.tally, at_upper.kept
    raised = quality.raised_bounds(lower, upper, tally, kept)
    for i, (low, high, bounds) in enumerate(zip(lower, upper, raised, strict=True)):
        expected = [
            quality.lower_bound((*lower[:i], level, *lower[i + 1 :]), upper, tally, kept)
            for level in range(low + 1, high + 1)
        ]
        # Relative to 1 + loss, which is what the means multiply.
        assert bounds == pytest.approx(expected, rel=0, abs=1e-12)
        assert bounds == sorted(bounds)
