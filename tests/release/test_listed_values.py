"""A hierarchy file made from the table would list its rare values in the policy of a release."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run

FIRST = date(1930, 1, 1)


def table(folder: Path, days: list[date]) -> Path:
    """Return a table with a date of birth in each record."""
    lines = ["birth,sex", *(f"{day},{'fm'[at % 2]}" for at, day in enumerate(days))]
    path = folder / "people.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def hierarchy(folder: Path, days: Iterator[date] | list[date]) -> Path:
    """Return a folder with a hierarchy file of these days: the year, the decade, and nothing."""
    place = folder / "hierarchies"
    place.mkdir()
    rows = [f"{day};{day.year};{day.year // 10}0s;*" for day in sorted(set(days))]
    (place / "people_hierarchy_birth.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    return place


DAYS = [FIRST + timedelta(days=37 * at % 9000) for at in range(600)]


@pytest.mark.parametrize("persons", [False, True])
def test_a_list_of_the_values_of_the_table_is_refused(tmp_path: Path, *, persons: bool) -> None:
    """Fault class: policy.json listed 600 dates of birth, and the release had it."""
    path, folder = table(tmp_path, DAYS), hierarchy(tmp_path, DAYS)
    by_person = ["--person", "id"] if persons else []
    if persons:
        rows = path.read_text("utf-8").splitlines()
        numbered = [f"id,{rows[0]}", *(f"p{at},{row}" for at, row in enumerate(rows[1:]))]
        path.write_text("\n".join([*numbered, ""]), encoding="utf-8")
    ran = run(
        *("anonymize", str(path), "--quasi", "birth,sex", "--hierarchies", str(folder)),
        *("--k", "5", "--out", str(tmp_path / "out"), *by_person),
    )
    assert ran.code == 2, ran.out
    assert "column 'birth': the policy of the release would list" in ran.error
    assert not (tmp_path / "out").exists()


def test_a_list_of_all_possible_values_does_not_show_which_occur(tmp_path: Path) -> None:
    """It is released: most of its days are not in the table."""
    every = [FIRST + timedelta(days=at) for at in range(9000)]
    path, folder = table(tmp_path, DAYS), hierarchy(tmp_path, every)
    ran = run(
        *("anonymize", str(path), "--quasi", "birth,sex", "--hierarchies", str(folder)),
        *("--k", "5", "--out", str(tmp_path / "out")),
    )
    assert ran.code == 0, ran.error
    policy = json.loads((tmp_path / "out" / "policy.json").read_text("utf-8"))
    assert policy["attributes"][0]["rule"]["kind"] == "groups"
