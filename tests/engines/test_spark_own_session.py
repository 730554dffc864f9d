"""A Spark that we start says nothing on our streams, makes no mess, and ends."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import spark_cluster
from patience import PATIENCE
from pyarrow import parquet

if TYPE_CHECKING:
    from pathlib import Path

_SCRIPT = """
import json, sys
from roadstead.errors import OutputError
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink

folder = sys.argv[1]
told = {}
with read(f'spark://local?table=parquet."{folder}/in"') as source:
    from pyspark import SparkContext

    with read(f'spark://?table=parquet."{folder}/in"') as other:
        told["records"] = int(other.table.count().to_pyarrow().as_py())
    told["running"] = SparkContext._active_spark_context is not None
    try:
        sink("spark://local?table=released", source, force=False)
    except OutputError as error:
        told["refused"] = str(error)
    with sink(f'spark://?table=parquet."{folder}/out"', source, force=False) as place:
        place.stage(source.table)
        place.publish()
told["ended"] = SparkContext._active_spark_context is None
print(json.dumps(told))
"""


@pytest.mark.nightly
def test_our_own_spark_is_silent_and_ends(tmp_path: Path) -> None:
    reason = spark_cluster.lacking()
    if reason is not None:
        pytest.skip(reason)
    (tmp_path / "in").mkdir()
    table = pa.table({"a": ["x", None, "y"]})
    parquet.write_table(table, tmp_path / "in" / "1.parquet")
    found = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=tmp_path,
    )
    told = json.loads(found.stdout)
    assert "discards its tables when it ends" in told.pop("refused")
    assert told == {"records": 3, "running": True, "ended": True}
    assert found.stderr == ""
    assert {path.name for path in tmp_path.iterdir()} == {"in", "out"}
    assert parquet.read_table(tmp_path / "out").num_rows == 3
