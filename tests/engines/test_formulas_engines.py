"""PostgreSQL and Spark find the same cells that a spreadsheet would run as Python does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roadstead.release.runnable import runnable_in
from roadstead.tables.formulas import may_run
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from postgres_server import Server
    from spark_tables import Spark

TEXTS = (
    *("=A1", " =A1", "+A1", "@A1", "\tA1", "\rA1", "\n=A1", "\uff1dA1", "\u3000-A1", "-2+cmd"),
    *("-5", "+5,000", "- 5", "-", "+++", "a=b", "flu", "", "-5%", "\uff0d5", "\t"),
)
RUN = sum(map(may_run, TEXTS))


def test_postgres_counts_the_cells(postgres: Server) -> None:
    """In one query."""
    values = ", ".join(f"('{text}')" for text in TEXTS)
    postgres.run(
        "DROP TABLE IF EXISTS formulas",
        "CREATE TABLE formulas (note text)",
        f"INSERT INTO formulas VALUES {values}, (NULL)",  # noqa: S608 - ours
        "GRANT SELECT ON formulas TO reader",
    )
    try:
        with read(postgres.address("formulas")) as source:
            assert runnable_in(source.table, "formulas").cells == {"note": RUN}
    finally:
        postgres.run("DROP TABLE formulas")


@pytest.mark.nightly
def test_spark_counts_the_cells(spark: Spark) -> None:
    """In one query."""
    rows = spark.session.createDataFrame([(text,) for text in (*TEXTS, None)], "note string")
    rows.write.saveAsTable(f"{spark.schema}.formulas")
    with read(spark.address("formulas")) as source:
        assert runnable_in(source.table, "formulas").cells == {"note": RUN}
