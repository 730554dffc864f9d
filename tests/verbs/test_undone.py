"""A column that is released anyway may reveal the values that the groups of a release hide."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import roadstead as rs

ZIPS = [f"{area}{at:02}" for area in ("021", "100") for at in range(12)]


def clusters(each: int) -> pa.Table:
    """Some records of each cluster, all of them with the same ZIP code."""
    rows = [
        (f"C{at:02}", ZIPS[at], "FM"[one % 2]) for at in range(len(ZIPS)) for one in range(each)
    ]
    cluster, place, sex = zip(*rows, strict=True)
    return pa.table({"cluster": cluster, "zip": place, "sex": sex})


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("each", [4, 10])
def test_the_risk_is_that_of_an_attacker_who_reads_the_column(
    tmp_path: Path, each: int, person: str | None
) -> None:
    """And is not shown where the column reveals nothing that the groups hide."""
    table = clusters(each)
    names = pa.array([f"P{at:04}" for at in range(table.num_rows)])
    table = table.append_column("who", names)
    roles: dict[str, Any] = {"person": "who"} if person else {"identifiers": ["who"]}
    roles |= {"release_anyway": ["cluster"], "reasons": {"cluster": "needed for the sampling"}}
    found = rs.anonymize(table, quasi=["zip", "sex"], k=5, count_records=True, **roles)
    assert found.write(tmp_path / "out").passed
    released = parquet.read_table(tmp_path / "out" / "release.parquet").to_pylist()
    exact = dict(zip(table["cluster"].to_pylist(), table["zip"].to_pylist(), strict=True))
    sizes = Counter((row["zip"], row["sex"], exact[row["cluster"]]) for row in released)
    undone = found.decided.undone
    if each == 10:
        assert undone is None
        return
    assert undone is not None
    assert (undone.columns, undone.attributes) == (("cluster",), ("zip",))
    assert undone.risk == 1 / min(sizes.values()) == 0.5
    said = "cluster reveals the exact values of zip."
    assert said in str(found)
    assert said in (tmp_path / "out" / "report.html").read_text()
