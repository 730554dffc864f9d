"""Hierarchies over codes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.prefixes import prefixes
from roadstead.hierarchies.rules import Everything, Identity, Prefix

ZIPS = ["37212", "37203", "02139"]


def _labels(values: list[str], keeps: list[int], mask: str) -> list[tuple[str, ...]]:
    return [level.labels for level in prefixes("code", values, keeps, mask=mask).levels]


def test_codes_of_one_length_are_masked() -> None:
    """The length becomes part of the rule, so a code of another length is not covered."""
    assert _labels(ZIPS, [5, 3, 1], "*") == [
        ("37212", "37203", "02139"),
        ("372**", "021**"),
        ("3****", "0****"),
        ("*",),
    ]
    hierarchy = prefixes("zip", ZIPS, [3])
    assert [hierarchy.rule(i) for i in range(3)] == [Prefix(5, 5), Prefix(3, 5), Everything()]
    assert hierarchy.levels[1].leaves.tolist() == [2, 1]


def test_codes_of_unequal_length_are_cut() -> None:
    """ICD-10 goes from the full code to the category, the block and the letter."""
    assert _labels(["I50.9", "I50", "I51.81", "J45"], [3, 2, 1], "") == [
        ("I50.9", "I50", "I51.81", "J45"),
        ("I50", "I51", "J45"),
        ("I5", "J4"),
        ("I", "J"),
        ("*",),
    ]
    assert prefixes("icd", ["I50.9", "I50"], [3], mask="").rule(0) == Identity()


def test_keeping_all_of_a_code_is_level_zero() -> None:
    """A level that drops nothing from the longest code is not there twice."""
    assert prefixes("zip", ZIPS, [9, 5, 3]).height == prefixes("zip", ZIPS, [3]).height == 3


def test_missing_codes_have_no_length() -> None:
    """A missing value does not make lengths unequal."""
    assert prefixes("zip", [*ZIPS, ""], [3]).rule(1) == Prefix(3, 5)
    assert prefixes("zip", [""], [3]).height == 2


@pytest.mark.parametrize(
    ("keeps", "mask", "said"),
    [
        ([], "*", "missing"),
        ([3, 3], "*", "not decreasing"),
        ([0], "*", "one"),
        ([3], "**", "several"),
    ],
)
def test_impossible_prefixes_are_refused(keeps: list[int], mask: str, said: str) -> None:
    """Numbers must fall, stay above zero, and a mask is one character."""
    with pytest.raises(HierarchyError, match=said):
        prefixes("zip", ZIPS, keeps, mask=mask)


@given(
    st.lists(st.text("AB*.1", min_size=1, max_size=6), min_size=1, max_size=25, unique=True),
    st.sets(st.integers(1, 7), min_size=1),
    st.sampled_from(["", "*", "x"]),
)
def test_prefixes_of_any_codes_nest(values: list[str], keeps: set[int], mask: str) -> None:
    """Even with the mask among the characters, and lengths as they come."""
    hierarchy = prefixes("code", values, sorted(keeps, reverse=True), mask=mask)
    for level in hierarchy.levels:
        assert level.leaves.sum() == len(values)
