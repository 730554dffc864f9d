"""The clusters for the tests of this folder, or a reason why there is none."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

import pytest
import spark_cluster
from spark_cluster import Cluster
from spark_tables import Spark

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def spark_place() -> Iterator[Cluster]:
    """The cluster that the environment names, or else one that lives as long as the tests do."""
    reason = spark_cluster.lacking()
    if reason is not None:
        pytest.skip(reason)
    master = os.environ.get(spark_cluster.MASTER)
    if master:
        yield Cluster(master, os.environ.get(spark_cluster.CONNECT, ""), (), {})
        return
    connect = spark_cluster.lacking(connect=True) is None
    with spark_cluster.running(connect=connect) as cluster, pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.variables.items():
            patch.setenv(name, value)
        yield cluster


@pytest.fixture(scope="session")
def spark(spark_place: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """A session of this process on the cluster, as a user has one; its tables are its own."""
    from roadstead.tables.stores.spark.engine import quiet  # noqa: PLC0415 - seldom used

    with quiet():
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    folder = tmp_path_factory.mktemp("warehouse")
    with quiet():
        session = (
            SparkSession.builder.master(spark_place.master)
            .config("spark.sql.warehouse.dir", str(folder))
            .getOrCreate()
        )
        session.sql("CREATE DATABASE clinic").collect()
    yield Spark(session, "spark://", "clinic")
    with quiet():
        session.stop()


@pytest.fixture(scope="session")
def spark_connect(spark_place: Cluster) -> Iterator[Spark]:
    """A session of the server of Spark Connect, with a schema of its own."""
    reason = spark_cluster.lacking(connect=True)
    if reason is not None or not spark_place.connect:
        pytest.skip(reason or "name a server of Spark Connect to run this test")
    from roadstead.tables.stores.spark.engine import quiet  # noqa: PLC0415 - seldom used

    with quiet():
        from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 - an extra

    schema = f"clinic_{secrets.token_hex(4)}"
    with quiet():
        session = SparkSession.builder.remote(spark_place.connect).create()
        session.sql(f"CREATE DATABASE {schema}").collect()
    yield Spark(session, spark_place.connect, schema)
    with quiet(), contextlib.suppress(Exception):
        session.sql(f"DROP DATABASE {schema} CASCADE").collect()
        session.stop()
