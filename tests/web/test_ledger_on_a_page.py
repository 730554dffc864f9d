"""A project file that names the ledger of releases, opened on a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import served

from roadstead.errors import SettingError
from roadstead.web.work.deliver import request_of


def test_a_page_makes_no_release_that_would_miss_the_ledger(tmp_path: Path) -> None:
    """It is refused, not left out; what makes no release goes on."""
    project = tmp_path / "study.toml"
    project.write_text(
        'data = "t.csv"\n[roles]\nquasi = ["a"]\n[release]\nledger = "releases"\n', "utf-8"
    )
    with pytest.raises(SettingError, match="does not record releases"):
        request_of({"verb": "anonymize", "project": str(project)})
    assert request_of({"verb": "risk", "project": str(project)}).quasi == ("a",)


def test_a_page_looks_at_a_frontier_and_releases_none_of_it(tmp_path: Path) -> None:
    """Looking enters nothing; a choice would leave without its entry, and is refused."""
    project = tmp_path / "study.toml"
    project.write_text(
        'data = "t.csv"\n[roles]\nquasi = ["a"]\n[release]\nledger = "releases"\n', "utf-8"
    )
    own = {"verb": "frontier", "project": str(project)}
    out = str(tmp_path / "out")
    assert request_of({**own, "given": {"out": out}}).ledger is None
    with pytest.raises(SettingError, match="does not record releases"):
        request_of({**own, "given": {"out": out, "risk": 0.2}})


_PEOPLE = """data = "{data}"
[roles]
quasi = ["age"]
person = "id"
[privacy]
k = 2
[persons]
link = "pseudonym"
{more}"""


def test_the_release_step_says_what_it_does_not_compare(tmp_path: Path) -> None:
    """It names the ledger, and the key if pseudonyms are random."""
    lines = [f"P{i // 2},{20 + i // 2 % 3}" for i in range(120)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["id,age", *lines, ""]))
    with served(tmp_path / "state", [tmp_path], folder=tmp_path) as bench:
        piece = bench.begin()
        bench.open(piece, "t.csv")
        bench.choose(piece, _PEOPLE.format(data=table, more=""))
        bench.post(f"{piece}/release/prepare")
        record = bench.wait(piece, "prepare")
        assert record["state"] == "done", record["error"]
        page = bench.get(f"{piece}/release").text
        assert "This page does not compare releases." in page
        assert "<code>--ledger FOLDER</code>" in page
        assert "<code>roadstead key FILE</code>" in page
        bench.choose(piece, _PEOPLE.format(data=table, more='[release]\nledger = "releases"\n'))
        page = bench.get(f"{piece}/release").text
        assert "it refuses to prepare this release" in page
        bench.post(f"{piece}/release/prepare")
        assert bench.wait(piece, "prepare")["state"] == "failed"
