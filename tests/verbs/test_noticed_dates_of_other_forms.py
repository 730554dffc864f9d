"""Dates in several forms, placeholders, and dates in the future are all said, with counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any, Self

import pyarrow as pa
import pytest

import roadstead as rs

RECORDS = 600
PLACEHOLDER = "30 values of birth_date are 1900-01-01"
OTHER_FORM = (
    "1 of 600 values of birth_date is not a date in the same form as the other values (%Y-%m-%d)"
)


def days(first: int, last: int, write: Callable[[int, int, int], str]) -> list[str]:
    """Return a date for each record."""
    made = random.Random(3)  # noqa: S311 - reproducible test data
    return [
        write(made.randrange(first, last), made.randrange(1, 13), made.randrange(1, 29))
        for _ in range(RECORDS)
    ]


def iso(year: int, month: int, day: int) -> str:
    """Write a date as ISO does."""
    return f"{year}-{month:02d}-{day:02d}"


def american(year: int, month: int, day: int) -> str:
    """Write a date as Americans do."""
    return f"{month:02d}/{day:02d}/{year}"


def told(name: str, values: list[str], **reading: Any) -> str:  # noqa: ANN401 - options of any kind
    """Return what a scan says about a column."""
    table = pa.table({name: values, "sex": ["f", "m"] * (len(values) // 2)})
    return rs.scan(table, **reading).columns[0].warning


@pytest.fixture(autouse=True)
def _in_2024(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the day of the run be the first of June 2024."""

    class Then(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2024, 6, 1, tzinfo=tz)

    monkeypatch.setattr("roadstead.release.persons.early_births.datetime", Then)


def test_a_placeholder_does_not_hide_another_form_of_dates() -> None:
    """Both are said, and the advice works: without both, dates have levels and a band."""
    births = days(1930, 2010, iso)
    births[:30], births[400] = ["1900-01-01"] * 30, "05/17/1961"
    warning = told("birth_date", births)
    assert PLACEHOLDER in warning
    assert OTHER_FORM in warning
    assert "an age over 89" in warning
    assert OTHER_FORM not in told("birth_date", [*births[:400], *births[401:], "1961-05-17"])
    table = pa.table({"birth_date": births, "sex": ["f", "m"] * (RECORDS // 2)})
    codes = ["birth_date=1900-01-01", "birth_date=05/17/1961"]
    (proposed, _) = rs.scan(table, missing=codes).columns
    assert proposed.hierarchy is not None
    assert proposed.hierarchy["kind"] == "dates"
    assert proposed.hierarchy["bottom"] == 1940


def test_a_release_says_why_dates_have_no_levels() -> None:
    """If nobody scanned the table first."""
    births = days(1930, 2010, iso)
    births[400] = "05/17/1961"
    table = pa.table({"birth_date": births, "sex": ["f", "m"] * (RECORDS // 2)})
    release = rs.anonymize(table, quasi=["birth_date", "sex"])
    assert any(OTHER_FORM in line for line in release.noticed)


@pytest.mark.parametrize("form", [iso, american])
def test_placeholders_are_found_in_any_form(form: Callable[[int, int, int], str]) -> None:
    """The first day of a calendar, in many records."""
    births = days(1930, 2010, form)
    births[:30] = [form(1900, 1, 1)] * 30
    assert f"30 values of birth_date are {form(1900, 1, 1)}" in told("birth_date", births)


@pytest.mark.parametrize(
    ("name", "form", "year"),
    [
        ("birth_date", iso, 2052),
        ("birth_date", american, 2052),
        ("birth_year", lambda year, _month, _day: str(year), 2052),
        ("admission_date", iso, 2025),
    ],
)
def test_past_events_in_the_future_are_counted(
    name: str, form: Callable[[int, int, int], str], year: int
) -> None:
    """In columns of births and of other past events, next to all other notes."""
    values = days(1940, 2010, form)
    values[7], values[300] = form(year, 3, 4), form(2024, 5, 31)
    assert f"1 of 600 values of {name} is after 2024-06-01, the day of this run" in told(
        name, values
    )


@pytest.mark.parametrize(
    ("name", "first", "last"), [("appointment_date", 2020, 2030), ("admission_date", 2110, 2190)]
)
def test_planned_or_shifted_dates_are_not_past_events(name: str, first: int, last: int) -> None:
    """Appointments may be in the future, and so are the dates of a shifted table."""
    assert "the day of this run" not in told(name, days(first, last, iso))


def test_one_hint_per_missing_word_and_for_this_column_alone() -> None:
    """A hint without a column would change every column."""
    races = ["White", "Black", "Asian", "Unknown"] * (RECORDS // 4)
    assert told("race", races).count("Unknown means missing") == 1
    assert "may mean a missing value" not in told("race", races)
    hint = told("ward_remark", races)
    assert hint.count("missing=") == 1
    assert "ward_remark=Unknown" in hint


def test_one_code_is_not_suggested_for_many_different_values() -> None:
    """Each value needs its own code; the number of values shows whether that is reasonable."""
    births = days(1930, 2010, iso)
    births[:40] = [f"{day:02d}/{month:02d}/1961" for day in range(1, 11) for month in range(1, 5)]
    assert (
        "Correct these values in the table, or declare each of the 40 different values as "
        'missing with missing=["birth_date=VALUE"]' in told("birth_date", births)
    )
    births[:40] = ["17.5.1961"] * 40
    assert "declare them as missing with" in told("birth_date", births)


@pytest.mark.quick(1)
@pytest.mark.parametrize("codes", [1, 0])
def test_a_release_says_that_dates_have_no_levels_of_dates(codes: int) -> None:
    """A scan declares a column with a code as flat. After the code is missing, dates remain."""
    births = days(1950, 2010, iso)
    births[:codes] = ["unknown"] * codes
    table = pa.table({"birth_date": births, "sex": ["f", "m"] * (RECORDS // 2)})
    given: dict[str, Any] = {"quasi": ["birth_date", "sex"], "k": 2, "missing": ["unknown"]}
    flat = rs.anonymize(table, hierarchies={"birth_date": {"kind": "flat"}}, **given)
    said = "All values of birth_date are dates, but its hierarchy can only keep or"
    assert sum(said in line for line in flat.noticed) == 1
    assert not any(said in line for line in rs.anonymize(table, **given).noticed)
