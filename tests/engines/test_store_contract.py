"""Stores on servers keep what every store keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from store_places import PostgresPlace, SparkPlace

from roadstead.testing.stores import CHECKS, Check

if TYPE_CHECKING:
    from postgres_server import Server
    from spark_tables import Spark

checks = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@checks
def test_postgres_keeps(check: Check, postgres: Server) -> None:
    postgres.renew()
    check(PostgresPlace(postgres))


@checks
def test_spark_connect_keeps(check: Check, spark_connect: Spark) -> None:
    spark_connect.drop(*spark_connect.tables())
    check(SparkPlace(spark_connect))
