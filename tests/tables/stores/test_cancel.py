"""A query of a source ends after a request to stop."""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow as pa
import pytest
from slow_queries import cancelled_when, check_cancelled

from roadstead.tables.failures import engine_errors
from roadstead.tables.reading import read

TABLE = pa.table({"a": [f"text {at}" for at in range(60)]})


def test_a_query_of_the_private_engine_is_cancelled() -> None:
    with read(TABLE) as source:
        check_cancelled(source)


def test_a_query_of_a_text_file_is_cancelled(tmp_path: Path) -> None:
    """Also where DuckDB is asked in its own words, and Arrow says that it was interrupted."""
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "\n".join(f"text {at}" for at in range(60)), encoding="utf-8")
    with read(path) as source:
        assert source.texts is not None
        table = source.texts
        crossed = ", ".join(f"{table.name} AS t{at}" for at in range(16))
        stop = threading.Event()
        threading.Timer(0.3, stop.set).start()  # sooner or later is well too
        with (
            pytest.raises(KeyboardInterrupt),
            cancelled_when(source, stop.is_set),
            engine_errors("t.csv"),
        ):
            table.columns_of(f"SELECT count(DISTINCT t0.a || t1.a || t2.a) FROM {crossed}")  # noqa: S608 - ours


def test_a_query_that_nobody_stops_is_answered() -> None:
    with read(TABLE) as source, cancelled_when(source, lambda: False):
        assert source.table.count().to_pyarrow().as_py() == 60
