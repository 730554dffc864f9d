"""Treated columns where the table lies in a database: the rows that a file gives."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from commands import without_charts
from treated_tables import HEADER, anonymized, stays, written

import roadstead
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import Server
    from spark_tables import Spark

pytestmark = pytest.mark.nightly

TABLE = "treated_stays"
TREAT: list[dict[str, Any]] = [
    {"kind": "microaggregation", "columns": ["glucose", "bmi"], "within": "classes"},
    {"kind": "microaggregation", "column": "stay", "function": "interval", "k": 20},
]
PLAIN: list[dict[str, Any]] = [
    {"kind": "rounding", "column": "bmi", "base": 0.5},
    {"kind": "microaggregation", "column": "glucose", "function": "median"},
]


def in_file(folder: Path) -> Counter[tuple[str, ...]]:
    """Count the rows of a released file, numbers as numbers."""
    (file,) = [*folder.glob("*.parquet"), *folder.glob("*.csv")]
    read = duckdb.read_parquet if file.suffix == ".parquet" else duckdb.read_csv
    return Counter(
        tuple("" if cell is None else str(cell).removesuffix(".0") for cell in row)
        for row in read(str(file)).fetchall()
    )


def from_file(treat: list[dict[str, Any]], folder: Path, **more: Any) -> Counter[tuple[str, ...]]:  # noqa: ANN401 - as anonymize
    """Release the stays from a file."""
    anonymized(written(folder, stays(200, gaps=True)), treat, **more).write(folder / "of file")
    return in_file(folder / "of file")


@pytest.mark.parametrize("treat", [TREAT, PLAIN])
@pytest.mark.parametrize("persons", [False, True])
def test_postgres_releases_what_a_file_gives(
    postgres: Server,
    treat: list[dict[str, Any]],
    persons: bool,  # noqa: FBT001 - a parameter
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To a file, and to a table that the engine makes itself."""
    without_charts(monkeypatch)
    more: dict[str, Any] = {"person": "who", "suppression": 0.9} if persons else {}
    wanted = from_file(treat, tmp_path, **more)
    rows = [tuple(cell or None for cell in row) for row in stays(200, gaps=True)]
    postgres.run("DROP TABLE IF EXISTS released")
    postgres.load(TABLE, HEADER, rows)
    try:
        kept = postgres.address("released", user="owner")
        with read(postgres.address(TABLE, user="owner")) as source:
            own = anonymized(source, treat, **more)
            assert own.write(tmp_path / "out").passed
            assert in_file(tmp_path / "out") == wanted
            assert own.write(tmp_path / "into", into=kept).passed
        found = postgres.run("SELECT * FROM released")
        assert Counter(tuple("" if c is None else str(c) for c in row) for row in found) == wanted
        assert roadstead.verify(tmp_path / "into", table=kept).passed
    finally:
        postgres.run(f"DROP TABLE IF EXISTS released, {TABLE}")


def test_spark_releases_what_a_file_gives(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a table of Spark."""
    without_charts(monkeypatch)
    wanted = from_file(TREAT, tmp_path)
    rows = [tuple(cell or None for cell in row) for row in stays(200, gaps=True)]
    spark.load(TABLE, HEADER, rows)
    try:
        assert anonymized(spark.address(TABLE), TREAT).write(tmp_path / "out").passed
        assert in_file(tmp_path / "out") == wanted
    finally:
        spark.drop(TABLE)
