"""Births in a table without other dates are compared with the current year, which is recorded."""

from __future__ import annotations

import json
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from commands import run

import roadstead as rs
from roadstead.release.persons.early_births import EarlyBirths, early_births
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

YEARS = [1920 + at % 90 for at in range(1800)]
SAID = "the births were compared with this year: people born up to 1936 are over 89"
WARNED = "shows the birth of a person who is over 89 at the end of 2026"


def table(name: str = "birth_year", form: str = "{}") -> pd.DataFrame:
    """Make 1,800 people; 340 of them were born before 1937."""
    births = [form.format(year) for year in YEARS]
    return pd.DataFrame({name: births, "sex": ["f", "m", "m"] * 600})


def band(now: int = 2026, **columns: list[str]) -> dict[str, EarlyBirths]:
    """Return the bands of a table with these columns."""
    return early_births(summarize(read(pa.table(columns)), [*columns]), now)


def in_year(patch: pytest.MonkeyPatch, year: int) -> None:
    """Let the command run in another year."""

    class Then(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Then:
            return cls(year, 5, 6, tzinfo=tz)

    patch.setattr("roadstead.release.persons.early_births.datetime", Then)


def test_who_turns_90_in_the_year_is_in_the_band() -> None:
    """The boundary, and the forms of births."""
    assert band(birth_year=["1936", "1990"]) == {"birth_year": EarlyBirths(1940, 2026)}
    assert band(birth_year=["1937", "1990"]) == {}
    assert band(2027, birth_year=["1937", "1990"]) == {"birth_year": EarlyBirths(1940, 2027)}
    assert band(dob=["3.4.1929", "1.1.1990"], sex=["f", "m"]) == {"dob": EarlyBirths(1940, 2026)}
    assert band(opened=["1920", "1990"], sex=["f", "m"]) == {}
    both = band(dob=["1929-01-02"], mother_birth_year=["1901"])
    assert both == {name: EarlyBirths(1940, 2026) for name in ("dob", "mother_birth_year")}


def test_another_date_takes_precedence_over_the_current_year() -> None:
    """A table of 1970 is compared with its own dates."""
    assert band(birth_year=["1912"], visit=["1970-01-01"]) == {}
    assert band(birth_year=["1912"], visit=["2012-01-01"]) == {"birth_year": EarlyBirths(1930)}


@pytest.mark.quick(3)
@pytest.mark.parametrize("form", ["{}", "{}-02-03"])
@pytest.mark.parametrize("more", [{}, {"recoding": "cells"}, {"recoding": "intervals"}])
def test_no_release_separates_old_births(form: str, more: dict[str, Any]) -> None:
    """Whatever the recoding and the form of the births."""
    data = table("dob", form)
    found = rs.anonymize(data, quasi=["dob"], unchanged=["sex"], k=2, **more)
    cells = {str(cell) for cell in found.to_pandas()["dob"]}
    assert not any(cell.startswith(("192", "193")) for cell in cells), cells
    assert sum(SAID in line for line in found.noticed) == 1
    assert not any(WARNED in line for line in found.noticed)
    shared = " ".join(found.noticed_for_sharing)
    assert (
        "The dates of birth were compared with the end of 2026." in shared
    )  # also of intervals of days


@pytest.mark.nightly
def test_the_rows_of_people_have_the_same_band() -> None:
    """A table of people without another date."""
    data = table()
    data["who"] = [f"p{at // 2}" for at in range(len(data))]
    data["birth_year"] = data.groupby("who")["birth_year"].transform("first")
    asked: dict[str, Any] = {"quasi": ["birth_year"], "person": "who", "k": 2}
    found = rs.anonymize(data, **asked, unchanged=["sex"])
    assert sum(SAID in line for line in found.noticed) == 1
    own = {"birth_year": {"kind": "intervals", "widths": [1, 5], "bands_only": True}}
    found = rs.anonymize(
        data, **asked, unchanged=["sex"], hierarchies=own, max_level={"birth_year": 1}
    )
    assert sum(WARNED in line for line in found.noticed) == 1


def test_the_year_is_recorded_and_later_runs_use_the_band(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scan and the release agree; `apply` and `repeat` do not look at the calendar."""
    data, out = str(tmp_path / "t.csv"), tmp_path / "out"
    table().to_csv(data, index=False)
    project = tmp_path / "t.toml"
    scanned = run("scan", data, "--out", str(project))
    assert SAID in scanned.out
    assert "bottom = 1940" in project.read_text()
    ran = run("anonymize", data, "--quasi", "birth_year,sex", "--out", str(out))
    assert SAID in ran.out, ran.err
    assert "Births before 1940 are in one band at every level of birth_year." in ran.out
    assert "set `bottom` in the hierarchy of birth_year" in ran.out
    settings = json.loads((out / "certificate.json").read_text())["settings"]
    assert settings["births_compared_with"] == {"birth_year": 2026}
    report = (out / "report.html").read_text()
    assert "one band at every level: &lt;1940." in report
    assert "The dates of birth were compared with the end of 2026." in report
    assert run("verify", str(out)).code == 0
    in_year(monkeypatch, 2045)
    again = run("repeat", str(out), "--original", data)
    assert again.code == 0, again.out
    applied = tmp_path / "applied"
    assert run("apply", str(out / "policy.json"), data, "--out", str(applied)).code == 0
    assert (applied / "t.csv").read_bytes() == (out / "t.csv").read_bytes()
    later = run("anonymize", data, "--quasi", "birth_year,sex", "--out", str(tmp_path / "later"))
    assert "Births before 1960" in later.out
    by_project = run("anonymize", "--project", str(project), "--out", str(tmp_path / "own"))
    assert "<1940" in by_project.out


def test_a_hierarchy_of_the_user_is_not_changed_but_said() -> None:
    """The warning names the year for the band; a band that the user chose is enough."""
    spec: dict[str, Any] = {"kind": "intervals", "widths": [1, 5, 10], "bands_only": True}
    asked: dict[str, Any] = {"quasi": ["birth_year"], "unchanged": ["sex"], "k": 2}
    asked["max_level"] = {"birth_year": 1}
    bad = rs.anonymize(table(), hierarchies={"birth_year": spec}, **asked)
    (said,) = [line for line in bad.noticed if WARNED in line]
    assert said.startswith("In 340 records, ")
    assert "bottom = 1940 in the hierarchy of birth_year" in said
    own = bad.to_pandas()["birth_year"].astype(str)
    assert own.str.startswith("192").sum() == 200
    for bottom in (1930, 1940):
        chosen = {"birth_year": {**spec, "bottom": bottom}}
        good = rs.anonymize(table(), hierarchies=chosen, **asked)
        assert not any(WARNED in line for line in good.noticed)


def test_an_age_in_place_of_a_birth_is_no_birth() -> None:
    """Years of age, such as 10 to 19, are not years in which people were born."""
    visits = pd.DataFrame(
        {
            "patient": [f"P{at // 2:04}" for at in range(1800)],
            "birth_date": [f"{1950 + at // 2 % 60}-03-04" for at in range(1800)],
            "admitted": [f"2025-{1 + at % 12:02}-05" for at in range(1800)],
            "sex": ["f", "m"] * 900,
        }
    )
    made = rs.anonymize(
        visits,
        quasi=["birth_date", "sex"],
        identifiers=["admitted"],
        person="patient",
        dates={"birth_date": "age:admitted"},
    )
    assert "birth_date: age in years at admitted" in str(made)
    assert WARNED not in str(made)
