"""What a shift of dates leaves out is part of the totals of every document."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from html import unescape
from pathlib import Path

import roadstead as rs
from roadstead.reports.wording import format_count


def text_of(page: Path) -> str:
    """Return the text of a page, without markup."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", page.read_text("utf-8"))).split())


def test_documents_count_from_the_source(tmp_path: Path) -> None:
    """Fault class: the totals did not include the people at the ends of the shifted dates."""
    days = [date(2020, 1, 1) + timedelta(7 * at % 401) for at in range(1200)]
    table = {
        "who": [f"p{at // 2}" for at in range(1200)],
        "seen": list(map(str, days)),
        "sex": ["f", "f", "m", "m"] * 299 + ["x", "x", "m", "m"],
    }
    made = rs.anonymize(
        table,
        person="who",
        quasi=["sex"],
        dates={"seen": "shift"},
        release_anyway=["seen"],
        link="pseudonym",
        shift_days=60,
        k=3,
        suppression=0.1,
    )
    made.write(tmp_path / "release")
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    persons, counts = certificate["persons"], certificate["counts"]
    gone = persons["near_ends"]
    assert gone["persons"] > 0
    assert persons["persons"] + gone["persons"] == 600
    assert counts["records"] + gone["records"] == 1200
    without = f"These counts do not include {gone['records']} records near or beyond the ends of"
    assert without in str(made)
    report = text_of(tmp_path / "release" / "report.html")
    for said in (
        f"The shift of dates left out {gone['records']} records near or beyond the ends of the "
        f"date range. This includes all records of {gone['persons']} of 600 people.",
        f"{gone['records']} of 1,200 records, including all records of {gone['persons']} of 600 "
        "people",
        f"Records released {format_count(counts['released'])} of 1,200 records",
        f"Before: all {persons['persons']} people after the shift of dates.",
    ):
        assert said in report
    assert "of the source. After" not in report
    rs.determine(tmp_path / "release", out=tmp_path / "documents")
    document = text_of(tmp_path / "documents" / "hipaa.html")
    out = persons["left_out"] + gone["persons"]
    for said in (
        f"{format_count(counts['released'])} of 1,200 records are released",
        f"{persons['released']} of 600 people are in the release; {out} are left out with all "
        f"their records, {gone['persons']} of them by the shift of dates.",
        without,
    ):
        assert said in document
