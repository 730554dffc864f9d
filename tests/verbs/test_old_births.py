"""Births that show an age over 89 next to another date: one band at every level, on every path."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.errors import HierarchyError
from roadstead.hierarchies.calendar_units import CalendarUnit
from roadstead.hierarchies.dates import dates
from roadstead.hierarchies.rules import Calendar
from roadstead.release.persons.early_births import EarlyBirths, early_births
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.persons.dates import LONGEST
from roadstead.tables.persons.profiles import counted_by
from roadstead.tables.reading import read

DAYS = st.dates(date(1890, 1, 1), date(2030, 12, 31))
NOW = 2026
UNITS = ["day", "month", "quarter", "year", "decade"]


def table(*, born: str = "birth_date", form: str = "%Y-%m-%d") -> pd.DataFrame:
    """Make 400 people; some are over 89 when they are admitted, in 2018 or 2019."""
    births = [date(1912, 5, 1) + timedelta(90 * at) for at in range(400)]
    seen = [date(2018, 1, 1) + timedelta(7 * at % 720) for at in range(400)]
    return pd.DataFrame(
        {
            born: [day.strftime(form) for day in births],
            "admission_date": [day.strftime(form) for day in seen],
            "sex": ["f", "m"] * 200,
        }
    )


def released(result: Any) -> pd.DataFrame:  # noqa: ANN401 - of any kind
    frame = result.to_pandas()
    return frame[frame["sex"] != "*"]


def counted(rows: list[tuple[date, date | None]], *, form: str = "%Y-%m-%d") -> FrequencyTable:
    """Count records with a birth and a later date, which may be missing."""
    texts = [
        [one.strftime(form) if one else "" for one in pair] for pair in zip(*rows, strict=True)
    ]
    return summarize(read(pa.table({"dob": texts[0], "visit": texts[1]})), ["dob", "visit"])


# With twenty other dates, a date that is far from them is not compared.
@given(rows=st.lists(st.tuples(DAYS, st.none() | DAYS), min_size=1, max_size=19))
def test_who_is_not_in_the_band_is_at_most_89(rows: list[tuple[date, date | None]]) -> None:
    """By the definition: 90 years between the two dates of a record."""
    old = [born for born, seen in rows if seen is not None and (seen - born).days >= LONGEST]
    alone = all(seen is None for _, seen in rows)
    found = early_births(counted(rows), NOW).get("dob", EarlyBirths(0, NOW if alone else None))
    bottom = found.before
    assert found.compared_with == (NOW if alone else None)
    assert all(born.year < bottom for born in old)
    assert bottom % 10 == 0
    if alone:
        rows = [(born, date(NOW, 12, 31)) for born, _ in rows]
    nearly = [born for born, seen in rows if seen is not None and seen.year - born.year >= 90]
    assert bool(nearly) == bool(bottom)
    if nearly:
        seen_years = [seen.year for _, seen in rows if seen is not None]
        wide = max(seen_years) - min(seen_years) > 50
        youngest = max(nearly).year if wide else max(seen_years) - 90
        assert bottom - 10 <= youngest < bottom


@pytest.mark.quick(3)
@pytest.mark.parametrize("eldest", ["1899-05-05", "1909-05-05", "1931-05-05"])
@pytest.mark.parametrize("wrong", ["2024-05-05", "2999-12-31", "1900-01-01"])
def test_the_band_depends_neither_on_one_person_nor_on_a_wrong_date(
    eldest: str, wrong: str
) -> None:
    """Fault classes: the band ended in the eldest's decade; one wrong date moved all births."""
    rows = [("1960-02-03", f"2024-01-{1 + at % 28:02}") for at in range(40)]
    rows += [(eldest, "2024-03-01"), ("1970-01-01", wrong)]
    births, visits = (list(own) for own in zip(*rows, strict=True))
    assert years(birth_date=births, visit=visits) == {"birth_date": 1940}
    said = " ".join(
        rs.anonymize(
            {"birth_date": births, "visit": visits},
            k=2,
            quasi=["birth_date", "visit"],
            suppression=1.0,
        ).noticed
    )
    assert ("1 of 42 values of visit is far from all other dates" in said) == (wrong[:4] != "2024")


