"""Marks of policies against a dictionary of all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.full_domain import FullDomain, Levels, is_below
from roadstead_reproductions.searches.ledger import (
    MOST_POLICIES,
    Tags,
    levels_of,
    sums,
    too_many,
)

WAYS = ("one", "up", "down")


@st.composite
def spaces(draw: st.DrawFn) -> FullDomain:
    """Lattices of up to 64 policies that may begin above the original data."""
    ends = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=3))
    bottom = tuple(low for low, _ in ends)
    return FullDomain(tuple("abc"[: len(ends)]), bottom, tuple(low + more for low, more in ends))


@given(spaces(), st.data())
def test_marks_reach_what_is_above_or_below_and_nothing_else(
    space: FullDomain, data: st.DataObject
) -> None:
    """Several marks of one policy are kept together."""
    policies = list(space)
    tags = Tags(space)
    expected = dict.fromkeys(policies, 0)
    steps = st.tuples(st.sampled_from(policies), st.sampled_from(WAYS), st.sampled_from([1, 2, 4]))
    for levels, way, mark in data.draw(st.lists(steps, max_size=6)):
        {"one": tags.mark, "up": tags.mark_up, "down": tags.mark_down}[way](levels, mark)
        for other in policies:
            if reached(way, levels, other):
                expected[other] |= mark
    assert {levels: tags[levels] for levels in policies} == expected
    low, high = data.draw(st.sampled_from(policies)), data.draw(st.sampled_from(policies))
    between = [other for other in policies if is_below(low, other) and is_below(other, high)]
    if between:
        assert tags.unmarked(low, high) == any(expected[other] == 0 for other in between)


def reached(way: str, levels: Levels, other: Levels) -> bool:
    """Whether a mark given in this way is for another policy too."""
    if way == "one":
        return levels == other
    return is_below(levels, other) if way == "up" else is_below(other, levels)


@given(spaces())
def test_numbers_stand_for_policies_in_lexicographic_order(space: FullDomain) -> None:
    """And sums are laid out in the same order."""
    policies = list(space)
    assert levels_of(space, np.arange(len(policies))) == policies
    ranges = [
        np.arange(low, high + 1, dtype=np.float64)
        for low, high in zip(space.bottom, space.top, strict=True)
    ]
    assert sums(ranges).tolist() == [sum(levels) for levels in policies]


def test_lattices_too_large_for_memory_or_arrays_are_told() -> None:
    """With the number, and with what takes them."""
    assert too_many(FullDomain(("a",), (0,), (MOST_POLICIES - 1,))) is None
    told = too_many(FullDomain(("a",), (0,), (MOST_POLICIES,)))
    assert told is not None
    assert f"{MOST_POLICIES + 1:,}" in told
    many = FullDomain(tuple(f"a{i}" for i in range(65)), (0,) * 65, (0,) * 65)
    told = too_many(many)
    assert told is not None
    assert "65" in told
