"""Least cost of lost records per class, compared with all ways to lose them."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.kernels.surely_lost import dearest_lost, most_alike, room_by_label

CLOSE = 1e-9


@st.composite
def parted(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Records of the rows of some classes, and how many are lost of each."""
    classes = draw(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=3))
    return classes, [draw(st.integers(0, sum(own))) for own in classes]


def flat(classes: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order of the rows, places of the classes, records of the rows."""
    counts = np.array([n for own in classes for n in own], dtype=np.int64)
    places = np.cumsum([0, *map(len, classes)]).astype(np.int64)
    return np.arange(counts.size, dtype=np.uint32), places, counts


def ways(classes: list[list[int]], lost: list[int]) -> list[list[int]]:
    """All numbers of records of each row with so many of each class."""
    found = []
    for taken in product(*[range(n + 1) for own in classes for n in own]):
        rest, fits = list(taken), True
        for own, number in zip(classes, lost, strict=True):
            fits &= sum(rest[: len(own)]) == number
            rest = rest[len(own) :]
        if fits:
            found.append(list(taken))
    return found


def n_log_n(n: int) -> float:
    """N ln n."""
    return n * log(n) if n else 0.0


@pytest.mark.nightly
@unhurried
@given(parted(), st.data())
def test_the_dearest_records_cost_as_much_as_any_way_to_lose_so_many(
    case: tuple[list[list[int]], list[int]], data: st.DataObject
) -> None:
    """The largest sum over all ways."""
    classes, lost = case
    order, places, counts = flat(classes)
    n = counts.size
    costs = np.array(data.draw(st.lists(st.integers(-3, 9), min_size=n, max_size=n)), dtype=float)
    most = max(sum(a * b for a, b in zip(way, costs, strict=True)) for way in ways(classes, lost))
    found = dearest_lost(order, places, counts, costs, np.array(lost, dtype=np.int64))
    assert abs(found - most) < CLOSE


@unhurried
@given(parted(), st.data())
def test_no_way_to_lose_so_many_makes_labels_more_alike(
    case: tuple[list[list[int]], list[int]], data: st.DataObject
) -> None:
    """With records known beforehand; and where classes are of one label each, it is exact."""
    classes, lost = case
    order, places, counts = flat(classes)
    n = counts.size
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    known = data.draw(st.lists(st.integers(0, 4), min_size=3, max_size=3))
    column = np.array(labels, dtype=np.uint32)
    lookup = np.arange(3, dtype=np.uint32)
    number = np.array(lost, dtype=np.int64)
    room = room_by_label(order, places, counts, column, lookup, 3, number)
    found = most_alike(np.array(known, dtype=np.int64), room, sum(lost))
    sums = []
    for way in ways(classes, lost):
        with_them = [
            n + sum(a for a, own in zip(way, labels, strict=True) if own == label)
            for label, n in enumerate(known)
        ]
        sums.append(sum(map(n_log_n, with_them)))
    assert max(sums) <= found + CLOSE
    if sum(room) == sum(lost):
        assert abs(max(sums) - found) < CLOSE
