"""What is left of Safe Harbor's identifiers in quasi-identifiers, for gates and determinations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import roadstead as rs
from roadstead.release.identifiers_left import UNJUDGED, identifiers_left

RULES = '[columns]\nidentifiers = "none"\n'


def released(tmp_path: Path, zips: int = 1, **options: Any) -> Any:  # noqa: ANN401 - a result
    """Release 120 records of four ZIP codes, and of more that are rarer."""
    codes = [f"0214{at % 4}" for at in range(100)] + [f"0290{at % zips}" for at in range(20)]
    table = {
        "zip": codes,
        "sex": ["f", "m"] * 60,
        "admit_date": [f"2024-0{1 + at % 2}-1{at % 3}" for at in range(120)],
    }
    made = rs.anonymize(table, quasi=["zip", "sex"], unchanged=[], k=5, **options)
    made.write(tmp_path / "release")
    (tmp_path / "gate.toml").write_text(RULES, "utf-8")
    return made


@pytest.mark.parametrize(("level", "left"), [(0, [("zip", 2)]), (1, [("zip", 2)]), (2, [])])
def test_more_than_three_digits_of_a_zip_code_are_an_identifier(
    level: int, left: list[tuple[str, int]], tmp_path: Path
) -> None:
    """Fault class: the gate said that no identifier is released, with all five digits."""
    bounds: dict[str, Any] = {"min_level": {"zip": level}, "max_level": {"zip": level}}
    made = released(tmp_path, **bounds)
    assert list(identifiers_left(made.policy)) == left
    gate = rs.gate(tmp_path / "release", rules=tmp_path / "gate.toml")
    assert gate.passed == (not left)
    assert ("zip looks like an identifier" in " ".join(one.detail for one in gate.rules)) == bool(
        left
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize("recoding", ["local", "cells", "intervals"])
def test_some_records_with_all_digits_are_enough(recoding: str, tmp_path: Path) -> None:
    """With levels that differ between records."""
    made = released(tmp_path, zips=20, recoding=recoding, time_limit=2)
    assert made.to_pandas()["zip"].astype(str).str.fullmatch("0214[0-3]").any()
    assert list(identifiers_left(made.policy)) == [("zip", 2)]
    assert not rs.gate(tmp_path / "release", rules=tmp_path / "gate.toml").passed


@pytest.mark.parametrize(("level", "left"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_dates_finer_than_a_year_are_an_identifier(level: int, left: int) -> None:
    """Days and quarters, but not years."""
    days = [f"20{10 + at % 10}-0{1 + at % 9}-11" for at in range(900)]
    bounds: dict[str, Any] = {
        "min_level": {"admit_date": level},
        "max_level": {"admit_date": level},
    }
    made = rs.anonymize({"admit_date": days}, quasi=["admit_date"], k=2, **bounds)
    assert list(identifiers_left(made.policy)) == [("admit_date", 3)] * left


@pytest.mark.parametrize("day", ["", "-03-05"])
def test_intervals_of_whole_years_are_not_an_identifier(day: str) -> None:
    """Years in a column of dates, and days."""
    days = [f"20{10 + at % 10}{day}" for at in range(60)]
    made = rs.anonymize({"admit_date": days}, quasi=["admit_date"], k=2, recoding="intervals")
    assert list(identifiers_left(made.policy)) == ([("admit_date", 3)] if day else [])


DAYS = [f"2023-0{1 + at % 3}-0{1 + at % 2}" for at in range(60)]
ZIPS = [2130 + at % 10 for at in range(60)]
TREE = {"kind": "mapping", "levels": {day: [day[:7], day[:4], "*"] for day in DAYS}}
BANDS = {"kind": "intervals", "widths": [10, 100]}


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("name", "values", "hierarchy", "level", "left"),
    [
        ("dob", DAYS, TREE, 0, 3),
        ("visit", DAYS, TREE, 1, 3),
        ("visit", DAYS, TREE, 2, None),
        ("zip", ZIPS, BANDS, 1, 2),
        ("zip", ZIPS, BANDS, 2, None),
        ("birth", [f"soon {at % 3}" for at in range(60)], None, 0, UNJUDGED),
        ("birth_year", [1980 + at % 3 for at in range(60)], None, 0, None),
    ],
)
def test_the_labels_of_all_rules_are_judged(
    name: str,
    values: list[Any],
    hierarchy: Any,  # noqa: ANN401 - as users write it
    level: int,
    left: int | None,
    tmp_path: Path,
) -> None:
    """Fault class: the gate accepted days and ZIP codes in files of labels and in bands."""
    options: dict[str, Any] = {} if hierarchy is None else {"hierarchies": {name: hierarchy}}
    bounds: dict[str, Any] = {"min_level": {name: level}, "max_level": {name: level}}
    made = rs.anonymize({name: values}, quasi=[name], k=2, **options, **bounds)
    assert dict(identifiers_left(made.policy)) == ({} if left is None else {name: left})
    made.write(tmp_path / "release")
    (tmp_path / "gate.toml").write_text(RULES, "utf-8")
    gate = rs.gate(tmp_path / "release", rules=tmp_path / "gate.toml")
    assert gate.passed == (left is None)
    assert ("cannot be judged" in gate.rules[-1].detail) == (left == UNJUDGED)
