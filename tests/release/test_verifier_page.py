"""The page that checks a release in a browser: a forged page is refused, whoever certified it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import run
from signed_releases import write_release
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.release.documents import fingerprint, json_text

PAGE = "verify.html"


@pytest.fixture(scope="module", params=["table", "database"])
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the release of a kind, with its page."""
    return write_release(request.param, tmp_path_factory.mktemp("made") / "release")


def _failed(folder: Path, *, page: str | None = None, software: str | None = None) -> list[str]:
    """Forge the page or the version, certify both again, and return what fails."""
    certificate = folder / "certificate.json"
    document = json.loads(certificate.read_text("utf-8"))
    if page is not None:
        (folder / PAGE).write_text(page, "utf-8")
        (entry,) = (one for one in document["files"] if one["name"] == PAGE)
        entry |= vars(fingerprint(folder / PAGE))
    if software is not None:
        document["software"] = software
    certificate.write_text(json_text(document), "utf-8")
    return [f"{one.check}: {one.detail}" for one in rs.verify(folder).failed]


@pytest.mark.quick(1)
def test_a_forged_page_is_refused(release: Path, tmp_path: Path) -> None:
    """Even if its hash is in the certificate, or if the certificate names an unknown version."""
    assert rs.verify(release).passed
    here = Path(shutil.copytree(release, tmp_path / "copy"))
    name = f"{PAGE} matches the certificate"
    assert _failed(here, page="<p>Verified</p>") == [
        f"{name}: the file is not the page of Roadstead {rs.__version__}, so do not open it"
    ]
    assert _failed(here, software="0.0.1") == [
        f"{name}: this version cannot check the page of Roadstead 0.0.1"
    ]


def test_a_release_without_the_page(tmp_path: Path) -> None:
    """It has no page, and a page that someone adds is one file too many."""
    table = write_csv(tmp_path / "patients.csv", PATIENTS, patients(60))
    out = tmp_path / "release"
    known = ("--quasi", "sex,age", "--k", "2", "--suppression", "0.2")
    assert run("anonymize", str(table), *known, "--no-verifier", "--out", str(out)).code == 0
    assert not (out / PAGE).exists()
    assert rs.verify(out).passed
    (out / PAGE).write_text("<p>Verified</p>", "utf-8")
    assert [one.check for one in rs.verify(out).failed] == ["the folder contains no other files"]
