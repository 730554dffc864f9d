"""Publish a release as a table in a database; its documents are in a folder, as with a file.

The table is staged where nobody sees it, and checked there as a stranger would check it, with the
documents beside it. Only then does it get its name, and after it the folder: whoever finds a
certificate finds the table. If the folder cannot appear the table is withdrawn. A signal that comes
between the two is heeded when both are there.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.release.added_risk import added_in_release
from roadstead.release.apply import released_rows
from roadstead.release.certificate import CERTIFICATE, TableForm, files_of, write_certificate
from roadstead.release.publish import (
    FAILED,
    Draft,
    certificate_of,
    publish,
    require_checkable,
    write_documents,
)
from roadstead.release.staging import Own, check_output, staged
from roadstead.release.verification import Verification
from roadstead.release.verify import pinned, verify_published
from roadstead.tables.formats import Engine
from roadstead.tables.signals import deferred_signals
from roadstead.tables.source import Source
from roadstead.tables.stores.access import sink, workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roadstead.tables.stores.staged import Sink
    from roadstead.tables.stores.store import Workbench


def publish_release(draft: Draft, out: Path, into: str | None, *, force: bool) -> Verification:
    """Publish a release as files alone, or with its table in a database.

    Raises are those of `roadstead.release.publish.publish` and `publish_table`.
    """
    if into is None:
        return publish(draft, out, force=force)
    return publish_table(draft, into, out, force=force)


def publish_table(draft: Draft, into: str, out: Path, *, force: bool) -> Verification:
    """Write and verify a release, then let its table and its folder appear.

    Parameters
    ----------
    draft
        The release.
    into
        The address of the table that is made.
    out
        The folder of the policy, the report and the certificate.
    force
        Replace a former table, and a former release in the folder.

    Raises
    ------
    OutputError
        When the table or the folder cannot be made.
    Refusal
        When no record is left to be released.
    VerificationError
        When the table does not keep a promise; nothing is published.
    """
    require_checkable(draft)
    with appearing(into, draft.source, out, force=force, own=files_of) as aside:
        return stage(draft, aside.folder, aside)


@dataclass(frozen=True)
class Aside:
    """What is not seen yet.

    Attributes
    ----------
    folder
        The folder to write to.
    bench
        The workbench that the table is made on.
    made
        The table.
    """

    folder: Path
    bench: Workbench
    made: Sink


@contextlib.contextmanager
def appearing(into: str, source: Source, out: Path, *, force: bool, own: Own) -> Iterator[Aside]:
    """Give a folder to write to and a sink; both appear when the block ends without an error.

    Parameters
    ----------
    into, source
        Where the table goes, and what it is made of.
    out, force, own
        As for `roadstead.release.staging.staged`.

    Raises
    ------
    OutputError
        When one of them cannot be made; neither is there then.
    """
    check_output(out, force=force, own=own)
    unopened = sink(into, source, force=force)  # refuses what it can before anything is brought
    # The connection of the workbench may be what publishes, so it stays open to the end.
    with workbench(source) as bench, unopened as made, contextlib.ExitStack() as last:
        published = False
        try:
            with staged(out, force=force, own=own) as folder:
                yield Aside(folder, bench, made)
                check_output(out, force=force, own=own)  # a former table would not come back
                last.enter_context(deferred_signals())
                made.publish()
                published = True
        except BaseException:
            if published:
                made.withdraw()
            raise


def check_sink(into: str, source: Source, *, force: bool) -> None:
    """Refuse an address that no table can be made at, before any work is done.

    Raises
    ------
    OutputError
        When a table is there and `force` is not given, or none can be made.
    """
    with sink(into, source, force=force):
        pass


def stage(draft: Draft, folder: Path, aside: Aside) -> Verification:
    """Stage the table, write its documents to a folder, and check both.

    Raises
    ------
    VerificationError
        When the staged table does not keep a promise.
    """
    bench, made = aside.bench, aside.made
    with ThreadPoolExecutor(1) as thread:
        report = thread.submit(draft.report) if draft.report is not None else None
        rows = released_rows(
            bench.table, bench.small, draft.policy, draft.generalized, mask=draft.masks
        )
        table = made.stage(rows)
        found = Source(table, tuple(table.columns), made.name, Engine(made.backend))
        files = write_documents(draft, folder, None if report is None else report.result())
        fingerprint = replace(pinned(found), engine=made.backend)
        added = added_in_release(found, draft.policy.quasi, k=draft.group_size)
        certificate = certificate_of(draft, fingerprint, files, TableForm(kind="table"), added)
        write_certificate(certificate, folder / CERTIFICATE)
        verification = verify_published(folder, found, fingerprint, added)
        verification.require(where=FAILED)
    return verification
