"""A query of a source ends when somebody wants to stop."""

from __future__ import annotations

import pyarrow as pa
from slow_queries import cancelled_when, check_cancelled

from roadstead.tables.reading import read

TABLE = pa.table({"a": [f"text {at}" for at in range(60)]})


def test_a_query_of_the_private_engine_is_cancelled() -> None:
    with read(TABLE) as source:
        check_cancelled(source)


def test_a_query_that_nobody_stops_is_answered() -> None:
    with read(TABLE) as source, cancelled_when(source, lambda: False):
        assert source.table.count().to_pyarrow().as_py() == 60
