"""Ranges of numbers go into wider ranges, and are read as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.numbers import ranges
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.number_ranges import NumberRange, parse_range


@pytest.mark.parametrize(
    ("label", "low", "high"),
    [
        ("[10-20)", 10, 20),
        ("[80, 90)", 80, 90),
        ("(10,20]", 11, 21),
        ("10-19", 10, 20),
        ("10\N{EN DASH}19 years", 10, 20),
        ("18 to 64", 18, 65),
        ("90+", 90, None),
        ("80 and over", 80, None),
        ("65 years and older", 65, None),
        (">= 85", 85, None),
        (">89", 90, None),
        ("over 89", 90, None),
        ("<1", 0, 1),
        ("under 5 years", 0, 5),
        ("<=17", 0, 18),
        ("47", 47, 48),
    ],
)
def test_a_range_is_read_as_it_is_meant(label: str, low: int, high: int | None) -> None:
    """[80-90) ends before 90, 80-90 does not. Fault class: age labels are flat."""
    assert parse_range(label) == NumberRange(low, high)


@pytest.mark.parametrize(
    "label", ["", "20-10", "2024-05-31", "I10-I15", "37203-1234-1", "White", "-5", "1.5", "[1-2"]
)
def test_what_is_no_range_is_not_read_as_one(label: str) -> None:
    """Dates, codes, words, negative numbers and fractions."""
    assert parse_range(label) is None


def test_ages_nest_and_the_highest_band_has_no_end() -> None:
    """10 years, then 20, then 40."""
    values = ["90+", "80-89", "[10-20)", "<10", ""]
    hierarchy = build_declared("age", {"kind": "ranges", "widths": [20, 40]}, values)
    labels = {
        value: [hierarchy.rule(level).label(value) for level in (1, 2, 3)] for value in values[:4]
    }
    assert labels["<10"] == ["0-19", "0-39", "*"]
    assert labels["[10-20)"] == ["0-19", "0-39", "*"]
    assert labels["80-89"] == ["80+", "80+", "*"]
    assert labels["90+"] == ["80+", "80+", "*"]


@pytest.mark.parametrize(
    ("values", "widths", "message"),
    [
        (["5-14"], [10], "partly in another"),
        (["many"], [10], "not a range"),
        (["0-9"], [10, 15], "not a multiple"),
        (["0-9"], [0, 15], "below one"),
        ([""], [10], "no values"),
    ],
)
def test_ranges_that_cannot_nest_are_refused(
    values: list[str], widths: list[int], message: str
) -> None:
    """In one line."""
    with pytest.raises(HierarchyError, match=message):
        ranges("age", values, widths)


@given(st.integers(0, 10_000), st.integers(1, 100))
def test_a_closed_range_and_a_half_open_one_are_the_same(low: int, width: int) -> None:
    """10-19 is [10-20)."""
    assert parse_range(f"{low}-{low + width - 1}") == parse_range(f"[{low}-{low + width})")


@given(st.integers(0, 200), st.integers(1, 40), st.integers(1, 40))
def test_a_band_has_the_labels_that_its_rule_says_it_makes(low: int, size: int, width: int) -> None:
    """A range in two bands has none."""
    rule = RangeBands(width)
    label = rule.label(f"{low}-{low + size - 1}")
    inside = low // width == (low + size - 1) // width
    assert (label is not None) == inside
    assert label is None or rule.produces(label)
    assert not rule.produces(f"{low + 1}-{low}")
    assert not rule.produces("many")


def test_rules_of_ranges_name_no_range_of_the_table() -> None:
    """A range that one record has would be in every policy."""
    values = [f"{low}-{low + 9}" for low in range(0, 100, 10)] + ["101-103"]
    hierarchy = build_declared("age", {"kind": "ranges", "widths": [20, 40]}, values)
    rules = [hierarchy.rule(level) for level in range(hierarchy.height)]
    assert not any(value in repr(rules) for value in values)
