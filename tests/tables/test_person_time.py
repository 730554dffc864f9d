"""Days since a person's anchor, against dates worked out in Python."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SourceError
from roadstead.tables.persons.dates import FIRST, LONGEST, with_anchor, with_intervals
from roadstead.tables.reading import read

DAYS = st.integers(0, 60_000).map(lambda number: date(1900, 1, 1) + timedelta(number))
VISITS = st.lists(st.tuples(st.integers(0, 3), DAYS, DAYS), min_size=1, max_size=15)


@sparing
@given(VISITS)
def test_intervals_are_exact_to_the_day(visits: list[tuple[int, date, date]]) -> None:
    """To the first of the column or another's earliest; above 89 years they are one, either way."""
    table = pa.table(
        {
            "who": [who for who, _, _ in visits],
            "seen": [f"{seen} 12:30:00" for _, seen, _ in visits],
            "born": [str(born) for _, _, born in visits],
            "at": list(range(len(visits))),
        }
    )
    table = table.append_column("age", table["seen"])
    made = with_intervals(
        read(table), "who", {"seen": FIRST, "born": "seen"}, {"age": "born"}
    ).table
    rows = sorted(made.to_pyarrow().to_pylist(), key=lambda row: row["at"])
    for (who, seen, born), row in zip(visits, rows, strict=True):
        first_seen = min(day for other, day, _ in visits if other == who)
        assert row["seen"] == min((seen - first_seen).days, LONGEST)
        assert row["born"] == max(-LONGEST, min((born - first_seen).days, LONGEST))
        assert row["age"] == max(-LONGEST, min((seen - born).days, LONGEST))


def completed_years(born: date, day: date) -> int | None:
    """Count birthdays one by one; without a February 29, the birthday is March 1."""
    years = -1
    while True:
        try:
            birthday = born.replace(year=born.year + years + 1)
        except ValueError:
            birthday = date(born.year + years + 1, 3, 1)
        if birthday > day:
            return None if years < 0 else min(years, 90)
        years += 1


LEAP_DAYS = st.integers(1904, 2060).map(lambda year: date(year - year % 4, 2, 29))


@sparing
@given(st.lists(st.tuples(DAYS | LEAP_DAYS, DAYS | LEAP_DAYS), min_size=1, max_size=30))
def test_ages_are_completed_years(stays: list[tuple[date, date]]) -> None:
    """Also on the day before each birthday and on the birthday; an event before birth has none."""
    near = [
        (born, date(seen.year, born.month, min(born.day, 28)) + timedelta(days))
        for born, seen in stays
        for days in (-1, 0, 1, 2)
    ]
    rows = [*stays, *near]
    table = pa.table(
        {
            "who": [number // 3 for number in range(len(rows))],
            "born": [str(born) for born, _ in rows],
            "seen": [f"{seen} 23:59:00" for _, seen in rows],
            "at": list(range(len(rows))),
        }
    )
    made = with_intervals(read(table), "who", {"seen": FIRST}, None, {"born": "seen"}).table
    found = sorted(made.to_pyarrow().to_pylist(), key=lambda row: row["at"])
    assert [row["born"] for row in found] == [completed_years(born, seen) for born, seen in rows]


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    ("born", "seen", "age"),
    [
        ("1930-06-15", "2019-06-14", 88),
        ("1930-06-15", "2019-06-15", 89),
        ("1930-06-15", "2020-06-14", 89),
        ("1930-06-15", "2020-06-15", 90),
        ("1930-06-15", "2021-06-15", 90),
        ("1800-01-01", "2021-06-15", 90),
        ("2000-02-29", "2001-02-28", 0),
        ("2000-02-29", "2001-03-01", 1),
        ("2000-02-29", "2004-02-28", 3),
        ("2000-02-29", "2004-02-29", 4),
        ("2020-01-02", "2020-01-02", 0),
        ("2020-01-02", "2020-01-01", None),
        ("2020-01-02", "1920-01-01", None),
        ("", "2020-01-01", None),
        ("2020-01-01", "", None),
    ],
)
def test_the_ages_of_single_people(born: str, seen: str, age: int | None) -> None:
    table = pa.table({"who": [1, 2], "born": [born, "1990-01-01"], "seen": [seen, "2000-01-01"]})
    made = with_intervals(read(table), "who", {}, None, {"born": "seen"}).table.to_pyarrow()
    assert dict(zip(*(made[name].to_pylist() for name in ("who", "born")), strict=True)) == {
        1: age,
        2: 10,
    }


def test_the_days_back_to_a_birth_are_no_age_over_89() -> None:
    """A birth counted from an admission reveals the age as well as the other way round."""
    table = pa.table(
        {"who": [1, 2], "born": ["1899-01-01", "1904-01-01"], "seen": ["2000-01-01"] * 2}
    )
    made = with_intervals(read(table), "who", {"born": "seen"}).table.to_pyarrow()
    assert made.column("born").to_pylist() == [-LONGEST, -LONGEST]


def test_a_missing_date_is_a_missing_interval() -> None:
    """It is not an anchor either."""
    table = pa.table({"who": [1, 1], "seen": ["", "2020-02-01"]})
    made = with_intervals(read(table), "who", {"seen": FIRST}).table.to_pyarrow()
    assert sorted(made.column("seen").to_pylist(), key=str) == [0, None]


def test_what_is_no_date_is_refused() -> None:
    """The one value it is about is named, and what to do."""
    table = pa.table({"who": [1, 1], "seen": ["2020-01-01", "01/02/2020"]})
    with pytest.raises(SourceError, match=r"01/02/2020.*YYYY-MM-DD"):
        with_intervals(read(table), "who", {"seen": FIRST})


def test_an_anchor_of_ninety_years_before_is_not_told() -> None:
    """The birth of a very old person, next to a date, would be an age over 89."""
    born = date(1920, 5, 6)
    table = pa.table(
        {
            "who": ["old", "old", "young"],
            "born": [born, None, born],
            "seen": [born, born + timedelta(LONGEST), born + timedelta(LONGEST - 1)],
        }
    )
    made = with_anchor(read(table), "who", "born", "anchor", ["seen"])
    assert made.columns == ("who", "born", "seen", "anchor")
    rows = made.table.to_pyarrow().to_pylist()
    assert {(row["who"], row["anchor"]) for row in rows} == {("old", None), ("young", born)}
