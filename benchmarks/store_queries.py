"""How long each kind of query takes in each store, in seconds per million rows.

    .venv/bin/python benchmarks/store_queries.py [ROWS]

A table of 48 columns of text is put into a DuckDB file, a PostgreSQL of this script's own (where
its programs are found) and a Spark of this process (where Java and PySpark are). Each step of
``anonymize --into`` is timed once it is warm: `open` (with the proof that there are records),
`classes` (GROUP BY four quasi-identifiers), `keep` (the same, kept for a search in the engine),
`write` (all columns to a staged table, its comment and statistics), `digest` (the content
fingerprint of the staged table) and `publish`.

Two cores shared with much other work (load 8), PostgreSQL 15 and Spark 4 on the same machine,
100,000 rows, seconds per million rows; a quiet machine takes a part of it::

                     open  classes     keep    write   digest  publish
    DuckDB           0.71     0.30     0.17    10.76    29.02    14.15
    PostgreSQL       1.26     1.24     0.81    25.18     8.73     0.15
    Spark           13.72    17.41    96.31   351.41   153.10     0.70

The digest in DuckDB is 4.7 s of CPU. In PostgreSQL, of 101,766 rows of 48 columns, it took 7.7 s
when each of its sums had a digest of its own, and takes 0.7 s since a row is digested once.
"""

from __future__ import annotations

import contextlib
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import postgres_server
import spark_cluster

from roadstead.tables.content import content_digest
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink, workbench

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COLUMNS = 48
QUASI = ("c0", "c1", "c2", "c3")
STEPS = ("open", "classes", "keep", "write", "digest", "publish")


def made_up(rows: int) -> pa.Table:
    """Make records whose columns have from 2 to 1,000 values."""
    chance = random.Random(1)  # noqa: S311 - made up
    values = [
        [f"value {at}" for at in range(2 + column * column // 2)] for column in range(COLUMNS)
    ]
    return pa.table(
        {f"c{at}": pa.array(chance.choices(values[at], k=rows)) for at in range(COLUMNS)}
    )


def timed(address: Callable[[str], str]) -> dict[str, float]:
    """Time each step on the table ``records`` of a store."""
    took = {}

    @contextlib.contextmanager
    def step(name: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        took[name] = time.perf_counter() - begun

    with step("open"):
        source = read(address("records"))
    with source, workbench(source) as bench:
        with step("classes"):
            summarize(source, QUASI)
        with step("keep"):
            bench.keep(bench.table.group_by(list(QUASI)).aggregate(n=bench.table.count()))
        with sink(address("released"), source, force=True) as made:
            with step("write"):
                staged = made.stage(bench.table)
            with step("digest"):
                content_digest(staged)
            with step("publish"):
                made.publish()
    return took


@contextlib.contextmanager
def in_duckdb(records: pa.Table) -> Iterator[Callable[[str], str]]:
    """Put the records into a DuckDB file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.duckdb")
        with duckdb.connect(path) as connection:
            connection.register("made", records)
            connection.execute("CREATE TABLE records AS FROM made")
        yield lambda table: f"duckdb://{path}?table={table}"


@contextlib.contextmanager
def in_postgres(records: pa.Table) -> Iterator[Callable[[str], str]]:
    """Put the records into a PostgreSQL that ends with the block."""
    folder = postgres_server.programs()
    if folder is None:
        raise RuntimeError("install PostgreSQL")
    with postgres_server.running(folder) as server:
        rows = zip(*(column.to_pylist() for column in records.columns), strict=True)
        server.load("records", records.column_names, list(rows))
        server.run("ANALYZE records")
        yield lambda table: server.address(table, user="owner")


@contextlib.contextmanager
def in_spark(records: pa.Table) -> Iterator[Callable[[str], str]]:
    """Put the records into Parquet files that a Spark of this process reads."""
    if (reason := spark_cluster.lacking()) is not None:
        raise RuntimeError(reason)
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "records").mkdir()
        parquet.write_table(records, Path(folder, "records", "part-0.parquet"))
        yield lambda table: f'spark://local?table=parquet."{folder}/{table}"'


def main() -> None:
    """Time all stores and print a table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    records = made_up(rows)
    warnings.simplefilter("ignore")
    print(f"{'':12}" + "".join(f"{step:>9}" for step in STEPS))
    for name, place in (("DuckDB", in_duckdb), ("PostgreSQL", in_postgres), ("Spark", in_spark)):
        try:
            with place(records) as address:
                timed(address)
                took = timed(address)
        except RuntimeError as error:
            print(f"{name:12}{error}")
            continue
        print(f"{name:12}" + "".join(f"{took[step] * 1e6 / rows:9.2f}" for step in STEPS))


if __name__ == "__main__":
    main()
