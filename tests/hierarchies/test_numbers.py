"""Hierarchies over numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.numbers import cuts, intervals
from roadstead.hierarchies.rules import Identity

AGES = [str(age) for age in range(17, 91)]


def _leaves(hierarchy: Hierarchy, level: int) -> dict[str, int]:
    chosen = hierarchy.levels[level]
    return dict(zip(chosen.labels, chosen.leaves.tolist(), strict=True))


def test_bands_cover_their_width_clipped_to_the_range() -> None:
    """Over ages 17 to 90 the band 15-19 covers three values, 20-24 five, 90-94 one."""
    hierarchy = intervals("age", AGES, [5, 10])
    leaves = _leaves(hierarchy, 1)
    assert (leaves["15-19"], leaves["20-24"], leaves["90-94"]) == (3, 5, 1)
    assert hierarchy.domain_size == 74
    assert set(_leaves(hierarchy, 0).values()) == {1}


def test_width_does_not_depend_on_what_was_observed_inside() -> None:
    """Two observed ages in a band of five make it no narrower."""
    hierarchy = intervals("age", ["0", "21", "23", "99"], [5])
    assert _leaves(hierarchy, 1)["20-24"] == 5
    assert hierarchy.domain_size == 100


def test_declared_ends_make_the_domain() -> None:
    """Lowest and highest replace the observed ends."""
    hierarchy = intervals("age", ["21", "23"], [5], lowest=0, highest=119)
    assert hierarchy.domain_size == 120
    assert _leaves(hierarchy, 1) == {"20-24": 5}


def test_decimals_are_counted_in_their_finest_place() -> None:
    """With two places in use, a band of one half covers fifty values."""
    hierarchy = intervals("dose", ["0.25", "0.5", "1.75", "2"], ["0.5", 1])
    assert hierarchy.domain_size == 176
    assert _leaves(hierarchy, 1) == {"[0, 0.5)": 25, "[0.5, 1)": 50, "[1.5, 2)": 50, "[2, 2.5)": 1}


def test_open_ends_take_the_rest_of_the_range() -> None:
    """Top and bottom cover what is left on their side, the same at every level."""
    hierarchy = intervals("age", AGES, [5, 20], bottom=20, top=80)
    for level in (1, 2):
        assert _leaves(hierarchy, level)["80+"] == 11
        assert _leaves(hierarchy, level)["<20"] == 3


def test_rules_carry_nothing_of_the_data() -> None:
    """A policy made from these rules lists no observed value and no observed end."""
    one, other = intervals("age", ["17", "90"], [5, 10]), intervals("age", ["33", "34"], [5, 10])
    assert [one.rule(i) for i in range(4)] == [other.rule(i) for i in range(4)]
    assert one.rule(0) == Identity()


def test_missing_values_add_one_to_the_domain() -> None:
    """A column with missing values, or with nothing else, is also built."""
    assert intervals("age", ["1", "", "10"], [5]).domain_size == 11
    assert intervals("age", [""], [5]).domain_size == 1
    assert intervals("age", [""], [5], lowest=0, highest=9).height == 3


def test_tiny_steps_do_not_overflow() -> None:
    """Values with seventeen decimal places over a wide range keep their order of widths."""
    hierarchy = intervals("x", ["0.30000000000000004", "99999.5"], [100, 1000])
    assert 0 < hierarchy.domain_size < 2**60
    assert _leaves(hierarchy, 1)["[0, 100)"] < _leaves(hierarchy, 2)["[0, 1000)"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: intervals("n", ["1"], [5, 12]),
            "width 12 is not a multiple of the previous width, 5",
        ),
        (lambda: intervals("n", ["1"], [5, 5]), "width 5 is not a multiple"),
        (lambda: intervals("n", ["1"], [0]), "not above zero"),
        (lambda: intervals("n", ["1"], []), "missing"),
        (lambda: intervals("n", ["1", "one"], [5]), "value 'one' of 'n' is not a number"),
        (
            lambda: intervals("n", ["1"], [5], highest=0),
            "is outside the range from lowest to highest",
        ),
        (lambda: intervals("n", ["1"], [5], lowest=9, highest=0), "is above the highest value 0"),
        (lambda: intervals("n", ["1"], [5], bottom=9, top=9), "bottom 9 must be below top 9"),
        (lambda: intervals("n", ["1"], [float("nan")]), "'nan' is not a number"),
        (lambda: cuts("n", ["1"], [[5, 9], [7]]), "cut 7 is not among the cuts"),
        (lambda: cuts("n", ["1"], [[5], []]), "a level has no cuts"),
        (lambda: cuts("n", ["1"], []), "a level has no cuts"),
    ],
)
def test_declarations_that_cannot_be_are_refused(make: Callable[[], Hierarchy], said: str) -> None:
    """Each names the attribute, what is wrong and the fix."""
    with pytest.raises(HierarchyError) as caught:
        make()
    assert said in caught.value.message
    assert "'n'" in caught.value.message
    assert caught.value.fix


def test_cuts_cover_the_range_between_them() -> None:
    """Cuts start the interval above them; coarser levels drop some."""
    hierarchy = cuts("age", AGES, [[18, 45, 65], [65]])
    assert _leaves(hierarchy, 1) == {"<18": 1, "18-44": 27, "45-64": 20, "65+": 26}
    assert _leaves(hierarchy, 2) == {"<65": 48, "65+": 26}
    assert hierarchy.domain_size == 74


def test_cuts_between_whole_numbers_are_named_as_decimals() -> None:
    """A cut at 17.5 is not rounded to a whole bound."""
    hierarchy = cuts("age", ["17", "18", "30"], [[17.5, 20.5]])
    assert hierarchy.levels[1].labels == ("<17.5", "[17.5, 20.5)", "20.5+")


@given(
    st.lists(st.integers(-500, 500), min_size=1, max_size=30, unique=True),
    st.integers(0, 2),
    st.integers(1, 9),
    st.lists(st.integers(2, 5), max_size=3),
    st.integers(-20, 20),
)
def test_equal_intervals_always_nest_and_tile_the_range(
    numbers: list[int], places: int, first: int, factors: list[int], origin: int
) -> None:
    """Any widths that are multiples nest, and a full range is covered exactly once."""
    widths = list(np.cumprod([first, *factors]).tolist())
    values = [str(number / 10**places) for number in numbers]
    hierarchy = intervals("x", values, widths, origin=origin)
    assert hierarchy.height == len(widths) + 2
    full = intervals("x", [str(n) for n in range(min(numbers), max(numbers) + 1)], widths)
    for level in full.levels:
        assert level.leaves.sum() == full.domain_size
