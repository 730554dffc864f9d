"""A private release that was prepared is shown with what its guarantee is for."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

import roadstead as rs
from roadstead.web.pages import rendered
from roadstead.web.sessions.candidate_requests import Tried
from roadstead.web.sessions.choices import Choices
from roadstead.web.sessions.prepared import Prepared


def test_the_page_says_what_the_guarantee_is_for(tmp_path: Path) -> None:
    """The certificate holds facts; the page makes the words from them.

    Fault class: a template that reads an entry which the certificate no longer has.
    """
    table = pa.table(
        {
            "age": [str(20 + i * 7 % 60) for i in range(60)],
            "outcome": ["yes" if i % 3 else "no" for i in range(60)],
        }
    )
    release = rs.synthesize(
        table,
        target="outcome",
        classes=["no", "yes"],
        quasi=["age"],
        ranges={"age": "20..80"},
        epsilon="2",
        specializations=1,
    )
    release.write(tmp_path / "private")
    certificate = json.loads((tmp_path / "private" / "certificate.json").read_text("utf-8"))
    prepared = Prepared(
        Tried("synthesize-1", "One", verb="synthesize"),
        tmp_path / "private",
        certificate,
        Choices("One", None, (), {}, frozenset(), {}),
        current=True,
        said={},
    )
    shown = {"places": [], "suggested": "release", "current": False}
    text = rendered("prepared.html", prepared=prepared, base="", **shown)
    assert "<dd>2, for one record of the table</dd>" in text
