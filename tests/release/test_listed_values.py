"""A hierarchy file made from the table would list its rare values in the policy of a release."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run

import roadstead as rs
from roadstead.errors import PolicyError

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


@pytest.mark.quick(1)
@pytest.mark.parametrize("recoding", ["global", "local", "cells", "intervals"])
def test_a_list_of_the_values_of_the_table_is_refused(tmp_path: Path, recoding: str) -> None:
    """Fault class: policy.json listed 600 dates of birth, and the release had it."""
    path, folder = table(tmp_path, DAYS), hierarchy(tmp_path, DAYS)
    ran = run(
        *("anonymize", str(path), "--quasi", "birth,sex", "--hierarchies", str(folder)),
        *("--k", "5", "--recoding", recoding, "--out", str(tmp_path / "out")),
    )
    assert ran.code == 2, ran.out
    assert "column 'birth': the policy of the release would list 600 values" in ran.error
    assert not (tmp_path / "out").exists()


def test_a_value_of_one_person_is_rare_with_any_number_of_records(tmp_path: Path) -> None:
    """Where people are counted, a person with many records does not hide a value."""
    lines = ["id,birth,sex"]
    for at, day in enumerate(DAYS[:300]):
        lines += [f"p{at},{day},{'fm'[at % 2]}"] * 6
    path = tmp_path / "people.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    told = ("--quasi", "birth,sex", "--hierarchies", str(hierarchy(tmp_path, DAYS[:300])))
    ran = run(
        *("anonymize", str(path), *told, "--person", "id", "--k", "5"),
        *("--out", str(tmp_path / "out")),
    )
    assert ran.code == 2, ran.out
    assert "300 values that fewer than 5 people have" in ran.error


def test_a_table_without_its_policy_may_be_taken(tmp_path: Path) -> None:
    """In Python; no policy leaves with it."""
    path, folder = table(tmp_path, DAYS), hierarchy(tmp_path, DAYS)
    found = rs.anonymize(path, quasi=["birth", "sex"], hierarchies=folder, k=5)
    assert found.to_arrow().num_rows > 0
    with pytest.raises(PolicyError):
        found.write(tmp_path / "out")


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


def test_the_message_names_the_code_book_of_recognized_codes(tmp_path: Path) -> None:
    """As scan does, which proposes this rule for such a column."""
    codes = [f"{1000 + at * 7}-{at % 900:03}" for at in range(600)]
    lines = ["codigo_postal,sex", *(f"{code},{'fm'[at % 2]}" for at, code in enumerate(codes))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    (tmp_path / "codigo_postal.csv").write_text("".join(f"{c};{c[:2]};*\n" for c in codes))
    told = ("--quasi", "codigo_postal,sex", "--hierarchies", tmp_path, "--out", tmp_path / "out")
    ran = run("anonymize", path, *told)
    assert 'such as {kind = "codes", book = "postcode_pt"}' in ran.error
