"""A code or a range of codes for missing values takes the same values in PostgreSQL and Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roadstead.tables.reading import read

if TYPE_CHECKING:
    from postgres_server import Server
    from spark_tables import Spark

ROWS: list[tuple[object, ...]] = [
    ("9", 9, 9.5),
    (" 950 ", 950, 950.0),
    ("x", 999, -1.0),
    ("1e3", 1000, 1e25),
    (None, None, None),
]
CODES = ["a=900..999", "b=900..999", "c=-5..0", "b=9"]
WANTED = {
    "a": ["9", None, "x", "1e3", None],
    "b": [None, None, None, 1000, None],
    "c": [9.5, 950.0, None, 1e25, None],
}
TAKEN = {"a": {"900..999": 1}, "b": {"9": 1, "900..999": 2}, "c": {"-5..0": 1}}


def found(address: str) -> tuple[dict[str, list[object]], dict[str, object]]:
    """Read the table with the codes, and what they took."""
    with read(address, missing=CODES) as source:
        rows = source.table.select("n", "a", "b", "c").to_pyarrow().sort_by("n").to_pydict()
        return {name: rows[name] for name in WANTED}, dict(source.made_missing)


def test_postgres_takes_the_same_values(postgres: Server) -> None:
    """Texts that are no numbers are left alone, and no query fails for them."""
    postgres.run(
        "DROP TABLE IF EXISTS codes",
        "CREATE TABLE codes (n integer, a text, b integer, c double precision)",
        "INSERT INTO codes VALUES (0, '9', 9, 9.5), (1, ' 950 ', 950, 950), (2, 'x', 999, -1), "
        "(3, '1e3', 1000, 1e25), (4, NULL, NULL, NULL)",
        "GRANT SELECT ON codes TO reader",
    )
    try:
        assert found(postgres.address("codes")) == (WANTED, TAKEN)
    finally:
        postgres.run("DROP TABLE codes")


@pytest.mark.nightly
def test_spark_takes_the_same_values(spark: Spark) -> None:
    """The same."""
    rows = [(at, *row) for at, row in enumerate(ROWS)]
    made = spark.session.createDataFrame(rows, "n int, a string, b int, c double")
    made.write.saveAsTable(f"{spark.schema}.codes")
    assert found(spark.address("codes")) == (WANTED, TAKEN)
