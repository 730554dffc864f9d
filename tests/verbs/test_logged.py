"""The logger reports the step of each command, and no value of a table."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from small_tables import PATIENTS, QUASI, patients, write_csv

import roadstead as rs


def test_steps_are_logged_and_no_value(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """For a release, an application, a scan, and a failure."""
    rows = patients(200)
    data = write_csv(tmp_path / "patients.csv", PATIENTS, rows)
    quasi = QUASI.split(",")
    with caplog.at_level(logging.DEBUG, logger="roadstead"):
        found = rs.anonymize(data, quasi=quasi, identifiers=["name", "record"], suppression=1.0)
        rs.apply(found.policy, data, suppression=1.0)
        rs.scan(data)
        with pytest.raises(rs.NoPolicyError):
            rs.anonymize(data, quasi=quasi, k=150, suppression=0.0, max_level={"sex": 0})
    text = caplog.text
    for step in (
        "anonymize: begins",
        "opened patients.csv",
        "searched with exact",
        "scan: done in",
    ):
        assert step in text
    assert "anonymize: ended by NoPolicyError" in text
    cells = {cell for row in rows for cell in row if len(cell) > 3}
    assert not {cell for cell in cells if cell in text}


def test_nothing_is_logged_where_nobody_asks() -> None:
    """A library adds no handler that writes."""
    kinds = {type(one) for one in logging.getLogger("roadstead").handlers}
    assert logging.NullHandler in kinds
    assert logging.StreamHandler not in kinds
