"""The files of an assessment, which appear whole or not at all.

``risk.html`` is the page, ``risk.json`` all figures. The latter keeps the fingerprint of the page,
so that only what is still as it was written is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead import __version__
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.staging import check_output, staged
from roadstead.reports.risk_facts import AdviceShown
from roadstead.verbs.risk.advice import Advice
from roadstead.verbs.risk.words import below_k

if TYPE_CHECKING:
    from roadstead.verbs.risk.result import RiskFinding

PAGE, FIGURES = "risk.html", "risk.json"


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written to, before any work is done.

    With `force`, one that holds nothing but a former assessment is replaced.
    """
    check_output(out, force=force, own=_former)


def write(
    found: RiskFinding,
    out: Path,
    *,
    force: bool = False,
    advice: Advice | None = None,
    arguments: Sequence[str] = (),
) -> None:
    """Write an assessment as a folder, with the advice to be shown with it.

    `arguments` are those of ``roadstead anonymize`` that name the table, for the command in the
    advice.
    """
    from roadstead.reports.risk_page import risk_page  # noqa: PLC0415 - charts are heavy

    document, shown = found.to_dict(), None
    if advice is not None:
        command = found.command(advice, arguments)
        document["advice"] = advice.to_dict() | {"command": command}
        shown = AdviceShown(advice.attacker, advice.says, advice.statement, advice.notes, command)
    page = risk_page(
        found,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        expected=below_k(found),
        advice=shown,
    )
    with staged(out, force=force, own=_former) as folder:
        (folder / PAGE).write_text(page, encoding="utf-8")
        files = [asdict(fingerprint(folder / PAGE))]
        write_json({**document, "files": files}, folder / FIGURES)


def _former(folder: Path) -> frozenset[str]:
    """Name what is still as a former assessment was written."""
    try:
        document = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
        files = [Fingerprint(**one) for one in document["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    return frozenset({FIGURES, *(one.name for one in files if is_unchanged(folder, one))})
