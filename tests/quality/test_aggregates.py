"""The means that make one loss of those of the attributes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import inf, nan

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.quality.aggregates import (
    Aggregate,
    ArithmeticMean,
    GeometricMean,
    Maximum,
    Ranked,
    RankedLoss,
    Sum,
)

BOTH = pytest.mark.parametrize("mean", [GeometricMean, ArithmeticMean, Sum])
Mean = Callable[[tuple[float, ...] | None], Aggregate]

LOSS = st.integers(0, 10**10).map(lambda units: units / 1e10)
WEIGHT = st.integers(0, 5).map(float)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[list[float], tuple[float, ...] | None]:
    """Losses of one to nine attributes, with weights or without."""
    losses = draw(st.lists(LOSS, min_size=1, max_size=9))
    size = len(losses)
    weights = st.lists(WEIGHT, min_size=size, max_size=size).filter(any).map(tuple)
    return losses, draw(st.none() | weights)


def test_the_published_losses_of_attributes_make_the_published_loss() -> None:
    """Adult with nine quasi-identifiers, paper 003."""
    losses = [0.0458524, 0.22897163, 0.0458524, 0.0458524, 0.39696528]
    losses += [0.30697318, 0.318466, 1.0, 0.0458524]
    assert 1 - GeometricMean()(losses) == pytest.approx(0.7570844289429579, abs=2e-8)
    assert 1 - ArithmeticMean()(losses) == pytest.approx(0.72946827, abs=2e-8)


@BOTH
@unhurried
@given(weighted())
def test_a_mean_lies_between_the_smallest_and_the_largest_loss(
    mean: Mean, example: tuple[list[float], tuple[float, ...] | None]
) -> None:
    """Only attributes with a weight count."""
    losses, weights = example
    counted = [loss for loss, w in zip(losses, weights or losses, strict=True) if w or not weights]
    assert min(counted) - 1e-14 <= mean(weights)(losses) <= max(counted) + 1e-14


@BOTH
@unhurried
@given(weighted(), st.data())
def test_a_mean_grows_with_each_loss(
    mean: Mean, example: tuple[list[float], tuple[float, ...] | None], data: st.DataObject
) -> None:
    """Never the other way, by not so much as a rounding: bounds rest on it."""
    losses, weights = example
    higher = data.draw(st.lists(LOSS, min_size=len(losses), max_size=len(losses)))
    larger = list(map(max, losses, higher))
    assert mean(weights)(losses) <= mean(weights)(larger)


@BOTH
@unhurried
@given(weighted())
def test_a_whole_weight_counts_an_attribute_so_many_times(
    mean: Mean, example: tuple[list[float], tuple[float, ...] | None]
) -> None:
    """No weights are weights of one; a weight of zero leaves the attribute out."""
    losses, weights = example
    repeated = [
        loss
        for loss, times in zip(losses, weights or (1.0,) * len(losses), strict=True)
        for _ in range(int(times))
    ]
    assert mean(weights)(losses) == pytest.approx(mean(None)(repeated), abs=1e-14)


@BOTH
@pytest.mark.parametrize("factor", [1e-300, 0.1, 3.0, 1e308])
def test_only_the_proportions_of_weights_matter(mean: Mean, factor: float) -> None:
    """However small or large their unit."""
    losses = [0.5, 0.25, 0.75]
    once = mean((1.0, 0.5, 1.0))(losses)
    assert mean((factor, factor / 2, factor))(losses) == pytest.approx(once, abs=1e-14)


@BOTH
@unhurried
@given(weighted(), st.lists(st.lists(LOSS, max_size=4), min_size=9, max_size=9))
def test_replacing_one_loss_is_aggregating_afresh(
    mean: Mean,
    example: tuple[list[float], tuple[float, ...] | None],
    others: list[list[float]],
) -> None:
    """For every attribute and every value it is replaced by."""
    losses, weights = example
    aggregate = mean(weights)
    others = [sorted(own) for own in others[: len(losses)]]
    replaced = aggregate.replaced(losses, others)
    afresh = [
        [aggregate([*losses[:i], other, *losses[i + 1 :]]) for other in own]
        for i, own in enumerate(others)
    ]
    assert [len(own) for own in replaced] == [len(own) for own in others]
    for found, expected in zip(replaced, afresh, strict=True):
        # Relative to 1 + loss: that is what is multiplied.
        assert found == pytest.approx(expected, rel=0, abs=1e-12)
        assert found == sorted(found)


@BOTH
@pytest.mark.parametrize("weights", [(1.0, -1.0), (nan, 1.0), (1.0, inf), (0.0, 0.0), ()])
def test_weights_that_are_none_are_refused(mean: Mean, weights: tuple[float, ...]) -> None:
    """Negative, not a number, without bound, or all zero."""
    with pytest.raises(SettingError, match="weights: attribute weights must be finite"):
        mean(weights)


def test_the_means_have_the_names_of_the_command_line() -> None:
    """And keep the weights as given."""
    assert GeometricMean().name == "geometric"
    assert ArithmeticMean().name == "arithmetic"
    assert ArithmeticMean((1.0, 2.0)).weights == (1.0, 2.0)


@unhurried
@given(weighted(), st.data())
def test_the_maximum_and_the_rank_grow_with_each_loss(
    example: tuple[list[float], tuple[float, ...] | None], data: st.DataObject
) -> None:
    """And with one replaced they are what they are afresh."""
    losses, weights = example
    higher = [max(a, data.draw(LOSS)) for a in losses]
    for kind in (Maximum, Ranked):
        mean = kind(weights)
        assert mean(losses) <= mean(higher)
        found = mean.replaced(losses, [[one] for one in higher])
        for i, own in enumerate(found):
            assert own == [mean([*losses[:i], higher[i], *losses[i + 1 :]])]


@unhurried
@given(st.lists(LOSS, min_size=3, max_size=3), st.lists(LOSS, min_size=3, max_size=3))
def test_the_rank_compares_from_the_largest_down(one: list[float], other: list[float]) -> None:
    """As lists in falling order do, also after rounding and in another process."""
    mean = Ranked()
    assert (mean(one) < mean(other)) == (sorted(one)[::-1] < sorted(other)[::-1])
    assert float(mean(one)) == max(one)
    assert pickle.loads(pickle.dumps(mean(one))) == mean(one)  # noqa: S301 - our own
    assert round(mean(one), 12) == mean(one)


def test_the_example_of_the_page() -> None:
    """Equal by the largest, distinguished by the next."""
    first, second = [0.5, 0.1, 0.4], [0.5, 0.45, 0.0]
    assert Ranked()(first) < Ranked()(second)
    assert Maximum()(first) == Maximum()(second) == 0.5
    assert ArithmeticMean()(first) > ArithmeticMean()(second)
    assert Sum()(first) == ArithmeticMean()(first)


def test_a_plain_number_bounds_a_ranked_one() -> None:
    """It says nothing of the others, so it is never above."""
    ranked = RankedLoss([0.5, 0.0])
    assert 0.5 < ranked < 0.6
    assert not ranked < 0.5
    assert max(0.5, ranked) is ranked
    assert min(inf, ranked) is ranked
    assert ranked != 0.5
