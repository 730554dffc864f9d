"""Declare the store for Spark."""

from __future__ import annotations

from dataclasses import replace

from roadstead.tables.stores.other.store import STORE as OTHER
from roadstead.tables.stores.spark import engine
from roadstead.tables.stores.spark import open as opened
from roadstead.tables.stores.spark.errors import EXPLANATIONS
from roadstead.tables.stores.spark.sink import open_sink

STORE = replace(
    OTHER,
    backend=opened.BACKEND,
    label="Spark",
    forms=opened.FORMS,
    drivers=frozenset({"py4j", "pyspark"}),
    locate=opened.locate,
    open=opened.open_spark,
    table=opened.table_in,
    sink=open_sink,
    adopt=opened.adopted,
    workbench=engine.SparkWorkbench,
    digest=engine.digest,
    cancel=engine.cancel,
    frames="pyspark",
    open_frame=opened.open_frame,
    explain=EXPLANATIONS,
)
