"""The full-domain lattice: its order, its size, its limits."""

from __future__ import annotations

from itertools import product

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import levels_between

from roadstead.errors import SettingError
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.policies.full_domain import FullDomain, Levels, full_domain, is_below, rank


def hierarchy(attribute: str, height: int) -> Hierarchy:
    """Two values that become one at the last level."""
    columns = [("x", "y")] * (height - 1) + [("*", "*")]
    return from_columns(attribute, columns, origin="test")


HIERARCHIES = [hierarchy("age", 4), hierarchy("sex", 2), hierarchy("zip", 6)]


def test_the_lattice_spans_all_levels_of_the_hierarchies() -> None:
    """From the data as they are to nothing left."""
    space = full_domain(HIERARCHIES)
    assert space == FullDomain(("age", "sex", "zip"), (0, 0, 0), (3, 1, 5))
    assert space.size == 4 * 2 * 6


def test_limits_narrow_the_lattice_to_the_levels_allowed() -> None:
    """Attributes without a limit keep all of their levels."""
    space = full_domain(HIERARCHIES, minimum={"zip": 2}, maximum={"zip": 4, "age": 0})
    assert space.bottom == (0, 0, 2)
    assert space.top == (0, 1, 4)
    assert space.size == 1 * 2 * 3


def test_a_lattice_too_large_to_list_has_a_size() -> None:
    """Nothing is materialized."""
    assert FullDomain(tuple("abcdefghi"), (0,) * 9, (99,) * 9).size == 10**18


@unhurried
@given(st.data())
def test_a_lattice_holds_what_lies_between_its_ends(data: st.DataObject) -> None:
    """Listing, membership and size agree, and the list is in lexicographic order."""
    corners = st.tuples(*[st.integers(0, 3)] * 3)
    one, other = data.draw(corners), data.draw(corners)
    bottom, top = tuple(map(min, one, other)), tuple(map(max, one, other))
    space = FullDomain(("a", "b", "c"), bottom, top)
    listed = list(space)
    everything = list(product(range(4), repeat=3))
    assert listed == sorted(listed)
    assert listed == [levels for levels in everything if levels in space]
    assert space.size == len(listed)


@unhurried
@given(*[levels_between((0, 0, 0), (2, 2, 2))] * 3)
def test_policies_are_partially_ordered(a: Levels, b: Levels, c: Levels) -> None:
    """Reflexive, antisymmetric, transitive; rank grows strictly along the order."""
    assert is_below(a, a)
    assert not (is_below(a, b) and is_below(b, a)) or a == b
    assert not (is_below(a, b) and is_below(b, c)) or is_below(a, c)
    assert not (is_below(a, b) and a != b) or rank(a) < rank(b)


@pytest.mark.parametrize(
    ("minimum", "maximum", "said"),
    [
        ({"wage": 1}, {}, "a level limit names 'wage'"),
        ({}, {"wage": 1}, "did you mean 'age'?"),
        ({"sex": -1}, {}, "levels -1 to 1 of 'sex' are not within 0 to 1"),
        ({}, {"zip": 6}, "levels 0 to 6 of 'zip' are not within 0 to 5"),
        ({"age": 3}, {"age": 2}, "levels 3 to 2 of 'age' are not within 0 to 3"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(
    minimum: dict[str, int], maximum: dict[str, int], said: str
) -> None:
    """The message names the attribute and what it has."""
    with pytest.raises(SettingError) as caught:
        full_domain(HIERARCHIES, minimum, maximum)
    assert said in caught.value.message
