"""The probability of a value given the history of its class, compared with all histories."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from roadstead.attacks.recodings.posteriors import minimal, tight


def by_hand(
    chances: list[float], groups: list[int], records: int, holds: Callable[[list[int]], bool]
) -> list[float] | None:
    """Chance of each value of the first record, over all values of all records."""
    found = [0.0] * len(chances)
    for values in product(range(len(chances)), repeat=records):
        if holds([groups[value] for value in values]):
            found[values[0]] += float(np.prod([chances[value] for value in values]))
    total = sum(found)
    return [one / total for one in found] if total > 0.0 else None


@st.composite
def classes(draw: st.DrawFn) -> tuple[list[float], list[int], int, int]:
    """Chances, groups, records, k."""
    number = draw(st.integers(2, 4))
    weights = draw(st.lists(st.integers(1, 9), min_size=number, max_size=number))
    groups = sorted(draw(st.lists(st.integers(0, 3), min_size=number, max_size=number)))
    chances = [weight / sum(weights) for weight in weights]
    return chances, groups, draw(st.integers(2, 5)), draw(st.integers(2, 4))


@given(classes(), st.booleans())
@unhurried
def test_tight(drawn: tuple[list[float], list[int], int, int], intervals: bool) -> None:  # noqa: FBT001 - drawn
    """Both ends are there, or two children at least."""
    chances, groups, records, _ = drawn

    def holds(own: list[int]) -> bool:
        if intervals:
            return {min(groups), max(groups)} <= set(own)
        return len(set(groups)) == 1 or len(set(own)) > 1

    found = tight(np.array(chances), np.array(groups), records, intervals=intervals)
    expected = by_hand(chances, groups, records, holds) or chances
    assert found == pytest.approx(np.array(expected))


@given(classes(), st.booleans())
@unhurried
def test_minimal(drawn: tuple[list[float], list[int], int, int], intervals: bool) -> None:  # noqa: FBT001 - drawn
    """No child of k records, or no cut with k on either side."""
    chances, groups, records, k = drawn

    def holds(own: list[int]) -> bool:
        if len(set(groups)) == 1:
            return True
        if not intervals:
            return all(own.count(group) < k for group in groups)
        below = [sum(one <= cut for one in own) for cut in groups]
        return not any(k <= one <= records - k for one in below)

    found = minimal(np.array(chances), np.array(groups), records, k, intervals=intervals)
    expected = by_hand(chances, groups, records, holds) or chances
    assert found == pytest.approx(np.array(expected))


@pytest.mark.parametrize("records", [40, 4_000])
@pytest.mark.parametrize("intervals", [False, True])
def test_classes_of_thousands_of_records_are_computed(records: int, *, intervals: bool) -> None:
    """With two values, one of them has fewer than k records. Fault class: hours, or underflow."""
    k, chances = 5, np.array([0.001, 0.999])
    found = minimal(chances, np.array([0, 1]), records, k, intervals=intervals)
    alone = binom(records - 1, chances)  # of the other records, how many have the same value
    few = alone.cdf(k - 2)
    if intervals:  # no cut leaves k records on each side
        few = few + alone.sf(records - 1 - k)
        expected = chances * few / (chances * few).sum()
        assert found == pytest.approx(expected, rel=1e-6)
    else:  # no value has k records, which is impossible
        assert found == pytest.approx(chances)
