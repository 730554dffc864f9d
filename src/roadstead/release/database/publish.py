"""Write a whole database aside, check it as a stranger would, and let its folder appear."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead import __version__
from roadstead.log import LOG
from roadstead.policies.document import to_json
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.database.certificate import (
    DatabaseCertificate,
    MovedDates,
    ReleasedPersons,
    ReleasedTable,
    database_files,
    promise_of,
    write_database_certificate,
)
from roadstead.release.database.decisions import DatabaseDraft
from roadstead.release.database.rows import released, released_people
from roadstead.release.database.vocabulary import released_reference
from roadstead.release.database.verify import verify_database
from roadstead.release.documents import TableForm, fingerprint
from roadstead.release.publish import FAILED
from roadstead.release.staging import staged
from roadstead.tables import engine
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv, Parquet
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.verification.checks import Verification
    from roadstead.tables.database.opening import SetTable


def publish_database(
    draft: DatabaseDraft, out: Path, *, force: bool
) -> tuple[DatabaseCertificate, Verification]:
    """Write and verify a release; a VerificationError, and no folder, if a check does not hold."""
    with staged(out, force=force, own=database_files) as folder:
        tables = {name: _write(draft, one, folder) for name, one in draft.opened.tables.items()}
        certificate = _certificate(draft, tables)
        write_database_certificate(certificate, folder / CERTIFICATE)
        LOG.info("verifying")
        verification = verify_database(folder)
        verification.require(where=FAILED)
    return certificate, verification


def _write(draft: DatabaseDraft, table: SetTable, folder: Path) -> ReleasedTable:
    """Write one table, and work out its fingerprint."""
    opened = draft.opened
    LOG.info("writing %s", table.name)
    if table.rules.is_of_persons:
        query = released_people(opened, draft.decided, draft.window)
    elif table.rules.person is None:
        query = released_reference(opened, table)
    else:
        query = released(opened, table, gone=draft.gone)
    view = f"out {table.name}"
    opened.run(f"CREATE TEMP VIEW {quoted_name(view)} AS {query}")
    path = folder / table.file
    write(engine.table(opened.engine.backend, view), path, table.form)
    ((before,),) = opened.rows(f"SELECT count(*) FROM {table.view}")
    form = _form(table.form)
    return ReleasedTable(
        file=fingerprint(path),
        form=form,
        rules=table.rules,
        columns=tuple((column, table.spelled[column]) for column in table.columns),
        left_out=table.left_out,
        rows_of_source=before,
        rows=_rows_of(draft, path, form),
    )


def _form(form: Csv | Parquet) -> TableForm:
    if isinstance(form, Parquet):
        return TableForm(kind="parquet")
    return TableForm(kind="csv", **asdict(form.dialect))


def _rows_of(draft: DatabaseDraft, path: Path, form: TableForm) -> int:
    """Count the rows that were written."""
    file = engine.literal(str(path))
    if form.kind == "parquet":
        query = f"SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata({file})"
    else:
        query = (
            f"SELECT count(*) FROM read_csv({file}, all_varchar = true, header = true, "
            f"delim = {engine.literal(form.delimiter or ',')}, "
            f"quote = {engine.literal(form.quote or '')}, "
            f"escape = {engine.literal(form.quote or '')}, auto_detect = false, "
            f"columns = {{{_columns(draft, path)}}})"
        )
    ((rows,),) = draft.opened.rows(query)
    return int(rows or 0)


def _columns(draft: DatabaseDraft, path: Path) -> str:
    table = next(one for one in draft.opened.tables.values() if one.file == path.name)
    return ", ".join(f"{engine.literal(table.spelled[c])}: 'VARCHAR'" for c in table.columns)


def _certificate(
    draft: DatabaseDraft, tables: dict[str, ReleasedTable]
) -> DatabaseCertificate:
    opened, settings, window = draft.opened, draft.settings, draft.window
    people = tables[opened.people.name]
    moved = None
    if window is not None:
        moved = MovedDates(settings.days, window.first.isoformat(), window.last.isoformat())
    return DatabaseCertificate(
        promise=promise_of(opened.rules, settings.k, settings.knows),
        k=settings.k,
        knows=settings.knows,
        tables=tables,
        tables_left_out=opened.left_out,
        persons=ReleasedPersons(
            people.rows_of_source, people.rows, people.rows_of_source - people.rows
        ),
        dates=moved,
        keys="by the custodian's key" if settings.pseudonyms.keyed else "drawn and forgotten",
        numbered=opened.numbered,
        policy=to_json(draft.policy),
        software=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
