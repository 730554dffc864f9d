"""What Spark declares."""

from __future__ import annotations

from dataclasses import replace

from roadstead.tables.stores.other.store import STORE as OTHER
from roadstead.tables.stores.spark import location, query
from roadstead.tables.stores.spark.explain import EXPLANATIONS
from roadstead.tables.stores.spark.open import adopted, open_frame, open_spark, table_in
from roadstead.tables.stores.spark.sink import open_sink

STORE = replace(
    OTHER,
    backend=location.BACKEND,
    label="Spark",
    forms=location.FORMS,
    drivers=frozenset({"py4j", "pyspark"}),
    locate=location.locate,
    open=open_spark,
    table=table_in,
    sink=open_sink,
    adopt=adopted,
    workbench=query.SparkWorkbench,
    digest=query.digest,
    cancel=query.cancel,
    frames="pyspark",
    open_frame=open_frame,
    explain=EXPLANATIONS,
)
