"""Labels of bands and dates have the order of their contents, not of texts."""

from __future__ import annotations

import pytest

from roadstead.hierarchies.label_order import label_order

ORDERED = {
    "bands": ["[5-10)", "[10-15)", "[15-20)", "[90-95)", "[100-105)"],
    "of ages": ["<5", "5-9", "10-14", "80-89", "90+", "*"],
    "in words": ["under 18", "18 to 64 years", "65 and over"],
    "decimals": ["[-1.5, 0)", "[0, 0.5)", "[0.5, 10)", "[10, 12]"],
    "numbers": ["", "-3", "7", "21", "100"],
    "missing with the lowest": ["missing or 0-4", "5-9", "10-99"],
    "years and decades": ["1890s", "1950s", "2001", "2010s"],
    "months": ["1999-12", "2000-01", "2000-10"],
    "quarters": ["2019-Q4", "2020-Q1", "2020-Q3", "*"],
    "days": ["week of 1999-12-27", "2000-01-31", "2000-02-01"],
    "intervals of dates": ["1920s to 1950s", "1960s", "1970s to 1990s"],
    "nested": ["0-4", "0-9", "5-9", "0+"][:3],
}


@pytest.mark.parametrize("name", ORDERED)
def test_labels_stand_in_the_order_of_what_they_cover(name: str) -> None:
    """However they were listed."""
    labels = ORDERED[name]
    for turn in range(len(labels)):
        mixed = [*labels[turn:], *labels[:turn]][::-1]
        order = label_order(mixed)
        assert order is not None
        assert [mixed[at] for at in order] == labels


@pytest.mark.parametrize(
    "labels",
    [
        ["male", "female"],
        ["10-14", "unknown"],
        ["02139", "10115"],
        ["*"],
        ["", "*"],
        [],
        ["2020-13-45", "2020-01-01"],
        ["I25.10", "N04.9"],
        ["A00-B99", "C00-D49"],
    ],
)
def test_other_labels_have_no_order(labels: list[str]) -> None:
    """Not by text, either: one that says nothing of its place is enough."""
    assert label_order(labels) is None
