"""Find the release that was written last, and check whether its results are still valid.

A release gets a new certificate if the release is generated again, or if attacks on the release are
certified. Results are stored with the SHA-256 of their certificate, so that they are never shown
for a later certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roadstead.regular_files import content_of
from roadstead.web.sessions.declared_promise import CERTIFICATE
from roadstead.web.sessions.session import WorkSession

WRITTEN, ATTACKED = "written", "attacked"
_SIGNATURE = "signature.json"


def certificate_of(written: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the current certificate, or "" if there is none."""
    try:
        content = content_of(Path(written["out"]) / CERTIFICATE, own=True)
    except (OSError, KeyError):
        return ""
    return hashlib.sha256(content).hexdigest()


def names_now(written: Mapping[str, Any]) -> list[str]:
    """Return the current files of the release, which may have a new certificate."""
    folder = Path(written["out"])
    try:
        found = json.loads(content_of(folder / CERTIFICATE, own=True))
        listed = [found.get("table"), *found["files"]]
        names = [one["name"] for one in listed if one is not None]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        names = [one["name"] for one in written["files"]]
    plain = [name for name in (*names, CERTIFICATE, _SIGNATURE) if name == Path(name).name]
    return sorted({name for name in plain if (folder / name).is_file()})


def attacked(session: WorkSession, found: Mapping[str, Any]) -> None:
    """Store the results of attacks. If an attack was certified, the written release has changed."""
    of_release = ("files", "verification", "lines")
    kept = {key: one for key, one in found.items() if key not in of_release}
    if found["certified"]:
        written = session.facts(WRITTEN)
        changed = {key: found[key] for key in of_release}
        session.find(WRITTEN, {**written, **changed})
    session.find(ATTACKED, kept)
