"""The files of an evaluation, which appear whole or not at all.

``evaluation.json`` has everything, ``evaluation.csv`` one line for each figure of each run. The
former keeps the fingerprint of the latter, so that only what is still as it was written is
replaced. Neither is private; both say so.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from roadstead import __version__
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.staging import check_output, staged

FIGURES, LINES = "evaluation.json", "evaluation.csv"


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written to, before any work is done.

    Raises
    ------
    OutputError
        When it exists and `force` is not given, or it holds more than a former evaluation.
    """
    check_output(out, force=force, own=_former)


def write(
    document: Mapping[str, Any],
    header: Sequence[str],
    lines: Sequence[Sequence[object]],
    out: Path,
    *,
    force: bool,
) -> None:
    """Write an evaluation as a folder.

    Parameters
    ----------
    document
        Everything.
    header, lines
        The figures as a table.
    out
        The folder.
    force
        Replace a former evaluation.

    Raises
    ------
    OutputError
        When the folder exists, or cannot be written.
    """
    with staged(out, force=force, own=_former) as folder:
        with (folder / LINES).open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(header)
            table.writerows(lines)
        made = {
            "roadstead_evaluation": 1,
            **document,
            "software": __version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "files": [asdict(fingerprint(folder / LINES))],
        }
        write_json(made, folder / FIGURES)


def _former(folder: Path) -> frozenset[str]:
    """Name what is still as a former evaluation was written."""
    try:
        document = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
        files = [Fingerprint(**one) for one in document["files"]]
        ours = "roadstead_evaluation" in document
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    unchanged = (one.name for one in files if is_unchanged(folder, one))
    return frozenset({FIGURES, *unchanged}) if ours else frozenset()
