"""Tables of other libraries and typed files: the same release for any source of the records."""

from __future__ import annotations

import datetime as dt
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from commands import without_charts
from pyarrow import parquet
from small_tables import write_csv

import roadstead as rs

NAN = float("nan")
TIMES = 6
ROWS: dict[str, list[Any]] = {
    "age": [39, 41, None],
    "sex": ["F", "M", "F"],
    "admitted": [dt.date(2024, 1, 31), dt.date(2024, 2, 29), None],
    "weight": [61.5, 72.0, None],
    "smoker": [True, False, None],
    "cost": [Decimal("10.50"), Decimal("0.25"), None],
    "seen": [dt.datetime(2024, 1, 31, 12, 30), dt.datetime(2024, 2, 29), None],  # noqa: DTZ001 - a clock on the wall
}
TABLE = pa.table({name: values * TIMES for name, values in ROWS.items()})
QUASI = ("age", "sex", "admitted", "weight", "smoker")
EXPECTED = Counter(
    {
        ("39", "F", "2024-01-31", "61.5", "true"): TIMES,
        ("41", "M", "2024-02-29", "72", "false"): TIMES,
        (None, "F", None, None, None): TIMES,
    }
)


def as_parquet(folder: Path) -> Path:
    """Write the table with its types."""
    parquet.write_table(TABLE, folder / "stays.parquet")
    return folder / "stays.parquet"


def as_engine(_folder: Path) -> ibis.Table:
    """Put the table into an engine of the user's own."""
    connection = ibis.duckdb.connect()
    connection.con.register("stays", TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis calls a renamed method
        return connection.table("stays")


HOLDERS: dict[str, Callable[[Path], Any]] = {
    "a Parquet file": as_parquet,
    "Arrow": lambda _: TABLE,
    "pandas": lambda _: TABLE.to_pandas(),
    "pandas with types that know missing values": lambda _: TABLE.to_pandas().convert_dtypes(),
    "Polars": lambda _: pl.from_arrow(TABLE),
    "lazy Polars": lambda _: pl.DataFrame(pl.from_arrow(TABLE)).lazy(),
    "a mapping of lists": lambda _: TABLE.to_pydict(),
    "Ibis in memory": lambda _: ibis.memtable(TABLE),
    "Ibis on an engine": as_engine,
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no charts."""
    without_charts(monkeypatch)


@pytest.mark.quick(2)
@pytest.mark.parametrize("holder", HOLDERS)
def test_a_table_is_released_whatever_holds_it(tmp_path: Path, holder: str) -> None:
    """Quasi-identifiers as the same text, missing ones missing; other columns with their types."""
    result = rs.anonymize(HOLDERS[holder](tmp_path), quasi=QUASI, release_anyway=["cost", "seen"])
    assert (result.loss, result.suppressed) == (0.0, 0)
    assert result.write(tmp_path / "release").passed
    (path,) = (tmp_path / "release").glob("*.parquet")
    assert path.name == ("stays.parquet" if "file" in holder else "release.parquet")
    released = parquet.read_table(path)
    assert released.column_names == list(ROWS)
    rows = [tuple(row[name] for name in QUASI) for row in released.to_pylist()]
    assert Counter(rows) == EXPECTED
    assert pa.types.is_decimal(released.schema.field("cost").type)
    assert pa.types.is_timestamp(released.schema.field("seen").type)
    others = Counter(zip(TABLE["cost"].to_pylist(), TABLE["seen"].to_pylist(), strict=True))
    found = zip(released["cost"].to_pylist(), released["seen"].to_pylist(), strict=True)
    assert Counter(found) == others


def test_not_a_number_in_pandas_is_missing(tmp_path: Path) -> None:
    """The whole numbers next to it keep their form."""
    frame = pd.DataFrame({"age": [39.0, NAN] * TIMES, "sex": ["F", None] * TIMES})
    result = rs.anonymize(frame, quasi=["age", "sex"])
    assert Counter(map(tuple, result.to_arrow().to_pandas().itertuples(index=False))).total() == 12
    rows = [tuple(row.values()) for row in result.to_arrow().to_pylist()]
    assert Counter(rows) == {("39", "F"): TIMES, (None, None): TIMES}
    assert result.write(tmp_path / "release").passed


@pytest.mark.nightly
def test_a_result_is_given_in_three_libraries() -> None:
    """With the same rows in the same order, which is not that of the original."""
    result = rs.anonymize(TABLE, quasi=QUASI)
    rows = result.to_arrow().to_pylist()
    assert result.to_polars().to_dicts() == rows
    frame = result.to_pandas()
    assert list(frame.columns) == list(rows[0])
    assert frame["sex"].to_list() == [row["sex"] for row in rows]
    assert list(frame.index) == list(range(len(rows)))


def test_an_index_of_pandas_is_not_released() -> None:
    """It numbers the original rows."""
    frame = TABLE.to_pandas()[["age", "sex"]]
    frame.index = pd.Index([f"record {i}" for i in range(len(frame))], name="record")
    assert rs.anonymize(frame, quasi=["age", "sex"]).to_arrow().column_names == ["age", "sex"]


def test_a_result_shows_itself() -> None:
    """As text and in a notebook."""
    result = rs.anonymize(TABLE, quasi=QUASI)
    assert "Detail lost: 0%" in str(result)
    assert "<table" in result._repr_html_()
    assert "smoker" in result._repr_html_()


def test_a_proposal_shows_itself_with_a_chart() -> None:
    """The columns that distinguish most records come first in it."""
    shown = rs.scan(TABLE)._repr_html_()
    assert "<svg" in shown
    assert "Bar chart of how many distinct values" in shown


def test_five_lines_of_python_do_the_main_job(tmp_path: Path) -> None:
    """Read, anonymize, look, write, verify."""
    data = write_csv(tmp_path / "t.csv", ("age", "sex"), [("39", "F"), ("41", "M")] * TIMES)
    result = rs.anonymize(data, quasi=["age", "sex"], k=5)
    result.write(tmp_path / "release")
    assert rs.verify(tmp_path / "release").passed
    assert rs.verify(data, quasi=["age", "sex"], k=6).passed
    assert not rs.verify(TABLE, quasi=["age", "sex"], k=7).passed
