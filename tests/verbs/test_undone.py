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
ANYWAY: dict[str, Any] = {
    "release_anyway": ["cluster"],
    "reasons": {"cluster": "needed for the sampling"},
}


def clusters(each: int, *few: int) -> pa.Table:
    """Some records of each cluster, all of them with the same ZIP code; then smaller clusters."""
    sizes = [*[each] * len(ZIPS), *few]
    zips = [*ZIPS, *(f"300{at:02}" for at in range(len(few)))]
    rows = [
        (f"C{at:02}", zips[at], "FM"[one % 2])
        for at, size in enumerate(sizes)
        for one in range(size)
    ]
    cluster, place, sex = zip(*rows, strict=True)
    return pa.table({"cluster": cluster, "zip": place, "sex": sex})


def by_hand(table: pa.Table, out: Path) -> float:
    """Count the records of the release that have the same labels and are in the same ZIP code."""
    released = parquet.read_table(out / "release.parquet").to_pylist()
    exact = dict(zip(table["cluster"].to_pylist(), table["zip"].to_pylist(), strict=True))
    sizes = Counter((row["zip"], row["sex"], exact[row["cluster"]]) for row in released)
    return 1 / min(sizes.values())


@pytest.mark.parametrize("each", [4, 10])
def test_the_risk_is_that_of_an_attacker_who_reads_the_column(tmp_path: Path, each: int) -> None:
    """And is not shown where the column reveals nothing that the groups hide."""
    table = clusters(each)
    found = rs.anonymize(table, quasi=["zip", "sex"], k=5, count_records=True, **ANYWAY)
    assert found.write(tmp_path / "out").passed
    undone = found.decided.undone
    if each == 10:
        assert undone is None
        return
    assert undone is not None
    assert (undone.columns, undone.attributes) == (("cluster",), ("zip",))
    assert undone.risk == by_hand(table, tmp_path / "out") == 0.5
    said = "cluster determines zip. If an attacker knows only the quasi-identifiers, and which of"
    assert said in str(found)
    assert said in (tmp_path / "out" / "report.html").read_text()


def test_records_with_a_star_are_a_group(tmp_path: Path) -> None:
    """Their column tells them apart, too."""
    table = clusters(10, 2, 3)
    exact: dict[str, Any] = {"max_level": {"zip": 0, "sex": 0}, "suppression": 0.05}
    found = rs.anonymize(table, quasi=["zip", "sex"], k=5, count_records=True, **exact, **ANYWAY)
    assert found.write(tmp_path / "out").passed
    assert found.draft.counts.masked == 5
    assert found.decided.undone is not None
    assert found.decided.undone.risk == 0.5  # two records in one of the two clusters


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", [1, 2])
def test_people_are_counted_once(knows: int) -> None:
    """Each person has two rows, so that a group of two rows may be one person."""
    table = clusters(4).append_column("who", pa.array([f"P{at // 2:04}" for at in range(96)]))
    asked: dict[str, Any] = {"person": "who", "knows": knows, "count_records": True}
    found = rs.anonymize(table, quasi=["zip"], k=3, **asked, **ANYWAY).decided.undone
    assert found is not None
    assert found.risk == 0.5  # two people in each cluster
    assert ("With several known rows" in found.sentence) == (knows == 2)
    alone: dict[str, Any] = {"quasi": ["zip"], "k": 2, "max_level": {"zip": 0}}
    assert rs.anonymize(table, **alone, **asked, **ANYWAY).decided.undone is None


def test_a_column_that_only_follows_another_one_does_not_determine_it() -> None:
    """A lot of each month reveals no day."""
    days = [f"2021-{1 + at // 20:02}-{1 + at % 20:02}" for at in range(240)]
    lots = [f"L{at // 20:02}" for at in range(240)]
    table = pa.table({"visit": days, "lot": lots})
    anyway: dict[str, Any] = {"release_anyway": ["lot"], "reasons": {"lot": "needed for the assay"}}
    found = rs.anonymize(table, quasi=["visit"], k=5, count_records=True, **anyway)
    assert found.decided.undone is None
