"""A project file that names the ledger of releases, opened on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

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
