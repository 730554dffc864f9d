"""Partitions of ordered domains, as bits, labels and intervals."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.partition import OrderedDomains, Partition, is_below

Drawn = tuple[OrderedDomains, list[int]]


@st.composite
def partitions(draw: st.DrawFn) -> Drawn:
    """Domains of up to four attributes, and a bit string."""
    sizes = draw(st.lists(st.integers(1, 70), min_size=1, max_size=4))
    domains = OrderedDomains(tuple("abcd"[: len(sizes)]), tuple(sizes))
    length = sum(sizes) - len(sizes)
    return domains, draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))


def test_bits_decode_as_published() -> None:
    """Five values, 1001: {1}, {2, 3, 4}, {5}; ten ages, 010001000: {1-2}, {3-6}, {7-10}."""
    five = OrderedDomains(("a",), (5,))
    partition = five.of_bits([1, 0, 0, 1])
    assert five.labels(partition)[0].tolist() == [0, 1, 1, 1, 2]
    assert five.intervals(partition) == (((0, 0), (1, 3), (4, 4)),)
    ages = OrderedDomains(("age",), (10,))
    assert ages.intervals(ages.of_bits([0, 1, 0, 0, 0, 1, 0, 0, 0])) == (((0, 1), (2, 5), (6, 9)),)


def test_bits_of_attributes_stand_in_a_row() -> None:
    """Age of four values and gender of two: 010|1."""
    domains = OrderedDomains(("age", "gender"), (4, 2))
    partition = domains.of_bits([0, 1, 0, 1])
    assert domains.intervals(partition) == (((0, 1), (2, 3)), ((0, 0), (1, 1)))
    assert [domains.place(b) for b in range(4)] == [(0, 1), (0, 2), (0, 3), (1, 1)]
    assert partition.rank == 2
    assert 1 in partition
    assert 2 not in partition


@unhurried
@given(partitions())
def test_bits_labels_and_intervals_say_the_same(drawn: Drawn) -> None:
    """Labels count the ones from the left; an interval holds the values of one label."""
    domains, bits = drawn
    partition = domains.of_bits(bits)
    assert domains.bits(partition).tolist() == list(map(bool, bits))
    assert partition.rank == sum(bits)
    assert domains.of_boundaries(b for b, bit in enumerate(bits) if bit) == partition
    begin = 0
    described = zip(domains.sizes, domains.labels(partition), domains.intervals(partition))  # noqa: B905 - lengths are checked below
    for size, labels, intervals in described:
        assert labels.tolist() == [0, *accumulate(bits[begin : begin + size - 1])]
        begin += size - 1
        values = [(label, v) for label, (a, b) in enumerate(intervals) for v in range(a, b + 1)]
        assert values == list(zip(labels.tolist(), range(size), strict=True))
    assert begin == len(bits) == domains.boundaries
    assert len(domains.labels(partition)) == len(domains.intervals(partition)) == len(domains.sizes)


@unhurried
@given(partitions())
def test_a_boundary_is_found_by_its_place(drawn: Drawn) -> None:
    """Attribute and value lead to the boundary and back."""
    domains, bits = drawn
    for b in range(len(bits)):
        assert domains.boundary(*domains.place(b)) == b


@unhurried
@given(partitions(), st.data())
def test_below_means_to_keep_every_boundary(drawn: Drawn, data: st.DataObject) -> None:
    """Bitwise less or equal is more general; all ones are below all, all zeros above."""
    domains, bits = drawn
    length = len(bits)
    other = data.draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))
    one, two = domains.of_bits(bits), domains.of_bits(other)
    assert is_below(one, two) == all(a >= b for a, b in zip(bits, other, strict=True))
    assert is_below(domains.most_specific, one)
    assert is_below(one, domains.most_general)
    assert domains.most_specific.rank == length
    assert domains.most_general.rank == 0


def test_domains_of_one_value_have_no_boundary() -> None:
    """One interval is all there is."""
    domains = OrderedDomains(("a", "b"), (1, 1))
    assert domains.boundaries == 0
    assert domains.most_general == domains.most_specific
    assert domains.intervals(domains.most_general) == (((0, 0),), ((0, 0),))


def test_thousands_of_values_are_as_good_as_ten() -> None:
    """A postal code, a year and a sex."""
    domains = OrderedDomains(("zip", "year", "sex"), (5349, 70, 2))
    bits = np.zeros(domains.boundaries, dtype=np.bool_)
    bits[::100] = True
    partition = domains.of_bits(bits)
    assert partition.rank == 55
    assert np.array_equal(domains.bits(partition), bits)


def test_what_does_not_fit_is_refused() -> None:
    """Each message says what would."""
    domains = OrderedDomains(("a", "b"), (3, 2))
    with pytest.raises(SettingError, match="one size for each"):
        OrderedDomains(("a",), (3, 2))
    with pytest.raises(SettingError, match="at least one"):
        OrderedDomains(("a",), (0,))
    with pytest.raises(SettingError, match="give 3 bits for these domains"):
        domains.of_bits([1, 0])
    with pytest.raises(SettingError, match="use 0 to 2"):
        domains.bits(Partition(8))
    with pytest.raises(SettingError, match="use 0 to 2"):
        domains.bits(Partition(-1))
    with pytest.raises(SettingError, match="use 0 to 2"):
        domains.place(3)
    with pytest.raises(SettingError, match="use 0 to 2"):
        domains.of_boundaries([3])
    with pytest.raises(SettingError, match="use 1 to 2"):
        domains.boundary(0, 3)
