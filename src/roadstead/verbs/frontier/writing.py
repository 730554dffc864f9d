"""The files of a frontier, which appear whole or not at all.

``frontier.html`` is the page, ``frontier.png`` its picture, ``frontier.json`` all points with their
policies; the folder ``release`` is the release of the policy chosen, if one was. ``frontier.json``
keeps the fingerprints of the other two, so that only what is still as it was written is replaced.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from roadstead.release.certificate import files_of
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.publish import appearing
from roadstead.release.staging import check_output, staged
from roadstead.reports.frontier.facts import FrontierFacts
from roadstead.reports.frontier.lines import PAGE, PICTURE, POINTS, document
from roadstead.tables.source import Source
from roadstead.verbs.frontier.release import FrontierRelease

RELEASE = "release"


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written to, before any work is done."""
    check_output(out, force=force, own=_former)


def write(
    facts: FrontierFacts[Any],
    source: Source,
    out: Path,
    *,
    force: bool = False,
    release: FrontierRelease | None = None,
    command: str = "roadstead frontier DATA",
    into: str | None = None,
) -> None:
    """Write a frontier, and the release of the policy chosen, as a folder.

    With `into`, the address of a new table in a database, the released table goes there, and its
    documents to the folder.
    """
    from roadstead.reports.frontier import page  # noqa: PLC0415 - charts are heavy

    created = datetime.now(UTC).isoformat(timespec="seconds")
    with contextlib.ExitStack() as ending:
        aside = None
        if into is not None and release is not None:
            aside = ending.enter_context(appearing(into, source, out, force=force, own=_former))
            folder = aside.folder
        else:
            folder = ending.enter_context(staged(out, force=force, own=_former))
        text = page.frontier_page(facts, command, created)
        (folder / PAGE).write_text(text, encoding="utf-8")
        drawn = page.frontier_png(facts)
        if drawn is not None:
            (folder / PICTURE).write_bytes(drawn)
        written = (PAGE, PICTURE) if drawn is not None else (PAGE,)
        files = [asdict(fingerprint(folder / name)) for name in written]
        write_json({**document(facts), "files": files}, folder / POINTS)
        if release is not None and aside is not None:
            (folder / RELEASE).mkdir()
            release.stage(folder / RELEASE, aside)
        elif release is not None:
            release.write(folder / RELEASE)


def _former(folder: Path) -> frozenset[str]:
    """Name what is still as a former frontier was written."""
    try:
        points = json.loads((folder / POINTS).read_text(encoding="utf-8"))
        files = [Fingerprint(**one) for one in points["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    own = {POINTS, *(one.name for one in files if is_unchanged(folder, one))}
    release = folder / RELEASE
    if release.is_dir() and {entry.name for entry in release.iterdir()} <= files_of(release):
        own.add(RELEASE)
    return frozenset(own)
