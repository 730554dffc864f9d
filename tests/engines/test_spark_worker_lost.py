"""A worker that is killed in the middle of a release leaves it whole, or not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import spark_cluster
from patience import PATIENCE, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDS = 40_000
_SCRIPT = f"""
import json, sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
from roadstead.errors import RoadsteadError
from roadstead.tables.reading import read
from roadstead.tables.stores.access import workbench
from roadstead.tables.stores.access import sink

master, folder = sys.argv[1:]
session = (
    SparkSession.builder.master(master)
    .config("spark.sql.warehouse.dir", folder + "/warehouse")
    .config("spark.executor.cores", "1")
    # Enough tasks that each worker has one at any time while rows are written.
    .config("spark.sql.shuffle.partitions", "40")
    .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
    .getOrCreate()
)
session.sql("CREATE DATABASE clinic")
visits = session.range(0, {RECORDS}, 1, 4).selectExpr(
    "id", "concat('patient ', id % 1000) AS who", "repeat(md5(cast(id AS string)), 20) AS note"
)
visits.write.saveAsTable("clinic.visits")
told = {{}}
with read("spark://?table=clinic.visits") as source, workbench(source) as bench:
    kept = bench.keep(source.table.filter(source.table["id"] % 2 == 0))
    try:
        with sink("spark://?table=clinic.released", source, force=False) as place:
            print("staging", flush=True)
            staged = place.stage(kept)
            told["staged"] = int(staged.count().to_pyarrow().as_py())
            told["distinct"] = int(staged["id"].nunique().to_pyarrow().as_py())
            place.publish()
    except RoadsteadError as error:
        told["error"] = str(error)
tables = session.sql("SHOW TABLES IN clinic").collect()
told["tables"] = sorted(row["tableName"] for row in tables if not row["isTemporary"])
store = session.sparkContext._jsc.sc().statusStore()
jvm = session.sparkContext._gateway
stages = store.stageList(None, False, False, jvm.new_array(jvm.jvm.double, 0), None)
told["lost"] = sum(stages.apply(at).numFailedTasks() for at in range(stages.size()))
print(json.dumps(told), flush=True)
session.stop()
"""


@pytest.mark.nightly
def test_a_worker_that_is_killed_loses_no_record(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """It takes kept rows, rows on their way and a task along; they are worked out again."""
    reason = spark_cluster.lacking()
    if reason is not None:
        pytest.skip(reason)
    with spark_cluster.running(connect=False) as cluster:
        process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, cluster.master, str(tmp_path)],
            env={**os.environ, **cluster.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "staging\n"
            _wait_for_files(tmp_path / "warehouse", process)
            os.killpg(cluster.workers[0], signal.SIGKILL)
            out, _ = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    told = json.loads(out)
    record_property("ended", told.get("error", "published"))
    assert told.pop("lost") > 0, "the worker had nothing to do when it was killed"
    if "error" in told:
        assert told["tables"] == ["visits"]
    else:
        assert told == {
            "staged": RECORDS // 2,
            "distinct": RECORDS // 2,
            "tables": ["released", "visits"],
        }


def _wait_for_files(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until rows are being written, which is some time later."""

    def written() -> bool:
        found = any(folder.rglob("*__roadstead_*/_temporary/**/*.parquet"))
        assert found or process.poll() is None, "nothing was ever written"
        return found

    wait_until(written, "rows being written")