@given(day=DAYS, bottom=st.integers(1890, 2030), unit=st.sampled_from([*UNITS, "week"]))
def test_a_label_is_the_band_or_a_unit_that_does_not_end_before_it(
    day: date, bottom: int, unit: CalendarUnit
) -> None:
    """The rule produces its own labels, and no label of a unit that is wholly in the band."""
    rule = Calendar(unit, bottom=bottom)
    label = rule.label(day.isoformat())
    plain = Calendar(unit).label(day.isoformat())
    assert label == (f"before {bottom}" if day.year < bottom else plain)
    assert rule.produces(str(label))
    assert not Calendar(unit).produces(f"before {bottom}")
    if day.year < bottom - 10:
        assert not rule.produces(str(plain))


@pytest.mark.quick(2)
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y"])
@pytest.mark.parametrize("recoding", ["global", "cells", "local", "intervals"])
def test_no_policy_shows_an_age_over_89(form: str, recoding: str) -> None:
    """The proposal that nobody read, whatever the policy: no cell tells early births apart."""
    name = "birth_year" if form == "%Y" else "birth_date"
    data = table(born=name, form=form).rename(columns={"admission_date": "year_seen"})
    asked: dict[str, Any] = {"k": 2, "recoding": recoding}
    found = rs.anonymize(data, quasi=[name, "year_seen"], unchanged=["sex"], **asked)
    assert not any("show an age over 89 in" in line for line in found.noticed)
    cells = set(map(str, found.to_pandas()[name]))
    early = [str(year) for year in range(1912, 1930)]
    assert not any(cell.startswith(year) for cell in cells for year in early), cells
    assert not any(cell.startswith(("191", "192")) for cell in cells), cells


@pytest.mark.nightly
def test_the_scan_the_release_and_its_checks(tmp_path: Path) -> None:
    """The project file has the band; `verify`, the next month, and SQL agree on it."""
    table().to_csv(tmp_path / "t.csv", index=False)
    project = str(tmp_path / "t.toml")
    assert run("scan", str(tmp_path / "t.csv"), "--out", project).code == 0
    assert "bottom = 1930" in (tmp_path / "t.toml").read_text()
    out = tmp_path / "out"
    ran = run("anonymize", "--project", project, "--out", str(out))
    assert ran.code == 0, ran.error
    assert "are in one band at every level: before 1930" in ran.out
    assert "show an age over 89 in" not in ran.out
    assert run("verify", str(out)).code == 0
    later = table()
    later["admission_date"] = later["admission_date"].str.replace("201", "202")
    later.loc[0, "birth_date"] = "1905-02-03"
    later.to_csv(tmp_path / "t.csv", index=False)
    policy, again = str(out / "policy.json"), tmp_path / "again"
    ran = run("apply", policy, str(tmp_path / "t.csv"), "--out", str(again))
    assert ran.code == 0, ran.error
    assert "1905" not in (again / "t.csv").read_text()
    assert "show an age over 89 in" in ran.out
    assert "Anonymize the table again, with bottom = 1940 in the hierarchy" in ran.out
    assert "--identifiers birth_date" not in ran.out


def test_a_hierarchy_without_the_band_is_said_with_the_year_for_it() -> None:
    """The sentence names a key that removes the fault."""
    spec: dict[str, Any] = {"kind": "dates", "units": ["year"]}
    asked: dict[str, Any] = {"quasi": ["birth_date", "admission_date"], "k": 2}
    fine = {"admission_date": {"kind": "dates", "units": ["year"]}}
    level: dict[str, Any] = {"max_level": {"birth_date": 0, "admission_date": 0}}
    options = {**asked, **level, "suppression": 1.0, "unchanged": ["sex"]}
    bad = rs.anonymize(table(), hierarchies={**fine, "birth_date": spec}, **options)
    said = [line for line in bad.noticed if "show an age over 89 in" in line]
    assert len(said) == 1
    assert "bottom = 1930" in said[0]
    good = rs.anonymize(
        table(), hierarchies={**fine, "birth_date": {**spec, "bottom": 1930}}, **options
    )
    assert not any("show an age over 89 in" in line for line in good.noticed)


