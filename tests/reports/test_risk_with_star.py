"""The risk of the records whose quasi-identifiers are replaced with ``*`` is stated, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import roadstead as rs

EXACT: dict[str, Any] = {"max_level": {"area": 0}, "k": 5, "suppression": 0.5}


@pytest.mark.parametrize(
    ("few", "said"),
    [
        (8, "at most 2.05% per record (12.5% for each of the 8 records with *), 2.04% on average"),
        (49, "at most 2.05% per record, 2.04% on average"),
        (60, "at most 2.05% per record, 2.04% on average"),
    ],
)
def test_a_small_group_of_records_with_a_star_has_its_own_risk(
    few: int, said: str, tmp_path: Path
) -> None:
    """An attacker who finds no group of a person knows that the person is one of these."""
    areas = [*(["N"] * 49), *(["S"] * 49), *(f"X{at // 3}" for at in range(few))]
    found = rs.anonymize(pa.table({"area": areas}), quasi=["area"], **EXACT)
    assert found.draft.counts.masked == few
    assert said in str(found)
    assert found.write(tmp_path / "out").passed
    report = (tmp_path / "out" / "report.html").read_text()
    assert ("for each of the 8 records with *" in report) == (few == 8)
