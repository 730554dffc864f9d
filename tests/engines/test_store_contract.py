"""Stores on servers keep what every store keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from slow_queries import SECONDS_OF_SPARK, check_cancelled
from store_places import PostgresPlace, SparkPlace

from roadstead.tables.reading import read
from roadstead.testing.stores import CHECKS, Check

if TYPE_CHECKING:
    from postgres_server import Server
    from spark_tables import Spark

_ON_SPARK = ("hostile_names_are_names", "a_release_is_read_back")
checks = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@pytest.mark.quick(4)
@checks
def test_postgres_keeps(check: Check, postgres: Server) -> None:
    postgres.renew()
    check(PostgresPlace(postgres))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "check",
    [
        # Each check is many queries, which Spark plans in seconds.
        pytest.param(check, marks=() if check.__name__ in _ON_SPARK else pytest.mark.nightly)
        for check in CHECKS
    ],
    ids=lambda check: check.__name__,
)
def test_spark_connect_keeps(check: Check, spark_connect: Spark) -> None:
    spark_connect.drop(*spark_connect.tables())
    check(SparkPlace(spark_connect))


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the cursor that Ibis leaves behind
def test_a_query_of_postgres_is_cancelled(postgres: Server) -> None:
    postgres.load("many", ["a"], [(f"text {at}",) for at in range(60)])
    with read(postgres.address("many")) as source:
        check_cancelled(source)
    assert postgres.run("SELECT count(*) FROM many") == [(60,)]


@pytest.mark.nightly
def test_a_query_of_spark_is_cancelled(spark: Spark) -> None:
    spark.load("many", ["a"], [(f"text {at}",) for at in range(60)])
    with read(spark.address("many")) as source:
        check_cancelled(source, SECONDS_OF_SPARK)
    assert len(spark.rows("many")) == 60


def test_a_query_of_spark_connect_is_cancelled(spark_connect: Spark) -> None:
    spark_connect.load("many", ["a"], [(f"text {at}",) for at in range(60)])
    with read(spark_connect.address("many")) as source:
        check_cancelled(source, SECONDS_OF_SPARK)
