"""Texts that are equal under a collation are different values in PostgreSQL and Spark too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from postgres_server import Server
    from spark_tables import Spark

NAMES = ("anna", "ANNA", "Anna", "bert", "bert ")
_VALUES = ", ".join(f"('{name}')" for name in NAMES)


def check(place: str) -> None:
    with read(place) as source:
        table = summarize(source, ["name"])
        assert table.domains == (tuple(sorted(NAMES)),)
        assert table.counts.tolist() == [1] * len(NAMES)


def test_postgres_groups_by_bytes(postgres: Server) -> None:
    """Where a collation is not deterministic."""
    postgres.run(
        "CREATE COLLATION IF NOT EXISTS folding "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "DROP TABLE IF EXISTS folded",
        "CREATE TABLE folded (name text COLLATE folding)",
        f"INSERT INTO folded VALUES {_VALUES}",  # noqa: S608 - ours
        "GRANT SELECT ON folded TO reader",
    )
    try:
        check(postgres.address("folded"))
    finally:
        postgres.run("DROP TABLE folded", "DROP COLLATION folding")


@pytest.mark.nightly
def test_spark_groups_by_bytes(spark: Spark) -> None:
    """Where a column ignores capitals and blanks at the end."""
    spark.session.sql(
        f"CREATE TABLE {spark.schema}.folded (name STRING COLLATE UTF8_LCASE_RTRIM) USING parquet"
    ).collect()
    spark.session.sql(f"INSERT INTO {spark.schema}.folded VALUES {_VALUES}").collect()  # noqa: S608 - ours
    check(spark.address("folded"))
