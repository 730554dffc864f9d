"""Properties of every hierarchy, however it was built: the contract of this package."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy, write_hierarchy
from roadstead.hierarchies.dates import ALL_UNITS, dates
from roadstead.hierarchies.declare import flat
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.mappings import grouping, mapping, ordered
from roadstead.hierarchies.numbers import cuts, intervals
from roadstead.hierarchies.prefixes import prefixes

ATTRIBUTES = {
    "adult/hierarchies": [
        "age",
        "education",
        "marital-status",
        "native-country",
        "occupation",
        "race",
        "salary-class",
        "sex",
        "workclass",
    ],
    "cup/hierarchies": [
        "AGE",
        "GENDER",
        "INCOME",
        "MINRAMNT",
        "NGIFTALL",
        "RAMNTALL",
        "STATE",
        "ZIP",
    ],
    "fars/hierarchies": [
        "iage",
        "ideathday",
        "ideathmon",
        "ihispanic",
        "iinjury",
        "irace",
        "isex",
        "istatenum",
    ],
}
ATTRIBUTES["adult/hierarchies_2016_paper"] = ATTRIBUTES["adult/hierarchies"]


def check_contract(hierarchy: Hierarchy, *, counted: bool) -> None:
    """Check everything that the other rooms rely on."""
    assert len(hierarchy.levels[-1].labels) == 1
    for finer, coarser in pairwise(hierarchy.levels):
        parents: dict[int, int] = {}
        for fine, coarse in zip(finer.codes.tolist(), coarser.codes.tolist(), strict=True):
            assert parents.setdefault(fine, coarse) == coarse
        assert (finer.leaves[finer.codes] <= coarser.leaves[coarser.codes]).all()
    for number, level in enumerate(hierarchy.levels):
        assert len(set(level.labels)) == len(level.labels)
        assert (level.leaves >= 1).all()
        assert level.leaves.sum() <= hierarchy.domain_size
        if counted:
            assert level.leaves.sum() == hierarchy.domain_size == len(hierarchy.values)
        rule = hierarchy.rule(number)
        labels = [level.labels[code] for code in level.codes.tolist()]
        assert [rule.label(value) for value in hierarchy.values] == labels
        assert all(rule.produces(label) for label in level.labels)
        assert rule.describe()


NUMBERS = st.lists(
    st.decimals(-500, 500, places=1).map(str) | st.integers(-500, 500).map(str) | st.just(""),
    min_size=1,
    max_size=40,
    unique=True,
)
WIDTHS = st.lists(st.integers(2, 5), min_size=1, max_size=4).map(
    lambda factors: np.cumprod(factors).tolist()
)


@given(
    NUMBERS, WIDTHS, st.integers(-9, 9), st.none() | st.integers(-90, 0), st.none() | st.just(90)
)
def test_intervals_keep_the_contract(
    values: list[str], widths: list[int], origin: int, bottom: int | None, top: int | None
) -> None:
    """Equal intervals, with open ends or without."""
    hierarchy = intervals("x", values, widths, origin=origin, bottom=bottom, top=top)
    check_contract(hierarchy, counted=False)


@given(NUMBERS, st.lists(st.integers(-400, 400), min_size=1, max_size=6, unique=True))
def test_cuts_keep_the_contract(values: list[str], chosen: list[int]) -> None:
    """Chosen cuts, every second of them at the coarser level."""
    check_contract(cuts("x", values, [chosen, chosen[::2]]), counted=False)


@given(
    st.lists(st.dates().map(str) | st.just(""), min_size=1, max_size=30, unique=True),
    st.sampled_from([ALL_UNITS, ("day", "week"), ("month", "year")]),
)
def test_dates_keep_the_contract(values: list[str], units: tuple[str, ...]) -> None:
    """Calendar units from one end of the calendar to the other."""
    check_contract(dates("x", values, units), counted=False)  # type: ignore[arg-type] # plain text


CODES = st.lists(st.text("AB10.", max_size=5), min_size=1, max_size=30, unique=True)


@given(CODES, st.sets(st.integers(1, 5), min_size=1), st.sampled_from(["*", ""]))
def test_prefixes_keep_the_contract(values: list[str], keeps: set[int], mask: str) -> None:
    """Masked and cut codes of equal and unequal lengths."""
    check_contract(prefixes("x", values, sorted(keeps, reverse=True), mask=mask), counted=True)


@given(CODES, st.lists(st.integers(2, 4), max_size=3))
def test_written_hierarchies_keep_the_contract(values: list[str], factors: list[int]) -> None:
    """Orders, mappings, groups and flat ones, with a missing value listed or added."""
    listed = [value for value in values if value] or ["a"]
    built = [
        ordered("x", listed, np.cumprod(factors).tolist() if factors else []),
        mapping("x", {value: [f"group {value[0]}"] for value in values if value} or {"a": ["g"]}),
        grouping("x", {"A": listed[:1], "B": {"C": listed[1:]}}),
        flat("x", values),
    ]
    for hierarchy in built:
        check_contract(hierarchy, counted=True)
        check_contract(hierarchy.covering([hierarchy.values[0], ""]), counted=True)


@pytest.mark.quick(2)
@pytest.mark.parametrize("folder", list(ATTRIBUTES))
def test_real_hierarchies_keep_the_contract(data_dir: Path, tmp_path: Path, folder: str) -> None:
    """Files of the real data sets, as read, with a missing value, and written back."""
    found = find_hierarchies(data_dir / folder, ATTRIBUTES[folder])
    assert sorted(found) == ATTRIBUTES[folder]
    for attribute, path in found.items():
        hierarchy = read_hierarchy(path, attribute)
        check_contract(hierarchy, counted=True)
        check_contract(hierarchy.covering([hierarchy.values[0], ""]), counted=True)
        copy = tmp_path / f"{attribute}.csv.gz"
        write_hierarchy(hierarchy, copy)
        again = read_hierarchy(copy, attribute)
        assert again.values == hierarchy.values
        for one, other in zip(again.levels, hierarchy.levels, strict=True):
            assert one.labels == other.labels
            np.testing.assert_array_equal(one.codes, other.codes)


@pytest.mark.nightly
def test_real_zip_codes_are_recognized_as_masked(data_dir: Path) -> None:
    """A hundred thousand ZIP codes become five short rules, not lists."""
    path = data_dir / "cup" / "hierarchies" / "cup_hierarchy_ZIP.csv.gz"
    hierarchy = read_hierarchy(path, "ZIP")
    spoken = [hierarchy.describe(level) for level in range(hierarchy.height)]
    assert spoken == [
        "unchanged",
        *(f"first {keep} characters kept" for keep in (4, 3, 2)),
        "first character kept",
        "removed",
    ]
