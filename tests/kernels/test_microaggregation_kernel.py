"""MDAV against the textbook's on records, and against a plain twin where points have owners."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from microaggregated import OwnedPoints, least_within, textbook
from numpy.typing import NDArray

from roadstead.kernels.microaggregation import grouped_by_mdav, grouped_on_a_line

Groups = list[list[int]]


def as_groups(found: NDArray[np.int64]) -> Groups:
    """List the points of each group."""
    return sorted(np.flatnonzero(found == number).tolist() for number in np.unique(found))


def by_kernel(own: OwnedPoints, k: int, *, line: bool = False) -> Groups:
    """Lay points out as the kernels want them."""
    points = np.array(own.points, dtype=np.float64)
    starts = np.cumsum([0, *map(len, own.owners)]).astype(np.int64)
    owners = np.array([one for each in own.owners for one in sorted(each)], dtype=np.int64)
    given_ = (np.array(own.weights, dtype=np.int64), starts, owners, int(owners.max()) + 1, k)
    if line:
        return as_groups(grouped_on_a_line(points[:, 0].copy(), *given_))
    return as_groups(grouped_by_mdav(points, *given_))


def alone(points: Sequence[tuple[float, ...]]) -> OwnedPoints:
    """Give each point one record, of an owner of its own."""
    return OwnedPoints(list(points), [1] * len(points), [{at} for at in range(len(points))])


@pytest.mark.quick(4)
@pytest.mark.parametrize("seed", range(12))
def test_groups_are_those_of_the_textbook(seed: int) -> None:
    """Records that all differ, in one to four dimensions."""
    chance = random.Random(seed)  # noqa: S311 - of a test
    dimensions, k = chance.randint(1, 4), chance.randint(2, 7)
    points = sorted(
        tuple(chance.gauss(0, 1) for _ in range(dimensions)) for _ in range(chance.randint(1, 90))
    )
    assert by_kernel(alone(points), k) == textbook(points, k)


def test_an_example_by_hand() -> None:
    """Of 1, 2, 3, 10, 11, 12, 30, 31, 40 and k = 3: 40 is farthest from the mean of 15.6."""
    points = [(float(one),) for one in (1, 2, 3, 10, 11, 12, 30, 31, 40)]
    expected = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert by_kernel(alone(points), 3) == expected
    assert by_kernel(alone(points), 3, line=True) == expected


def test_fewer_than_twice_k_are_one_group() -> None:
    """A group is not split if it cannot be two groups."""
    points = [(float(one),) for one in range(5)]
    assert by_kernel(alone(points), 3) == [[0, 1, 2, 3, 4]]


@st.composite
def owned(draw: st.DrawFn, dimensions: int | None = None) -> OwnedPoints:
    """Draw points with records of owners who may have several points, and points of several."""
    width = dimensions or draw(st.integers(1, 3))
    numbers = st.tuples(*[st.integers(0, 9).map(float)] * width)
    points = sorted(draw(st.sets(numbers, min_size=1, max_size=30)))
    everybody = draw(st.integers(1, 60))
    owners = [draw(st.sets(st.integers(0, everybody - 1), min_size=1, max_size=6)) for _ in points]
    weights = [len(own) + draw(st.integers(0, 3)) for own in owners]
    return OwnedPoints(points, weights, owners)


@examples(120)
@given(owned(), st.integers(2, 6))
def test_groups_are_those_of_the_twin(own: OwnedPoints, k: int) -> None:
    """For any owners of points; each group has k owners, if there are so many at all."""
    found = by_kernel(own, k)
    assert found == own.grouped(k)
    assert sorted(at for group in found for at in group) == list(range(len(own.points)))
    if len(own.of(range(len(own.points)))) >= k:
        assert all(len(own.of(group)) >= k for group in found)


@examples(80)
@given(owned(1), st.integers(2, 6))
def test_one_pass_along_a_line_gives_the_same(own: OwnedPoints, k: int) -> None:
    """The quick way for one column is MDAV too, and its groups are without gaps."""
    found = by_kernel(own, k, line=True)
    assert found == own.grouped(k)
    assert all(group == list(range(group[0], group[-1] + 1)) for group in found)


@examples(40)
@given(
    st.lists(st.integers(0, 200), min_size=6, max_size=40, unique=True),
    st.integers(2, 4),
)
def test_no_grouping_of_a_line_loses_less_than_the_optimum(values: list[int], k: int) -> None:
    """MDAV is a heuristic; dynamic programming says how little could be lost."""
    numbers = sorted(map(float, values))
    lost = 0.0
    for group in by_kernel(alone([(one,) for one in numbers]), k, line=True):
        own = [numbers[at] for at in group]
        lost += sum((one - sum(own) / len(own)) ** 2 for one in own)
    assert lost >= least_within(numbers, k) - 1e-9
