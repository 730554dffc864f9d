"""The recipe for spark-submit runs on a cluster; its exit code is that of the gate."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from patience import PATIENCE
from pyarrow import parquet
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs

if TYPE_CHECKING:
    from spark_cluster import Cluster

PAGE = Path(__file__).parents[2] / "docs" / "recipes" / "spark.md"


@pytest.mark.nightly
def test_the_job_of_the_page(spark_place: Cluster, tmp_path: Path) -> None:
    """Passed by the gate it ends with 0, refused with 1."""
    import pyspark  # noqa: PLC0415 - an extra

    job = re.compile(r"<!-- file job.py -->\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    found = job.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    (tmp_path / "job.py").write_text(found[1], encoding="utf-8")
    rows = patients(200)
    write_csv(tmp_path / "patients.csv", PATIENTS, rows)
    rs.anonymize(
        tmp_path / "patients.csv", quasi=["sex", "age"], k=5, suppression=0.3, out=tmp_path / "once"
    )
    shutil.copy(tmp_path / "once" / "policy.json", tmp_path)
    (tmp_path / "stays").mkdir()
    columns = dict(zip(PATIENTS, map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pa.table(columns), tmp_path / "stays" / "1.parquet")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    given = [
        *(str(submit), "--master", spark_place.master),
        *("job.py", str(tmp_path / "stays"), "release"),
    ]
    for k, code in ((5, 0), (6, 1)):
        (tmp_path / "gate.toml").write_text(f"[promise]\nk = {k}\n", encoding="utf-8")
        done = subprocess.run(
            given,
            cwd=tmp_path,
            env={**os.environ, **spark_place.variables, "PYSPARK_PYTHON": sys.executable},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert f"k required at least {k} - 5 (k-anonymity)" in done.stdout
