"""Small releases of each kind, and their signatures."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from commands import undrawn
from private_releases import by_hand
from small_tables import PATIENTS, patients, write_csv
from whole_cdm import write_cdm

import roadstead as rs
from roadstead.release.private.publish import publish_private
from roadstead.release.signing.keys import read_signing_key, write_signing_key
from roadstead.release.signing.sign import sign_release

SIGNED, EXPIRES = date(2026, 3, 1), date(2027, 2, 28)
WHO, ROLE = "Ana Ruiz", "privacy officer"
KINDS = ("table", "database", "private")


def write_release(kind: str, folder: Path) -> Path:
    """Write a small release of a kind into a folder that is not there yet."""
    shutil.copytree(_made_once(kind), folder)
    return folder / "release"


@cache
def _made_once(kind: str) -> Path:
    """Make a release for all tests of this process, which get copies."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    release = folder / "release"
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        if kind == "table":
            write_csv(folder / "patients.csv", PATIENTS, patients(120))
            rs.anonymize(
                folder / "patients.csv", quasi=["sex", "age"], k=2, suppression=0.1, out=release
            )
        elif kind == "database":
            write_cdm(folder / "cdm")
            tables = ["visit_occurrence", "condition_occurrence", "measurement"]
            cdm = f"omop:{folder / 'cdm'}"
            rs.anonymize(cdm, tables=tables, k=5, shift_days=60, out=release)
        else:
            publish_private(by_hand(), release, force=False, report=lambda: "<p>told</p>\n")
    return folder


def keys(folder: Path, *names: str) -> None:
    """Make keys of these names."""
    for name in names:
        write_signing_key(folder / name)


def sign(release: Path, key: Path, *, signer: str = WHO, expires: date | None = EXPIRES) -> None:
    """Sign a release on a certain day."""
    private = read_signing_key(key)
    sign_release(release, private, signer, role=ROLE, signed=SIGNED, expires=expires, force=True)


def envelope_of(release: Path) -> dict[str, Any]:
    """Read the envelope as JSON."""
    found: dict[str, Any] = json.loads((release / "signature.json").read_text("utf-8"))
    return found


def put_envelope(release: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the envelope as JSON."""
    document = envelope_of(release)
    change(document)
    (release / "signature.json").write_text(json.dumps(document), encoding="utf-8")
