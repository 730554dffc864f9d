"""Write a release: table, policy, report, and certificate, verified before it is published.

All files are made in a hidden folder. Roadstead then checks the release as a recipient would, from
its files alone. If a requirement is not met, nothing is published.

A table in a database is staged under a hidden name, and checked there together with the documents
in the folder. Then it gets its final name, and the folder gets its name afterwards, so the table of
every visible certificate exists. If the folder cannot get its name, the table is withdrawn. A
signal between the two steps takes effect after both are done.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead import __version__
from roadstead.policies.document import from_json, to_json
from roadstead.policies.json_document import POLICY
from roadstead.quality.for_sharing import loss_for_sharing, search_for_sharing
from roadstead.release.added_risk import AddedRisk, added_in_release
from roadstead.release.apply import released_as, released_batches, released_rows
from roadstead.release.certificate import (
    Certificate,
    TableFingerprint,
    rendered,
)
from roadstead.release.documents import (
    IN_DATABASE,
    Fingerprint,
    TableForm,
    alongside,
    fingerprint,
    read_back,
    table_name,
    write_json,
)
from roadstead.release.draft import Draft
from roadstead.release.ends import with_joined_ends
from roadstead.release.kind import files_of
from roadstead.release.listed_values import require_no_list_of_rare_values
from roadstead.release.publishing import FAILED, UnseenRelease, unseen
from roadstead.release.staging import Own, check_output, staged
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.release import pinned, verify_release
from roadstead.release.verification.table import check_table
from roadstead.release.written import settle, written_form
from roadstead.tables.signals import deferred_signals
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv, Engine, Source
from roadstead.tables.stores.access import sink, workbench

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis

    from roadstead.tables.stores.staged import Sink
    from roadstead.tables.stores.store import QueryBench

_UNPINNED = "0" * 64
"""The digest of a table that is returned without a certificate, so it need not be pinned."""


def publish_release(draft: Draft, out: Path, into: str | None, *, force: bool) -> Verification:
    """Write and verify a release, then publish its folder and its table.

    The folder `out` gets the policy, the report, the certificate, and the table. With `into`, the
    address of a table in a database, the table goes there instead. `force` replaces a former
    release and a former table. If the written release does not meet a requirement, nothing is
    published.
    """
    draft.require_checkable()
    require_no_list_of_rare_values(draft.policy, draft.generalized.table, draft.group_size)
    if into is not None:
        with appearing(into, draft.source, out, force=force, own=files_of) as aside:
            return stage(draft, aside.folder, aside)
    with unseen(out, force=force, report=draft.report, verifier=draft.verifier) as release:
        table = release.folder / table_name(draft.source)
        form = written_form(draft.source.format, table, draft.group_size or 1)
        released = released_batches(
            draft.source,
            draft.policy,
            draft.generalized,
            mask=draft.masks,
            plain=isinstance(form, Csv),
        )
        write(released, table, form)
        columns = released_as(draft.source.columns, draft.policy)
        written = settle(table, form, columns, draft.policy)
        with read_back(table, written) as again:
            return _certified(draft, release, fingerprint(table), written, again)


def _certified(
    draft: Draft,
    release: UnseenRelease,
    table: Fingerprint | TableFingerprint,
    form: TableForm,
    found: Source,
) -> Verification:
    """Write the documents of a written table, certify table and documents, and check everything."""
    write_json(to_json(draft.policy), release.folder / POLICY)
    files = release.with_pages(POLICY)
    policy = draft.policy
    joined = with_joined_ends(found, policy)
    added = added_in_release(joined, policy.quasi, k=draft.group_size, linked_by=policy.linked_by)
    certificate = _certificate(draft, table, form, files, added)
    check = partial(
        verify_release,
        added=added,
        allowed=[one.package for one in draft.plugins or ()],  # named in the request
    )
    if isinstance(table, TableFingerprint):  # otherwise the file is read again, as a recipient does
        check = partial(check, table=found, found=table)
    return release.certify(rendered(certificate), check, draft.complete)


def require_kept(draft: Draft, rows: ibis.Table) -> None:
    """Check rows that are returned as a table without files, like those of a published release.

    Raise what publishing them would raise; nothing is returned then.
    """
    draft.require_checkable()
    engine = str(rows.get_backend().name)
    found = Source(rows, tuple(rows.columns), draft.source.name, Engine(engine))
    unpinned = TableFingerprint(found.name, engine, draft.counts.released, _UNPINNED)
    certificate = _certificate(draft, unpinned, TableForm(kind="table"), (), None)
    policy = from_json(certificate.policy, where=POLICY)  # as a recipient reads it
    checks = check_table(found, certificate, policy, draft.models, None)
    Verification(tuple(checks)).require(where=FAILED)


def _certificate(
    draft: Draft,
    table: Fingerprint | TableFingerprint,
    form: TableForm,
    files: Sequence[Fingerprint],
    added: AddedRisk | None,
) -> Certificate:
    """Return the certificate of a table and of the files next to it."""
    return Certificate(
        table=table,
        files=tuple(files),
        policy=to_json(draft.policy),
        counts=draft.counts,
        risk=draft.risk,
        loss=None if draft.loss is None else loss_for_sharing(draft.loss),
        search=None if draft.search is None else search_for_sharing(draft.search, draft.loss),
        settings=draft.settings,
        software=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        format=form,
        seed=draft.seed,
        population=draft.population,
        kept_at_least=draft.kept_at_least,
        added=added,
        identifiers=draft.identifiers,
        expected_below_k=draft.expected_below_k,
        persons=draft.persons,
        plugins=draft.plugins,
        below_promise=draft.below_promise,
        earlier_releases=None if draft.overlay is None else draft.overlay.for_sharing(),
    )


@dataclass(frozen=True)
class Aside:
    """The hidden parts of a release: the folder, the connection for the table, and the table."""

    folder: Path
    bench: QueryBench
    made: Sink


@contextlib.contextmanager
def appearing(into: str, source: Source, out: Path, *, force: bool, own: Own) -> Iterator[Aside]:
    """Yield a folder and a sink; both are published when the block ends without an error.

    The table goes to `into` and is made from `source`; the other parameters are those of
    `roadstead.release.staging.staged`. If one of the two cannot be published, neither is.
    """
    check_output(out, force=force, own=own)
    unopened = sink(into, source, force=force)  # refuses what it can before any data is brought
    # The connection may be what publishes the table, so it stays open until the end.
    with workbench(source) as bench, unopened as made, contextlib.ExitStack() as last:
        published = False
        try:
            with staged(out, force=force, own=own) as folder:
                yield Aside(folder, bench, made)
                check_output(out, force=force, own=own)  # a former table could not be restored
                last.enter_context(deferred_signals())
                made.publish()
                published = True
        except BaseException:
            if published:
                made.withdraw()
            raise


def check_sink(into: str, source: Source, *, force: bool) -> None:
    """Refuse an address where a table cannot be made, before any work is done."""
    with sink(into, source, force=force):
        pass


def stage(draft: Draft, folder: Path, aside: Aside) -> Verification:
    """Stage the table, write its documents to a folder, and check both."""
    bench, made = aside.bench, aside.made
    with alongside(draft.report) as report:
        release = UnseenRelease(folder, report, draft.verifier)
        rows = released_rows(
            bench.table, bench.small, draft.policy, draft.generalized, mask=draft.masks
        )
        table = made.stage(rows)
        found = Source(table, tuple(table.columns), made.name, Engine(made.backend))
        content = replace(pinned(found), engine=made.backend)
        return _certified(draft, release, content, IN_DATABASE, found)
