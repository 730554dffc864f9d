"""Ages over 89 from two columns: by the definition, on released cells, and on the exact day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.errors import Refusal
from roadstead.tables.persons.dates import LONGEST

BORN = date(1921, 3, 4)


def table_of(*, oldest: int, as_year: bool = False, years: int = 1) -> pa.Table:
    """Make 40 people of 50 years, and four whose last visit is a number of days after birth."""
    rows: list[dict[str, Any]] = []
    for person in range(44):
        born = BORN if person < 4 else date(1962, 1, 1)
        last = BORN + timedelta(oldest)
        for visit in range(2):
            seen = last - timedelta(365 * years * visit)
            rows.append({"who": f"p{person}", "born": born, "seen": seen})
    table = pa.Table.from_pylist(rows)
    if as_year:
        table = table.append_column("birth_year", pa.array([row["born"].year for row in rows]))
    return table


ASKED: dict[str, Any] = {"person": "who", "k": 3, "suppression": 0.0}
LEVELS: dict[str, Any] = {"max_level": {"born": 0, "seen": 0}}


def test_ninety_years_and_no_day_less() -> None:
    """Of exact dates, 90 years after birth are refused, and a day less is not."""
    quasi: dict[str, Any] = {"quasi": ["born", "seen"], **ASKED, **LEVELS, "declared": UNITS}
    rs.anonymize(table_of(oldest=LONGEST - 1), **quasi)
    linked: dict[str, Any] = {"link": "pseudonym"}
    for link, advice in (({}, "born=age:seen"), (linked, "seen=interval:born")):
        with pytest.raises(
            Refusal, match=f"(?s)over 89 can be computed from 'born' and 'seen'.*{advice}"
        ):
            rs.anonymize(table_of(oldest=LONGEST), **quasi, **link)


def test_cells_that_leave_younger_ages_open_tell_none() -> None:
    """A decade of birth and a year of visit may mean 84 years, so the age is not over 89."""
    wide: dict[str, Any] = {
        "min_level": {"born": 4, "seen": 3},
        "max_level": {"born": 4, "seen": 3},
    }
    table = table_of(oldest=LONGEST + 400)
    found = rs.anonymize(table, quasi=["born", "seen"], **ASKED, **wide, declared=UNITS)
    assert {row["born"] for row in found.table().to_pyarrow().to_pylist()} == {"1920s", "1960s"}
    near: dict[str, Any] = {
        "min_level": {"born": 3, "seen": 3},
        "max_level": {"born": 3, "seen": 3},
    }
    with pytest.raises(Refusal, match="over 89"):
        rs.anonymize(table, quasi=["born", "seen"], **ASKED, **near, declared=UNITS)


UNITS: dict[str, Any] = {
    name: {"kind": "dates", "units": ["day", "month", "quarter", "year", "decade"]}
    for name in ("born", "seen")
}


def test_a_year_of_birth_that_is_released_as_it_is_counts() -> None:
    """Next to a date that is a quasi-identifier."""
    table = table_of(oldest=LONGEST + 400, as_year=True)
    roles = {"quasi": ["seen"], "identifiers": ["born"], "unchanged": ["birth_year"]}
    asked: dict[str, Any] = {**ASKED, **roles}
    with pytest.raises(Refusal, match="'birth_year' and 'seen'"):
        rs.anonymize(table, **asked, max_level={"seen": 0})
    young = table_of(oldest=LONGEST - 400, as_year=True)
    rs.anonymize(young, **asked, max_level={"seen": 0})


def test_the_rows_of_a_person_are_looked_at_together_where_they_are_linked() -> None:
    """The birth is in one row, and the late visit in another."""
    rows: list[dict[str, Any]] = []
    for person in range(8):
        rows += [
            {"who": f"p{person}", "born": BORN, "seen": None},
            {"who": f"p{person}", "born": None, "seen": BORN + timedelta(LONGEST)},
        ]
    table = pa.Table.from_pylist(rows)
    quasi: dict[str, Any] = {"quasi": ["born", "seen"], **ASKED, **LEVELS, "declared": UNITS}
    rs.anonymize(table, **quasi)
    with pytest.raises(Refusal, match="over 89"):
        rs.anonymize(table, **quasi, link="pseudonym")


def test_days_since_birth_end_at_ninety_years() -> None:
    """The fix in the refusal works."""
    found = rs.anonymize(
        table_of(oldest=LONGEST + 3_000),
        quasi=["seen"],
        identifiers=["born"],
        dates={"seen": "interval:born"},
        **ASKED,
        max_level={"seen": 0},
    )
    days = {int(row["seen"]) for row in found.table().to_pyarrow().to_pylist()}
    assert max(days) == LONGEST


@pytest.mark.parametrize(("back", "refused"), [(LONGEST - 3650, False), (LONGEST - 3649, True)])
def test_days_back_to_birth_and_days_on_add_up(back: int, *, refused: bool) -> None:
    """Both from one index event: 80 years before it and more than ten after it are an age."""
    rows = [
        {
            "who": f"p{person}",
            "born": date(2000, 1, 1) - timedelta(back),
            "indexed": date(2000, 1, 1),
            "seen": date(2000, 1, 1) + timedelta(days),
        }
        for person in range(20)
        for days in (0, 3650)
    ]
    asked: dict[str, Any] = {
        "quasi": ["born", "seen"],
        "identifiers": ["indexed"],
        "dates": {"born": "interval:indexed", "seen": "interval:indexed"},
        "link": "pseudonym",
        **ASKED,
        **LEVELS,
    }
    if not refused:
        rs.anonymize(pa.Table.from_pylist(rows), **asked)
        return
    with pytest.raises(Refusal, match="over 89 can be computed from 'born' and 'seen'"):
        rs.anonymize(pa.Table.from_pylist(rows), **asked)


def years_of(text: str, *, last: bool) -> date:
    """Read the first or the last day of a released year, or of some years."""
    first, _, end = text.partition(" to ")
    own = (end or first) if last else first
    if own.endswith("0s"):
        own = str(int(own[:-1]) + 9 * last)
    return date(int(own), 12, 31) if last else date(int(own), 1, 1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("recoding", ["cells", "local", "intervals"])
@pytest.mark.parametrize(("spread", "k"), [(1, 2), (1, 5), (12, 2), (12, 12), (30, 5)])
def test_of_recodings_the_cells_of_each_record_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, recoding: str, spread: int, k: int
) -> None:
    """It is refused where an age over 89 follows from two cells, read off the release by hand."""
    rows = [
        {
            "who": f"p{at}",
            "born": date(1915 + at * spread % 31, 3, 4),
            "seen": date(2006 + at % 3 * 4, 5, 6),
        }
        for at in range(24)
    ]
    units = {"kind": "dates", "units": ["year", "decade"]}
    asked: dict[str, Any] = {
        "quasi": ["born", "seen"],
        "person": "who",
        "k": k,
        "recoding": recoding,
        "declared": {"born": units, "seen": units},
    }
    with monkeypatch.context() as patch:
        patch.setattr("roadstead.verbs.examined_table.require_no_old_age", lambda *_: None)
        released = rs.anonymize(pa.Table.from_pylist(rows), **asked).table()
    follows = False
    for row in released.to_pyarrow().to_pylist():
        if "*" not in row.values():
            born, seen = years_of(row["born"], last=True), years_of(row["seen"], last=False)
            follows |= (seen - born).days >= LONGEST
    if follows:
        with pytest.raises(Refusal, match="over 89"):
            rs.anonymize(pa.Table.from_pylist(rows), **asked)
    else:
        rs.anonymize(pa.Table.from_pylist(rows), **asked)
