"""Find the release that was written last, and check whether its results are still valid.

A release gets a new certificate if the release is generated again, or if attacks on the release are
certified. Results are stored with the SHA-256 of their certificate, so that they are never shown
for a later certificate. Another program can also change the files of a release. A file is compared
with its SHA-256 in the certificate if its size or its time of modification changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from roadstead.regular_files import content_of
from roadstead.release.documents import fingerprint
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


def changed_files(written: Mapping[str, Any], *, whole: bool = False) -> list[str]:
    """Return the files that changed after the release was verified.

    If `whole` is true, every file is read, even if its size and its time are the same as before.
    """
    folder = Path(written["out"])
    seen = {} if whole else {one["name"]: one for one in written["files"]}
    kept = written.get("certificate") in (None, certificate_of(written))
    if whole:
        _digest.cache_clear()
    return [*([] if kept else [CERTIFICATE]), *_differing(folder, seen)]


def file_states(folder: Path, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the names, sizes, and times of modification of the files of a release."""
    stats = ((name, (folder / name).stat()) for name in sorted(names))
    return [
        {"name": name, "bytes": found.st_size, "modified": found.st_mtime_ns}
        for name, found in stats
    ]


def _differing(folder: Path, seen: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the files that differ from the certificate, unless they look like before."""
    for name, sha256 in _certified(folder):
        try:
            (state,) = file_states(folder, [name])
            if seen.get(name) != state and sha256 != _digest(folder / name, **state):
                yield name
        except OSError:
            yield name


def _certified(folder: Path) -> list[tuple[str, str]]:
    """Return the names and hashes in the certificate. A table in a database is not a file."""
    try:
        found = json.loads(content_of(folder / CERTIFICATE, own=True))
        listed = [one for one in (found.get("table"), *found["files"]) if one and "sha256" in one]
        return [(Path(one["name"]).name, one["sha256"]) for one in listed]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


@lru_cache(maxsize=256)
def _digest(path: Path, **_state: str | int) -> str:
    """Return the SHA-256 of a file. The file is read again if its state changes."""
    return fingerprint(path).sha256


def attacked(session: WorkSession, found: Mapping[str, Any]) -> None:
    """Store the results of attacks. If an attack was certified, the written release has changed."""
    of_release = ("files", "verification", "lines")
    kept = {key: one for key, one in found.items() if key not in of_release}
    if found["certified"]:
        written = session.facts(WRITTEN)
        changed = {key: found[key] for key in (*of_release, "certificate")}
        session.find(WRITTEN, {**written, **changed})
    session.find(ATTACKED, kept)
