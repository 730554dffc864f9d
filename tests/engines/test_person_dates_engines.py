"""Dates of a person are the same in every engine: with the key, the same release as a file's."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from commands import run, without_charts
from stores import Duckdb, Postgres

from roadstead.release.persons.pseudonyms import write_key
from roadstead.tables.reading import read
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.nightly


START = date(2020, 1, 1)
COLUMNS = ("who", "sex", "born", "seen", "gone")
TYPED = ("who", "sex", "born::date", "seen::timestamp", "gone")
FORMS: dict[str, tuple[str, ...]] = {
    "intervals": (
        *("--quasi", "sex,seen,gone", "--identifiers", "born"),
        *("--date", "seen=shift:first", "--date", "gone=interval:seen"),
    ),
    "days": (
        *("--quasi", "sex", "--release-anyway", "seen,gone", "--identifiers", "born"),
        *("--date", "seen=shift", "--date", "gone=shift"),
    ),
    "ages": (
        *("--quasi", "sex,born,seen,gone"),
        *("--date", "born=age:seen", "--date", "seen=shift:first", "--date", "gone=since:seen"),
    ),
    "times": (
        *("--quasi", "sex", "--release-anyway", "seen,gone", "--identifiers", "born"),
        *("--date", "seen=shift-time", "--date", "gone=shift"),
    ),
}
ASKED = (
    *("--person", "who", "--k", "3"),
    *("--suppression", "0.6", "--link", "pseudonym", "--shift-days", "100"),
)


def stays() -> list[tuple[str | None, ...]]:
    """Three stays of each of 60 people, with times of day; some have no end."""
    rows: list[tuple[str | None, ...]] = []
    for person in range(60):
        first = START + timedelta((person * 37) % 1950)
        born = str(date(1930 + person % 60, 1 + person % 12, 5))
        for later, length in ((0, 2), (10, 1 + person % 2), (40, 5)):
            seen = first + timedelta(later)
            gone = None if (person, later) == (7, 40) else str(seen + timedelta(length))
            rows.append((f"p{person}", "FM"[person % 2], born, f"{seen} 13:45:00", gone))
    return rows


def content(place: str | Path) -> Counter[tuple[str, ...]]:
    """Count the records of a table, as texts."""
    with read(place) as source:
        texts = {f"c{at}": as_text(source.table[name]) for at, name in enumerate(source.columns)}
        table = source.table.select(**texts).to_pyarrow()
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def places(engine: Any, name: str, folder: Path, rows: Sequence[Any]) -> tuple[str, str]:  # noqa: ANN401 - of three kinds
    """Load the source into an engine; return its address, and that of another table there."""
    if name == "duckdb":
        address = Duckdb(folder / "clinic.duckdb").load("stays", TYPED, rows)
        return address, address.replace("main.stays", "released")
    if name == "postgres":
        address = Postgres(engine).load("stays", TYPED, rows)
        engine.run("DROP TABLE IF EXISTS released")
        return engine.address("stays", user="owner"), engine.address("released", user="owner")
    engine.load("stays", TYPED, rows)
    engine.drop("released")
    return engine.address("stays"), engine.address("released")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "name", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.nightly)]
)
def test_dates_are_shifted_alike_where_the_table_lies(
    name: str,
    form: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The release of a file, of a table, and that made a table next to it hold the same records."""
    without_charts(monkeypatch)
    engine = None if name == "duckdb" else request.getfixturevalue(name)
    rows = stays()
    file = tmp_path / "stays.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([COLUMNS, *rows])
    key = tmp_path / "key"
    write_key(key)
    asked: tuple[str | Path, ...] = (*ASKED, *FORMS[form], "--key", key)
    wanted = run("anonymize", file, *asked, "--out", tmp_path / "file", "--json")
    assert wanted.code == 0, wanted.err
    released = content(tmp_path / "file" / "stays.csv")
    assert wanted.json["dates"]["records_left_out"] > 0
    assert sum(released.values()) == wanted.json["released"] > 20

    source, target = places(engine, name, tmp_path, rows)
    streamed = run("anonymize", source, *asked, "--out", tmp_path / "streamed", "--json")
    assert streamed.code == 0, streamed.err
    assert streamed.json["dates"] == wanted.json["dates"]
    assert content(tmp_path / "streamed" / "release.parquet") == released

    into = ("--into", target, "--out", tmp_path / "table")
    made = run("anonymize", source, *asked, *into, "--json")
    assert made.code == 0, made.err
    assert content(target) == released
