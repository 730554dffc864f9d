"""Create a release again from its policy and the original table, and compare the two releases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.release.kind import ReleaseKind, release_of
from roadstead.reports.repetition import Repetition, repetition_document, repetition_lines
from roadstead.requests.checks import wrong
from roadstead.requests.fields import checked, options_of
from roadstead.tables.scratch import scratch
from roadstead.verbs.apply.request import ApplyRequest
from roadstead.verbs.apply.run import application_of
from roadstead.verbs.opening import opened, with_recorded_missing
from roadstead.verbs.repeat.comparison import POLICY, compared
from roadstead.verbs.repeat.request import RepeatRequest
from roadstead.verbs.verify.folder import require_folder, verify_folder

if TYPE_CHECKING:
    from pathlib import Path


def deliver(request: RepeatRequest, observer: Observer) -> Delivery[Repetition]:
    """Create a release again, and report which parts are the same and which parts differ."""
    folder = require_folder(request.release)
    if request.original is None:
        fix = f"give {option('original', 'DATA')}"
        raise wrong("original", "the original table is missing", fix)
    verify_folder(folder, None, observer, signature=False).require(where=str(folder))
    _require_repeatable(release_of(folder), folder)
    quiet = replace(observer, note=lambda _: None)
    with scratch() as aside:
        shared = options_of(RepeatRequest).keys() & options_of(ApplyRequest).keys()
        given: dict[str, Any] = {name: getattr(request, name) for name in shared}
        applying = checked(ApplyRequest(folder / POLICY, request.original, **given))
        applying = with_recorded_missing(applying, folder, observer)
        source = opened(applying.data, applying, quiet)
        again = application_of(applying, source, new_records=False)
        again.write(aside / "again", verifier=False)
        found = compared(folder, aside / "again")
    return Delivery(
        found,
        repetition_lines(found, key=request.key is not None),
        repetition_document(found),
        exit_code=0 if found.passed else 1,
    )


def _require_repeatable(release: ReleaseKind, folder: Path) -> None:
    if release.name == "private":
        raise SettingError(
            "a differentially private release cannot be made again, because its noise is random "
            "and was not kept",
            where=str(folder),
            fix="give the release of a single table that anonymize or apply made",
        )
    if release.name != "table" or not (folder / POLICY).is_file():
        raise SettingError(
            "only the release of a single table in a file can be made again",
            where=str(folder),
            fix="give the release of a single table",
        )