def years(**columns: list[str]) -> dict[str, int]:
    """Return the bands of a table with these columns."""
    found = early_births(summarize(read(pa.table(columns)), [*columns]), NOW)
    assert all(one.compared_with is None for one in found.values())
    return {name: one.before for name, one in found.items()}


def test_a_column_that_is_no_birth_or_shows_no_old_age_keeps_its_units() -> None:
    """No age follows, or the column is not called a birth."""
    assert years(opened=["1912-01-01"], visit=["2018-01-01"]) == {}
    assert years(birth_date=["1950-01-01"], visit=["2018-01-01"]) == {}
    assert years(birth_weight=["2900"], visit=["2018-01-01"]) == {}
    assert years(birth_date=["1912-01-01", "1950-01-01"], visit=["1970-01-01", "2018-01-01"]) == {}
    assert years(birth_date=["1912-01-01"], visit=["3.4.2018"]) == {"birth_date": 1930}


def test_ninety_years_are_in_the_band_and_eighty_nine_are_not() -> None:
    """The boundary, by years: the day of a 90th birthday, and the year before."""
    assert years(dob=["1929-05-06"], visit=["2019-05-06"]) == {"dob": 1930}
    assert years(dob=["1929-05-06"], visit=["2018-12-31"]) == {}
    assert years(dob=["1929-12-31"], visit=["2019-01-01"]) == {"dob": 1930}
    assert years(dob=["1930-01-01"], visit=["2019-12-31"]) == {}
    assert years(birth_year=["1929", "1930"], year_seen=["2019", "2020"]) == {"birth_year": 1940}


def test_dates_that_were_moved_by_centuries_keep_their_units() -> None:
    """Fault class: beside the latest date of the table, nearly all births were in the band."""
    births = [date(2050 + 2 * at, 1, 1) for at in range(50)]
    moved = {
        "dob": [*map(str, births)],
        "visit": [str(born + timedelta(20_000)) for born in births],
    }
    assert years(**moved) == {}


def test_of_people_all_their_records_count() -> None:
    """The birth is in one record, and the late visit in another."""
    rows = [("p0", "1912-03-04", ""), ("p0", "", "2018-05-06"), ("p1", "1960-01-01", "2018-05-06")]
    columns = dict(zip(("who", "dob", "visit"), zip(*rows, strict=True), strict=True))
    source = read(pa.table({name: list(values) for name, values in columns.items()}))
    found = early_births(counted_by(source, "who", ["dob", "visit"]), NOW)
    assert found == {"dob": EarlyBirths(1930)}
    assert early_births(counted_by(source, None, ["dob", "visit"]), NOW) == {}


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "name",
    [
        *("birth_date", "DOB", "dateOfBirth", "year_of_birth", "Geburtsdatum", "geburtsjahr"),
        *("Data de Nascimento", "data_nasc", "fecha_nacimiento", "année_de_naissance", "nascita"),
    ],
)
def test_births_are_known_by_name_in_several_languages(name: str) -> None:
    """A registrar in Lisbon has the same protection."""
    for births in (["1912-01-01", "1950-01-01"], ["1912", "1950"]):
        assert years(**{name: births, "visit": ["2018-01-01"] * 2}) == {name: 1930}


def test_the_band_covers_its_days_in_the_loss() -> None:
    """A record in the band loses the days from the first birth to the end of the band."""
    values = ["1920-01-01", "1925-06-01", "1930-01-01", "1939-12-31"]
    hierarchy = dates("birth_date", values, ["year", "decade"], bottom=1930)
    days = (date(1930, 1, 1) - date(1920, 1, 1)).days
    band = hierarchy.levels[0].labels.index("before 1930")
    assert hierarchy.levels[0].leaves[band] == days
    assert hierarchy.levels[1].leaves[hierarchy.levels[1].labels.index("before 1930")] == days
    with pytest.raises(HierarchyError, match="bottom 0 is not a year"):
        dates("birth_date", values, bottom=0)
