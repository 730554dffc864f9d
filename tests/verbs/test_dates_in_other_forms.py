"""Dates of people that are written in another form than YYYY-MM-DD are shifted and counted, too."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import run

import roadstead as rs

_FIRST = date(2020, 1, 1)
SHIFTED = (
    *("--person", "who", "--quasi", "sex", "--identifiers", "born", "--sensitive", "dx"),
    *("--date", "seen=shift", "--release-anyway", "seen"),
)


def visits(form: str) -> pd.DataFrame:
    """Return visits of people, with dates of birth and of visits in a form."""
    chance, rows = random.Random(5), []  # noqa: S311 - test data
    for person in range(120):
        born = _FIRST - timedelta(days=chance.randrange(9_000, 20_000))
        for _ in range(chance.choice([1, 2, 3])):
            seen = _FIRST + timedelta(days=chance.randrange(1_300))
            cells = (born.strftime(form), seen.strftime(form), chance.choice("xyz"))
            rows.append((f"p{person}", chance.choice("FM"), *cells))
    return pd.DataFrame(rows, columns=["who", "sex", "born", "seen", "dx"])


def released(table: object, out: Path) -> dict[str, int]:
    """Release visits with ages and days since the first visit, and return the released rows."""
    rs.anonymize(
        table,
        quasi=["sex", "born", "seen"],
        sensitive=["dx"],
        person="who",
        dates={"born": "age:seen", "seen": "interval:first"},
        k=2,
        suppression=0.5,
        out=out,
    )
    rows = duckdb.read_csv(str(next(out.glob("*.csv")))).fetchall()
    return {str(row): rows.count(row) for row in rows}


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d-%b-%Y"])
def test_a_release_does_not_depend_on_the_form(form: str, tmp_path: Path) -> None:
    """Fault class: person time required dates as YYYY-MM-DD, but hierarchies read other forms."""
    usual, other = tmp_path / "usual.csv", tmp_path / "other.csv"
    visits("%Y-%m-%d").to_csv(usual, index=False)
    visits(form).to_csv(other, index=False)
    assert released(other, tmp_path / "b") == released(usual, tmp_path / "a")
    assert run("verify", tmp_path / "b").code == 0
    again = run("repeat", tmp_path / "b", "--original", other)
    assert again.code == 0, again.error


def test_shifted_dates_are_released_as_year_month_day(tmp_path: Path) -> None:
    """The output names the form in which the dates were read."""
    source, out = tmp_path / "t.csv", tmp_path / "out"
    visits("%d/%m/%Y").to_csv(source, index=False)
    asked = (*SHIFTED, "--suppression", "0.5", "--k", "2", "--out", out)
    ran = run("anonymize", source, *asked)
    assert ran.code == 0, ran.error
    assert "These columns have dates in a form other than YYYY-MM-DD: seen (%d/%m/%Y)." in ran.out
    days = duckdb.read_csv(str(out / "t.csv"), all_varchar=True).fetchdf()["seen"]
    assert days.str.fullmatch(r"\d{4}-\d{2}-\d{2}").all()
    assert run("verify", out).code == 0
    assert run("attack", out, "--original", source).code == 0


def test_an_ambiguous_form_is_refused(tmp_path: Path) -> None:
    """All days are at most 12, so 03/04/2020 may be in March or in April."""
    frame, source = visits("%d/%m/%Y"), tmp_path / "t.csv"
    frame["seen"] = [f"0{1 + at % 9}/0{1 + at % 7}/2020" for at in range(len(frame))]
    frame.to_csv(source, index=False)
    ran = run("anonymize", source, *SHIFTED)
    assert ran.code == 2
    assert "the day and the month of its dates cannot be distinguished" in ran.error
    assert "write its dates as YYYY-MM-DD" in ran.error


def test_a_date_in_another_form_than_the_rest_is_named(tmp_path: Path) -> None:
    """The error shows the one cell, as before."""
    frame, source = visits("%d/%m/%Y"), tmp_path / "t.csv"
    frame.loc[7, "seen"] = "soon"
    frame.to_csv(source, index=False)
    ran = run("anonymize", source, *SHIFTED)
    assert ran.code == 2
    assert "is not a date of the form" in ran.error


def with_wrong(table: pa.Table, kind: pa.DataType) -> tuple[pa.Array, str]:
    """Return the dates of visits with one date in a year that Python does not have."""
    wrong = "0000-01-01" if kind == pa.string() else "10001-02-04"
    last = pa.array([wrong]) if kind == pa.string() else pa.array([2933297], pa.int32()).cast(kind)
    return pa.concat_arrays([table["seen"].combine_chunks()[1:].cast(kind), last]), wrong


@pytest.mark.parametrize("kind", [pa.string(), pa.date32()])
@pytest.mark.parametrize("rule", ["seen=shift", "seen=interval:first", "seen=interval:born"])
def test_a_year_that_python_does_not_have_is_refused(
    rule: str, kind: pa.DataType, tmp_path: Path
) -> None:
    """Fault class: the year 0 in a text and the year 10001 in a day ended with a traceback."""
    table = pa.Table.from_pandas(visits("%Y-%m-%d"))
    seen, wrong = with_wrong(table, kind)
    table = table.set_column(table.column_names.index("seen"), "seen", seen)
    pq.write_table(table, tmp_path / "t.parquet")
    ran = run("anonymize", tmp_path / "t.parquet", *SHIFTED[:-3], rule, *SHIFTED[-2:])
    assert ran.code == 2, ran.error
    assert f"column 'seen': value '{wrong}' is not a date of the form" in ran.error


@pytest.mark.parametrize("kind", [pa.string(), pa.date32()])
def test_a_set_refuses_a_year_that_python_does_not_have(kind: pa.DataType, tmp_path: Path) -> None:
    """A set of tables says which cell is wrong, too."""
    table = pa.Table.from_pandas(visits("%Y-%m-%d"))
    seen, wrong = with_wrong(table, kind)
    table = table.set_column(table.column_names.index("seen"), "seen", seen)
    pq.write_table(table, tmp_path / "visits.parquet")
    people = {"who": [f"p{at}" for at in range(120)], "sex": ["F", "M"] * 60}
    pq.write_table(pa.table(people), tmp_path / "people.parquet")
    project = tmp_path / "set.toml"
    lines = (
        f"data = '{tmp_path}'",
        "[tables.people]\ndata = 'people.parquet'\nperson = 'who'\nquasi = ['sex']",
        "[tables.visits]\ndata = 'visits.parquet'\nperson = 'who'\ndates = ['seen']\ncode = 'dx'",
    )
    project.write_text("\n".join(lines), "utf-8")
    ran = run("anonymize", "--tables", "all", "--out", tmp_path / "out", "--project", project)
    assert ran.code == 2, ran.error
    assert f"column 'seen': value '{wrong}' is not a date of the form" in ran.error
