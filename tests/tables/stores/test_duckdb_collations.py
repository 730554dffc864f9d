"""Texts that are equal under a DuckDB collation are different values, as in other tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import quote

import duckdb
import ibis
import pytest
from commands import run, without_charts

import roadstead as rs
from roadstead.errors import SourceError
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

ROWS = [
    *([("anna", "Zoe", "flu")] * 3 + [("ANNA", "Zoe", "cold")] * 3),
    *([("Anna", "Zoë", "flu")] * 3 + [("bert", "zoe", "flu")] * 4 + [("bert", "ZOË", "cold")] * 4),
]


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A file with columns that ignore capitals, accents, or both, and a view of them."""
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE people (name VARCHAR COLLATE NOCASE, other VARCHAR "
            "COLLATE NOCASE.NOACCENT, diagnosis VARCHAR COLLATE NOCASE)"
        )
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        connection.execute("CREATE VIEW folded AS FROM people")
        connection.execute("CREATE TABLE plain AS SELECT name || '' AS name FROM people")
    return path


def address(path: Path, table: str) -> str:
    return f"duckdb://{quote(str(path))}?table={table}"


def counted(place: str, columns: list[str]) -> Counter[tuple[str, ...]]:
    with read(place) as source:
        table = summarize(source, columns)
    return Counter(
        {
            tuple(d[c[row]] for d, c in zip(table.domains, table.codes, strict=True)): int(count)
            for row, count in enumerate(table.counts)
        }
    )


@pytest.mark.parametrize("table", ["people", "folded"])
def test_values_are_grouped_by_their_bytes(clinic: Path, table: str) -> None:
    """In a table and in a view of it."""
    found = counted(address(clinic, table), ["name", "other", "diagnosis"])
    assert found == Counter(ROWS)


def test_a_release_and_its_check_tell_them_apart(
    clinic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a file do: in its classes, in what is joined to them, and when verified."""
    without_charts(monkeypatch)
    witness = tmp_path / "people.csv"
    lines = ["name,other,diagnosis", *(",".join(row) for row in ROWS)]
    witness.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = (
        *("--quasi", "name,other", "--release-anyway", "name,other", "--sensitive", "diagnosis"),
        *("--k", "4", "--suppression", "1"),
    )
    released = []
    for place, out in ((witness, "file"), (address(clinic, "people"), "engine")):
        ran = run("anonymize", place, *asked, "--out", tmp_path / out)
        assert ran.code == 0, ran.err
        (table,) = (p for p in (tmp_path / out).iterdir() if p.suffix in (".csv", ".parquet"))
        released.append(counted(str(table), ["name", "other", "diagnosis"]))
    assert released[0] == released[1]
    assert max(len({name for name, *_ in one}) for one in released) > 1


def test_a_table_that_only_a_collation_makes_large_classes_of_is_not_verified(clinic: Path) -> None:
    """Three names, and each of fewer than four people."""
    wrong = run("verify", address(clinic, "people"), "--quasi", "name", "--k", "4")
    assert wrong.code == 1
    assert "3 of 4 groups fail" in wrong.out


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # Ibis calls what DuckDB has renamed
def test_the_connection_of_a_user_is_read_by_bytes_too(clinic: Path) -> None:
    """Its columns have collations of their own; a default one for all that it compares, none."""
    mine = ibis.duckdb.connect(clinic)
    result = rs.risk(mine.table("people"), quasi=["name"])
    assert result.to_dict()["records"] == len(ROWS)
    with read(mine.table("people")) as source:
        assert summarize(source, ["name"]).domains == (("ANNA", "Anna", "anna", "bert"),)
    mine.con.execute("SET default_collation = 'NOCASE'")
    with pytest.raises(SourceError, match="has the default collation 'NOCASE'"):
        read(mine.table("plain"))
    mine.disconnect()
