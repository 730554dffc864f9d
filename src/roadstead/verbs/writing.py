"""Check the output folder or table before any work, and describe the output after writing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.log import LOG
from roadstead.release.certificate import CERTIFICATE, read_certificate
from roadstead.release.documents import Fingerprint, is_unchanged
from roadstead.release.kind import files_of, release_of
from roadstead.release.publish import check_sink
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.staging import check_output
from roadstead.release.written import memory_needed
from roadstead.reports.written import NEEDS_ROADSTEAD, nothing_written, released_to, written
from roadstead.requests.checks import wrong
from roadstead.requests.origin import Origin, Project
from roadstead.requests.outputs import NewRelease
from roadstead.requests.writing import arguments, command
from roadstead.tables.source import Source
from roadstead.verbs.released import ReleaseResult
from roadstead.verbs.verify.request import VerifyRequest


def still_as_written(folder: Path, figures: str, mark: str = "files") -> frozenset[str]:
    """Return the names of the files that are unchanged according to their fingerprints.

    `figures` is the file with the fingerprints. The result is empty if this file cannot be read or
    does not contain the key `mark`.
    """
    try:
        document = json.loads((folder / figures).read_text(encoding="utf-8"))
        files = [Fingerprint(**one) for one in document["files"]]
        ours = mark in document
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    unchanged = (one.name for one in files if is_unchanged(folder, one))
    return frozenset({figures, *unchanged}) if ours else frozenset()


def require_output(request: NewRelease) -> None:
    """Before any work starts, reject an output folder that cannot be written to.

    If an earlier release is replaced, the folder must not contain anything else.
    """
    require_folder(request.into, request.out)
    if request.ledger is not None:
        from roadstead.verbs.ledger import require_ledger  # noqa: PLC0415 - heavy, with a ledger

        require_ledger(request, request.out)
    if request.out is not None:
        check_output(request.out, force=request.force, own=files_of)


def require_folder(into: str | None, out: Path | None) -> None:
    """Reject an empty database address, and a database table without an output folder."""
    if into is not None and not into.strip():
        fix = "choose a new table, for example 'duckdb://clinic.duckdb?table=released'"
        raise wrong("into", "no address is given", fix)
    if into is not None and out is None:
        what = "the policy, the report, and the certificate of the table are written to a folder"
        raise wrong("into", what, f"add {option('out', 'DIR')}")


def replaced_signature(folder: Path | None) -> tuple[list[str], dict[str, Any]]:
    """Say that a new release will replace a signed release, as lines and as JSON.

    The function is called before the release is written. `folder` is None if nothing is written.
    """
    if folder is None or not (folder / SIGNATURE).is_file():
        return [], {}
    said = f"Warning: the earlier release in {folder} was signed. Its signature is removed."
    return [f"{said} Sign the new release with roadstead sign."], {"replaced_signature": True}


def require_new_table(request: NewRelease, source: Source) -> None:
    """Before any work starts, reject an address where a table cannot be created."""
    if request.into is not None:
        check_sink(request.into, source, force=request.force)


def delivered(
    result: ReleaseResult,
    request: NewRelease,
    lines: Sequence[str],
    observer: Observer,
    *,
    project: Project | None = None,
    read: Callable[[Path], str] | None = None,
) -> Delivery[Any]:
    """Write a result if the request names an output folder, and describe where it was written.

    `lines` describes the result. The function `read` returns a line that names the files to read.
    The output ends with the block about columns without a role, which may refer to the project file
    `project`.
    """
    out, into, document = request.out, request.into, result.to_dict()
    ending = result.ending(project)
    if out is None:
        note = nothing_written("the release")
        return Delivery(result, (*lines, *ending), document, (note,))
    ledger = None
    if request.ledger is not None:
        from roadstead.verbs.ledger import ledger_of  # noqa: PLC0415 - heavy, with a ledger

        ledger = ledger_of(request)
    own = result.draft
    memory = memory_needed(own.source.format, own.counts.released, len(own.policy.released))
    if memory is not None and into is None:
        observer.note(memory)
    unsigned, told = replaced_signature(out)
    verification = result.write(
        out, into=into, force=request.force, ledger=ledger, verifier=request.verifier
    )
    LOG.info("wrote a release, verified with %d checks", len(verification.checks))
    document |= {
        **documented(out, into),
        **told,
        "verified": verification.passed,
        "promised": verification.promised,
    }
    how = "written" if into is None else "published"
    said = [*unsigned, written(released_to(out, into), verification, how)]
    if into is None and read_certificate(out / CERTIFICATE)[0].format.kind != "csv":
        said.append(NEEDS_ROADSTEAD)
    if read is not None:
        said.append(read(out))
    if ledger is not None:
        document |= {"earlier_releases": ledger.document}
        said = [*ledger.lines, *said]
    return Delivery(result, (*lines, *said, *ending), document)


def check_with(out: Path, into: str | None) -> str:
    """Return the command that verifies a release."""
    given = {"release": str(out), "table": into}
    return command("verify", arguments(VerifyRequest, Origin(given)))


def documented(out: Path, into: str | None) -> dict[str, Any]:
    """For JSON, return where a release was written. An address is reduced to the table name."""
    table = {} if into is None else {"into": release_of(out).table_elsewhere().name}
    return {"out": str(out), **table}
