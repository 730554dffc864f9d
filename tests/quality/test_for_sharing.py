"""Shared losses are given in steps, bounds outwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.quality.aggregates import RankedLoss
from roadstead.quality.for_sharing import (
    coarse,
    coarse_at_least,
    coarse_at_most,
    coarse_bound,
    gap_between,
    loss_for_sharing,
    rounded_from,
    search_for_sharing,
)

LOSSES = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("loss", "down", "nearest", "up"),
    [
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 1.0, 1.0, 1.0),
        (0.2, 0.2, 0.2, 0.2),
        (0.138, 0.1, 0.1, 0.2),
        (0.224, 0.2, 0.2, 0.5),
        (0.452, 0.2, 0.5, 0.5),
        (0.7, 0.5, 0.8, 0.8),
        (0.86, 0.8, 0.9, 0.9),
        (0.99, 0.9, 0.9, 1.0),
        (0.0459, 0.02, 0.05, 0.05),
        (0.000312, 0.0002, 0.0002, 0.0005),
        (float("inf"), float("inf"), float("inf"), float("inf")),
    ],
)
def test_a_loss_is_told_as_a_step(loss: float, down: float, nearest: float, up: float) -> None:
    """1, 2 and 5 in each power of ten, and 80 and 90%."""
    assert (coarse_at_least(loss), coarse(loss), coarse_at_most(loss)) == (down, nearest, up)


@given(LOSSES)
def test_bounds_are_rounded_outwards(loss: float) -> None:
    """Fault class: a bound rounded inwards."""
    assert coarse_at_least(loss) <= loss <= coarse_at_most(loss)
    assert coarse(loss) in {coarse_at_least(loss), coarse_at_most(loss)}


@given(LOSSES)
def test_only_nothing_is_0_and_only_everything_is_1(loss: float) -> None:
    """The policy reveals these cases anyway, so they may be exact."""
    assert (coarse(loss) == 0.0) == (loss == 0.0)
    assert (coarse(loss) == 1.0) == (loss == 1.0)


@given(LOSSES, LOSSES)
def test_the_range_of_a_step_has_the_losses_that_are_rounded_to_it(
    one: float, other: float
) -> None:
    """And no others, so two releases with the same step may differ by the whole range."""
    low, high = rounded_from(one)
    assert low <= one <= high
    assert rounded_from(coarse(one)) == (low, high)
    if low < other < high:
        assert coarse(other) == coarse(one)
    elif other < low or other > high:
        assert coarse(other) != coarse(one)


@pytest.mark.parametrize(
    ("loss", "low", "high"),
    [(0.17, 0.15, 0.35), (0.21, 0.15, 0.35), (0.07, 0.035, 0.075), (0.99, 0.85, 1), (0, 0, 0)],
)
def test_the_range_of_a_step(loss: float, low: float, high: float) -> None:
    """By hand."""
    assert rounded_from(loss) == (low, high)


@given(LOSSES, LOSSES)
def test_a_bound_is_not_above_the_loss_that_it_bounds(one: float, other: float) -> None:
    """Though the loss is rounded to the nearest step; the bound of an optimum is its loss."""
    bound, loss = sorted((one, other))
    assert coarse_bound(bound, loss, optimal=False) <= min(coarse(loss), bound)
    assert coarse_bound(loss, loss, optimal=True) == coarse(loss)


def test_a_gap_has_no_error_of_rounding() -> None:
    """1 - 0.3 / 0.4 is a quarter, and not a little more, which a bound would be rounded up from."""
    assert gap_between(0.3, 0.4) == 0.25
    assert gap_between(0.4, 0.4) == gap_between(0.0, 0.0) == gap_between(0.5, 0.4) == 0.0
    assert gap_between(0.0, 0.4) == 1.0


@pytest.mark.parametrize("lost", [0.0, 0.2, 1.0])
def test_a_loss_of_several_numbers_is_shared_as_its_largest(lost: float) -> None:
    """Nothing lost of two attributes is nothing, though as a rank it is above a plain 0."""
    ranked = RankedLoss([lost, 0.0])
    assert coarse(ranked) == lost
    assert coarse_bound(ranked, ranked, optimal=False) == lost
    assert gap_between(lost, ranked) == gap_between(ranked, ranked) == 0.0
    assert gap_between(0.0, ranked) == (1.0 if lost else 0.0)


def test_what_a_certificate_says_keeps_its_keys() -> None:
    """Settings stay; figures are rounded; a search without a bound has none."""
    told = {"kind": "loss", "loss": 0.224, "by_attribute": {"age": 0.138, "sex": 1.0}}
    assert loss_for_sharing(told) == {
        "kind": "loss",
        "loss": 0.2,
        "by_attribute": {"age": 0.1, "sex": 1.0},
    }
    facts = {"name": "exact", "optimal": False, "lower_bound": 0.21, "gap": 0.0625, "evaluated": 7}
    assert search_for_sharing(facts, told) == facts | {"lower_bound": 0.2, "gap": 0.1}
    assert search_for_sharing({"area": 0.0836, "members": 3}, told) == {"area": 0.1, "members": 3}
