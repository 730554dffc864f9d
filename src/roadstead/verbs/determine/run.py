"""Combine facts about a release with people's answers, to create documents for regulators.

Roadstead first verifies the release with the files that the recipient gets. If the verification
fails, no document is written.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from roadstead.determination.answers import AllAnswers, questions
from roadstead.determination.answers_file import read_answers
from roadstead.determination.dialects import NAMES, DialectName
from roadstead.determination.document import determined, require_days_in_order
from roadstead.determination.figures import MeasuredRelease, measured
from roadstead.determination.new_file import new_answers
from roadstead.errors import OutputError, VerificationError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.log import LOG
from roadstead.regular_files import write_whole
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.reports.written import files_written, nothing_written
from roadstead.requests.checks import wrong
from roadstead.requests.origin import Origin
from roadstead.requests.writing import arguments, command
from roadstead.verbs.determine.result import DeterminationFinding, check_place, require_outside
from roadstead.verbs.verify.request import VerifyRequest

if TYPE_CHECKING:
    from pathlib import Path

    from roadstead.verbs.determine.request import DetermineRequest


def deliver(request: DetermineRequest, observer: Observer) -> Delivery[DeterminationFinding]:
    """Write the documents or the questions, and describe who answered each point."""
    out, new = request.out, request.new
    if new is not None:
        return _questions(request, new, observer)
    if request.pdf and out is None:
        raise wrong("pdf", "no output folder is given", f"add {option('out', 'DIR')}")
    if out is not None:
        check_place(out, force=request.force)
    found = result_of(request, observer)
    observer.finished()
    lines, document = found.lines, found.to_dict()
    if out is None:
        return Delivery(found, tuple(lines), document, (nothing_written("the documents"),))
    found.write(out, pdf=request.pdf, force=request.force)
    LOG.info("wrote a determination in %d dialects", len(found.determination.dialects))
    pages = [f"{one.dialect}.html" for one in found.determination.dialects]
    pdf = ["a PDF of each"] if request.pdf else []
    lines.append(files_written(out, [*pages, *pdf, "determination.json"]))
    return Delivery(found, tuple(lines), {**document, "out": str(out)})


def result_of(request: DetermineRequest, observer: Observer) -> DeterminationFinding:
    """Verify the release, and combine facts about the release with people's answers."""
    of = _verified(request, observer)
    answers, name = AllAnswers(), ""
    if request.answers is not None:
        answers, name = read_answers(request.answers, of.certificate)
        require_days_in_order(answers)
    names: tuple[DialectName, ...] = NAMES if request.dialect == "all" else (request.dialect,)
    now = datetime.now(UTC)
    made = determined(
        of,
        answers,
        names,
        release=name,
        today=now.date(),
        created=now.isoformat(timespec="seconds"),
    )
    return DeterminationFinding(made)


def _verified(request: DetermineRequest, observer: Observer) -> MeasuredRelease:
    """Verify the release with only its own files, and return the measured facts.

    If the verification fails, the function raises an error.
    """
    folder = request.release
    if not folder.is_dir():
        what = "there is no such folder"
        raise VerificationError(what, where=str(folder), fix="give the folder of a release")
    before = _certificate(folder)
    verification = VerifyRequest(
        folder,
        table=request.table,
        signed_by=request.signed_by,
        allow_plugin=request.allow_plugin,
    ).run(observer)
    verification.require(where=f"{folder} fails verification, so nothing is written")
    of = measured(folder, verification, request.allow_plugin or ())
    if of.certificate != before:
        raise VerificationError("the certificate changed during the run", where=str(folder))
    return of


def _certificate(folder: Path) -> str:
    try:
        return fingerprint(folder / CERTIFICATE).sha256
    except OSError:
        fix = "give the folder of a release"
        raise VerificationError(
            "this folder has no certificate", where=str(folder), fix=fix
        ) from None


def _questions(
    request: DetermineRequest, new: Path, observer: Observer
) -> Delivery[DeterminationFinding]:
    """Write a file with questions about the release, without replacing an existing file."""
    for key in ("answers", "out", "pdf"):
        if getattr(request, key):
            fix = f"leave this setting out, or leave {option('new')} out"
            raise wrong(key, "if a new file of questions is written, nothing else is written", fix)
    require_outside(new, "new")
    if new.exists():
        fix = "choose another name, so that no answers are lost"
        raise OutputError("the file already exists", where=str(new), fix=fix)
    of = _verified(request, observer)
    found = result_of(request, observer)
    try:
        write_whole(new, new_answers(of.certificate, request.release.name, of.released).encode())
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise OutputError(what, where=str(new), fix="choose another place") from None
    observer.finished()
    lines = (
        f"{len(questions())} unanswered questions written to {new}.",
        "Answer as many questions as you can. Unanswered questions are shown as not assessed. The "
        "answers apply only to this release: the file identifies its certificate, which changes if "
        "you add attacks. If you plan to add attacks, run roadstead attack first. Then run:",
        f"  {_next(request, new)}",
    )
    return Delivery(found, lines, {"new": str(new), "questions": len(questions())})


def _next(request: DetermineRequest, new: Path) -> str:
    given = {"release": request.release, "table": request.table, "answers": new}
    if request.dialect != "all":  # so that the command writes only the document that was requested
        given["dialect"] = request.dialect
    return command("determine", arguments(type(request), Origin(given)))
