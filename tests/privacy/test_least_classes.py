"""The least size of a class that holds a block, compared with all such classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import ceil, log

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.privacy.least_classes import (
    least_for_largest,
    least_near,
    least_under_caps,
    most_mixed_share,
    smallest_under_caps,
)

MOST = 9
"""Largest count of a value in a tested class."""
BLOCKS = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)
SHARES = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]), min_size=3, max_size=3)


def entries(block: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give a block of three values as the functions take it."""
    codes = np.flatnonzero(block).astype(np.int32)
    return np.array([0, codes.size]), codes, np.array(block, dtype=np.int64)[codes]


def smallest(block: list[int], admits: Callable[[tuple[int, ...]], bool]) -> float:
    """Records of the smallest class with the block that is admitted, of those tried."""
    parts = product(*[range(n, MOST + 1) for n in block])
    return min((sum(part) for part in parts if admits(part)), default=float("inf"))


@unhurried
@given(BLOCKS, SHARES)
def test_under_caps(block: list[int], caps: list[float]) -> None:
    """No class with the block has fewer records, nor has any class that there is."""

    def admits(part: tuple[int, ...]) -> bool:
        return all(n <= cap * sum(part) for n, cap in zip(part, caps, strict=True))

    found = least_under_caps(*entries(block), np.array(caps))[0]
    least = smallest(block, admits)
    assert ceil(found) <= least
    assert smallest_under_caps(np.array(caps)) <= least


@pytest.mark.parametrize(
    ("caps", "expected"),
    [([0.5, 0.5], 2), ([0.25] * 4, 4), ([0.4, 0.4, 0.4], 3), ([0.3] * 3, 1000)],
)
def test_the_smallest_class_under_caps(caps: list[float], expected: int) -> None:
    """One record of each; caps of less than 1 together allow none of those tried."""
    assert smallest_under_caps(np.array(caps)) == expected


@unhurried
@given(BLOCKS, SHARES, st.sampled_from([0.05, 0.2, 0.4]))
def test_near_a_distribution(block: list[int], weights: list[float], near: float) -> None:
    """By the total variation; where one value exceeds its share alone it is as small as can be."""
    shares = np.array(weights) / sum(weights)

    def admits(part: tuple[int, ...]) -> bool:
        return float(np.maximum(np.array(part) / sum(part) - shares, 0.0).sum()) <= near

    found = least_near(*entries(block), shares, near)[0]
    assert ceil(found * (1 - 1e-9)) <= smallest(block, admits)
    over = np.maximum(np.array(block) / found - shares, 0.0).sum()
    assert over <= near + 1e-6


@unhurried
@given(BLOCKS, st.sampled_from([1.3, 2.0, 2.5]))
def test_for_an_entropy(block: list[int], values: float) -> None:
    """A class of three values with the block whose entropy is at least that of so many."""

    def admits(part: tuple[int, ...]) -> bool:
        shares = [n / sum(part) for n in part if n]
        return -sum(p * log(p) for p in shares) >= log(values)

    starts, _, counts = entries(block)
    found = least_for_largest(starts, counts, most_mixed_share(3, log(values)))[0]
    assert ceil(found * (1 - 1e-9)) <= smallest(block, admits)


def test_the_largest_share_of_an_entropy() -> None:
    """Of two values with an entropy of ln 2 each has half; of one value there is none."""
    assert most_mixed_share(2, log(2)) == pytest.approx(0.5, abs=1e-4)
    share = most_mixed_share(4, log(2))
    others = (1 - share) / 3
    assert -share * log(share) - 3 * others * log(others) == pytest.approx(log(2), abs=1e-6)
    assert most_mixed_share(1, log(2)) == 1.0
