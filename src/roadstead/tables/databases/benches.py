"""A workbench for a source, in whatever engine it is."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from roadstead.tables.databases.duckdb_bench import DuckdbBench
from roadstead.tables.databases.postgres_bench import PostgresBench
from roadstead.tables.databases.spark_bench import SparkBench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roadstead.tables.databases.workbench import Workbench
    from roadstead.tables.source import Source


@contextlib.contextmanager
def workbench(source: Source) -> Iterator[Workbench]:
    """Open a workbench for as long as a block lasts.

    Parameters
    ----------
    source
        The table to work on.

    Raises
    ------
    SourceError
        Nothing can be kept beside this source; says what would do.
    """
    bench = _bench(source)
    try:
        yield bench
    finally:
        bench.close()


def _bench(source: Source) -> Workbench:
    kind = source.table.get_backend().name
    if kind == "pyspark":
        return SparkBench(source.table, source.name)
    if kind == "postgres":
        return PostgresBench(source.table, source.name)
    from roadstead.tables.transfer import brought  # noqa: PLC0415 - heavy

    return DuckdbBench(brought(source.table, source.name), source.name)
