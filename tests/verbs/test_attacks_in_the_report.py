"""The report of a release describes the attacks in its certificate, and no others."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection
from pathlib import Path

import pytest
from attacked_releases import TABLE, people, promising, write_release
from commands import run

import roadstead as rs
from roadstead.errors import VerificationError
from roadstead.release import attacked, kind
from roadstead.reports.attacks.page import report_with_attacks


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and its release, made with a report."""
    folder = tmp_path_factory.mktemp("made")
    write_release(folder, people(200, 1))
    asked = ("--quasi", "age,sex,zip", "--k", "5", "--release-anyway", "diagnosis", "--force")
    ran = run("anonymize", folder / TABLE, *asked, "--out", folder / "release")
    assert ran.code == 0, ran.err
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def certified(folder: Path, attacks: str = "linkage") -> str:
    """Certify attacks, and give the report."""
    asked = ("--original", folder / TABLE, "--attacks", attacks, "--attempts", "100", "--certify")
    ran = run("attack", folder / "release", *asked)
    assert ran.code == 0, ran.err
    return (folder / "release/report.html").read_text("utf-8")


def test_the_report_tells_of_the_certified_attacks(folder: Path) -> None:
    """With a row for each, a link to all of it, and an entry in the contents; verify holds."""
    before = (folder / "release/report.html").read_text("utf-8")
    assert 'id="attacks"' not in before
    after = certified(folder)
    assert after.count('<section id="attacks"') == 1
    assert "Linkage with a register" in after
    assert 'href="attacks.html"' in after
    assert after.count('<li><a href="#attacks">') == 1
    assert 'class="alarm"' not in after
    assert after.index('id="attacks-head"') < after.index('id="sources-head"')
    assert rs.verify(folder / "release").passed


@pytest.mark.nightly
def test_a_report_tells_of_attacks_once_and_of_all_that_the_certificate_has(folder: Path) -> None:
    """A second run gives the same report; the rest of the report stays unchanged."""
    before = (folder / "release/report.html").read_text("utf-8")
    once = certified(folder)
    assert certified(folder) == once
    both = certified(folder, "scan")
    assert both.count('<section id="attacks"') == 1
    assert "Linkage with a register" in both
    assert "Scan of the whole release" in both
    for report in (once, both):
        told = "<!-- attacks -->.*?<!-- /attacks -->\n"
        assert re.sub(told, "", report, flags=re.DOTALL) == before


@pytest.mark.nightly
def test_a_convicted_release_says_so_on_top_of_its_report(folder: Path) -> None:
    """Before anything that sounds calm."""
    found = rs.attack(promising_copy(folder), attacks=["scan"])
    assert found.convicted
    report = found.in_report((folder / "release/report.html").read_text("utf-8"))
    assert report.index("Attacks on this release succeed") < report.index('id="done"')
    assert "<strong>SUCCEEDS</strong>" in report


def promising_copy(folder: Path) -> Path:
    """Copy the release, and let the copy promise more than it keeps."""
    return promising(Path(shutil.copytree(folder / "release", folder / "weak")), 50)


def test_a_report_of_somebody_else_is_not_added_to(folder: Path) -> None:
    """The place for the section is unknown; then nothing else is certified either."""
    found = rs.attack(folder / "release", attacks=["scan"])
    with pytest.raises(VerificationError, match="did not write the report"):
        report_with_attacks("<html>mine</html>", found.facts)


def test_what_stops_the_work_leaves_the_release_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report, page and certificate change in one step, or none does."""
    release = folder / "release"
    before = {file.name: file.read_bytes() for file in release.iterdir()}

    checked = kind.verified
    looked_at: list[Path] = []

    def interrupted(path: Path, allowed: Collection[str]) -> object:
        looked_at.append(path)
        if len(looked_at) > 1:
            assert "attacks" in json.loads((path / "certificate.json").read_text("utf-8"))
            raise KeyboardInterrupt
        return checked(path, allowed)

    monkeypatch.setattr(attacked, "verified", interrupted)
    asked = ("--original", folder / TABLE, "--attacks", "scan", "--certify")
    assert run("attack", release, *asked).code != 0
    assert len(looked_at) == 2
    assert {file.name: file.read_bytes() for file in release.iterdir()} == before
    assert not looked_at[1].exists()
