"""Create a determination about a written release from the answers on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roadstead.determination.document import DOCUMENT
from roadstead.jobs import Observer
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.reports.determination.page import overview
from roadstead.requests.origin import Origin
from roadstead.requests.writing import arguments, command
from roadstead.verbs.determine.request import DetermineRequest
from roadstead.web.work.exporting import repeated


def determine(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Combine a release with answers, and write the documents. Return their addresses."""
    release, out = Path(given["release"]), Path(given["out"])
    request = DetermineRequest(
        release,
        answers=Path(given["answers"]),
        dialect=given["dialect"],
        pdf=given["pdf"],
        out=out,
        force=True,
    )
    delivery = request.deliver(observer)
    made = delivery.result.determination
    names = sorted(one.name for one in out.iterdir())
    kept = replace(made, files=tuple(fingerprint(out / name) for name in names))
    return {
        "certificate": fingerprint(release / CERTIFICATE).sha256,
        "piece": str(overview(kept, given["at"])),
        "files": sorted(names, key=lambda name: name == DOCUMENT),
        "again": determine_again(release, dialect=given["dialect"], pdf=given["pdf"]),
    }


def determine_again(release: Path, *, dialect: str = "all", pdf: bool = False) -> dict[str, str]:
    """Return commands and a Python call that create the documents from a file of answers."""
    new = {"release": str(release), "new": "determination.toml"}
    own: dict[str, Any] = {
        "release": str(release),
        "answers": "determination.toml",
        "out": "determination",
        **({} if dialect == "all" else {"dialect": dialect}),
        **({"pdf": True} if pdf else {}),
    }
    questions = command("determine", arguments(DetermineRequest, Origin(new)))
    return {
        "questions": questions,
        **repeated("determine", DetermineRequest(**own), Origin(own)),
    }
