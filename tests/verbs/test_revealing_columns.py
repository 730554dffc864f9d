"""A column that reveals hidden values is refused until it is released by name."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from commands import run
from revealing_tables import clinic
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import RoleError

NAMES = ("sex", "age", "region", "stay", "months", "mark")
QUASI = ["sex", "age", "region"]


@pytest.fixture
def table(tmp_path: Path) -> pa.Table:
    """Records with an age in months and a mark that holds the region, also as a file."""
    rows = [
        row | {"months": 12 * row["age"] + 6, "mark": f"at/{row['region']}/{row['stay']}"}
        for row in clinic(600, 12)
    ]
    cells = [tuple(str(row[name]) for name in NAMES) for row in rows]
    write_csv(tmp_path / "clinic.csv", NAMES, cells)
    return pa.table({name: [row[name] for row in rows] for name in NAMES})


def test_anonymize_refuses_all_of_them_at_once(table: pa.Table, tmp_path: Path) -> None:
    """With the reason for each, exit code 2, and what releases them."""
    del table
    asked = ("anonymize", str(tmp_path / "clinic.csv"), "--quasi", "sex,age,region", "--k", "5")
    ran = run(*asked, "--sensitive", "months", "--unchanged", "stay,mark")
    assert ran.code == 2
    assert "months determines age" in ran.err
    assert "mark contains region" in ran.err
    assert "--release-anyway months,mark" in ran.err
    assert "at/North" not in ran.err
    forced = run(*asked, "--unchanged", "stay", "--release-anyway", "months,mark")
    assert forced.code == 0


def test_a_column_that_reveals_a_removed_identifier_is_called_that(tmp_path: Path) -> None:
    """Fault class: the report said that a copy of the cluster was the person ID."""
    rows = [(str(at % 2), f"c{at % 60}", f"u{at % 60 // 2 * 2 + at % 2}") for at in range(1_200)]
    write_csv(tmp_path / "t.csv", ("sex", "cluster", "unit"), rows)
    asked = ("anonymize", tmp_path / "t.csv", "--quasi", "sex", "--identifiers", "cluster")
    assert run(*asked, "--release-anyway", "unit", "--out", tmp_path / "out").code == 0
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "an identifier that you removed" in report
    assert "the person ID (unit determines" not in re.sub("<[^>]*>", "", report)


@pytest.mark.nightly
def test_a_policy_and_a_point_of_a_frontier_are_refused_the_same_way(table: pa.Table) -> None:
    """A policy that was made where the column said nothing of the age."""
    plain = table.set_column(4, "months", pa.array([at % 7 for at in range(600)]))
    policy = rs.anonymize(plain, quasi=QUASI, k=5, unchanged=["months"]).policy
    assert "months" in rs.apply(policy, plain).policy.columns.released
    with pytest.raises(RoleError, match="months determines age"):
        rs.apply(policy, table)
    with pytest.raises(RoleError, match="mark contains region"):
        rs.frontier(table, quasi=QUASI, unchanged=["mark"], evaluations=5)


def test_a_scan_does_not_propose_them_for_release(table: pa.Table) -> None:
    """The reason is there instead."""
    told = {one.name: (one.role, one.reason) for one in rs.scan(table).columns}
    assert told["months"][0] is None
    assert told["months"][1].startswith("months determines age")
