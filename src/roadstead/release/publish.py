"""Write the release of a table, and verify the release before it is published.

The table, the policy, the report, and the certificate are written to a hidden folder. Roadstead
then reads the table back from its file, and checks all files. If a check fails, nothing is
published.

A table in a database is first written under a hidden name. After the check, the table is renamed
first, and the folder is renamed second. So every visible certificate has a table. If the folder
cannot be renamed, the table is removed again. If a signal arrives between these two steps, it takes
effect after both steps.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead import __version__
from roadstead.policies.document import from_json, to_json
from roadstead.policies.json_document import POLICY
from roadstead.quality.for_sharing import loss_for_sharing, search_for_sharing
from roadstead.release.added_risk import AddedRisk, added_in_release
from roadstead.release.apply import released_batches, released_rows
from roadstead.release.certificate import (
    MISSING_CODES,
    RARE_MISSING,
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
    now,
    read_back,
    table_name,
    write_json,
)
from roadstead.release.draft import Draft
from roadstead.release.ends import with_joined_ends
from roadstead.release.kind import files_of
from roadstead.release.listed_values import require_no_list_of_rare_values
from roadstead.release.publishing import FAILED, UnseenRelease, unseen
from roadstead.release.rare_labels import (
    shown_by_codes,
    with_codes_of_rare_labels,
    without_changed_labels,
)
from roadstead.release.staging import Own, check_output, staged
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.release import pinned, verify_release
from roadstead.release.verification.table import check_table
from roadstead.release.written import sorted_at_once, write_release, written_form
from roadstead.tables.signals import deferred_signals
from roadstead.tables.source import Csv, Engine, Source
from roadstead.tables.stores.access import sink, workbench

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis

    from roadstead.tables.stores.staged import Sink
    from roadstead.tables.stores.store import QueryBench

_UNPINNED = "0" * 64
"""The placeholder for the digest of a table that does not get a certificate."""


def publish_release(draft: Draft, out: Path, into: str | None, *, force: bool) -> Verification:
    """Write and verify a release, then publish its folder and its table.

    `into` is the address of a table in a database. If `into` is given, the table is written to this
    address and not to the folder `out`. `force` allows the replacement of an earlier release and an
    earlier table. If a check fails, nothing is published.
    """
    draft.require_checkable()
    require_no_list_of_rare_values(draft.policy, draft.generalized.table, draft.group_size)
    if into is not None:
        shown = shown_by_codes(draft)
        with appearing(into, shown, out, force=force, own=files_of) as aside:
            return stage(draft, aside.folder, aside)
    with unseen(out, force=force, report=draft.report, verifier=draft.verifier) as release:
        table = release.folder / table_name(draft.source)
        draft = with_codes_of_rare_labels(draft)
        form = written_form(without_changed_labels(draft), table, draft.group_size or 1)
        once = sorted_at_once(form, draft.source, draft.counts.records)
        released = released_batches(
            draft.source,
            draft.policy,
            draft.generalized,
            mask=draft.masks,
            plain=isinstance(form, Csv),
            ordered=not once,
        )
        written = write_release(released, table, form, draft.policy, once=once)
        with read_back(table, written) as again:
            return _certified(draft, release, fingerprint(table), written, again)


def _certified(
    draft: Draft,
    release: UnseenRelease,
    table: Fingerprint | TableFingerprint,
    form: TableForm,
    found: Source,
) -> Verification:
    """Write the documents for a written table, certify all files, and check everything."""
    write_json(to_json(draft.policy), release.folder / POLICY)
    files = release.with_pages(POLICY)
    policy = draft.policy
    joined = with_joined_ends(found, policy)
    added = added_in_release(
        joined,
        policy.quasi,
        k=draft.group_size,
        linked_by=policy.linked_by,
        knows=policy.rows_known,
    )
    certificate = _certificate(draft, table, form, files, draft.with_people(added))
    check = partial(
        verify_release,
        table=found,
        added=added,
        allowed=[one.package for one in draft.plugins or ()],  # the request names these packages
    )
    if isinstance(table, TableFingerprint):
        check = partial(check, found=table)
    return release.certify(rendered(certificate), check, draft.complete)


def require_kept(draft: Draft, rows: ibis.Table) -> None:
    """Check rows that are returned without files, in the same way as the rows of a release.

    The function raises the same errors as publishing.
    """
    draft.require_checkable()
    engine = str(rows.get_backend().name)
    found = Source(rows, tuple(rows.columns), draft.source.name, Engine(engine))
    unpinned = TableFingerprint(found.name, engine, draft.counts.released, _UNPINNED)
    certificate = _certificate(draft, unpinned, TableForm(kind="table"), (), None)
    policy = from_json(certificate.policy, where=POLICY)  # read as a recipient would read it
    checks = check_table(found, certificate, policy, draft.models, None)
    Verification(tuple(checks)).require(where=FAILED)


def _certificate(
    draft: Draft,
    table: Fingerprint | TableFingerprint,
    form: TableForm,
    files: Sequence[Fingerprint],
    added: AddedRisk | None,
) -> Certificate:
    return Certificate(
        table=table,
        files=tuple(files),
        policy=to_json(draft.policy),
        counts=draft.counts,
        risk=draft.risk,
        loss=None if draft.loss is None else loss_for_sharing(draft.loss),
        search=None if draft.search is None else search_for_sharing(draft.search, draft.loss),
        settings={**draft.settings, **_reading(draft)},
        software=__version__,
        created=now(),
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


def _reading(draft: Draft) -> dict[str, Any]:
    """Return the settings of the source that later readers must also use."""
    codes, rare = draft.declared_missing, draft.rare_missing
    return {**({MISSING_CODES: codes} if codes else {}), **({RARE_MISSING: rare} if rare else {})}


@dataclass(frozen=True)
class Aside:
    """The hidden parts of a release: the folder, the connection, and the table."""

    folder: Path
    bench: QueryBench
    made: Sink


@contextlib.contextmanager
def appearing(into: str, source: Source, out: Path, *, force: bool, own: Own) -> Iterator[Aside]:
    """Yield a hidden folder and a sink, and publish both if the block ends without an error.

    The table is created from `source` and written to `into`. `roadstead.release.staging.staged`
    explains the other parameters. If the folder or the table cannot be published, neither is
    published.
    """
    check_output(out, force=force, own=own)
    unopened = sink(into, source, force=force)  # fails early, before data are sent
    # The connection may be needed to publish the table, so it stays open until the end.
    with workbench(source) as bench, unopened as made, contextlib.ExitStack() as last:
        published = False
        try:
            with staged(out, force=force, own=own) as folder:
                yield Aside(folder, bench, made)
                check_output(out, force=force, own=own)  # a replaced table cannot be restored
                last.enter_context(deferred_signals())
                made.publish()
                published = True
        except BaseException:
            if published:
                made.withdraw()
            raise


def check_sink(into: str, source: Source, *, force: bool) -> None:
    """Reject an address where a table cannot be created, before any work is done."""
    with sink(into, source, force=force):
        pass


def stage(draft: Draft, folder: Path, aside: Aside) -> Verification:
    """Write the table under a hidden name, write the documents to a folder, and check both."""
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
