"""Write a whole database to a hidden folder, check it as a recipient would, and publish it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead import __version__
from roadstead.log import LOG
from roadstead.policies.document import to_json
from roadstead.release.certificate import REPORT
from roadstead.release.database.certificate import (
    DatabaseCertificate,
    LostRows,
    MovedDates,
    ReleasedPersons,
    ReleasedTable,
    rendered,
)
from roadstead.release.database.decisions import DatabaseDraft
from roadstead.release.database.remaining import CodesLeft, codes_left, people_kept
from roadstead.release.database.rows import (
    code_of,
    concepts_in,
    detail,
    eligible,
    numbered_label,
    released,
    released_people,
    remaining,
)
from roadstead.release.database.vocabulary import released_reference
from roadstead.release.documents import fingerprint, now, table_form
from roadstead.release.publishing import unseen
from roadstead.release.runnable import RunnableCells, runnable_in
from roadstead.tables import engine
from roadstead.tables.sinks import write
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.verification.checks import Verification
    from roadstead.tables.database.opening import SetTable


_GENERAL = "coalesce(count_if(l.released <> {}), 0)"


@dataclass(frozen=True)
class PublishedDatabase:
    """A written database, and its cells that a spreadsheet may run as formulas."""

    certificate: DatabaseCertificate
    verification: Verification
    runnable: dict[str, RunnableCells]  # for each table that has such cells
    codes: dict[str, CodesLeft]  # for each table in which codes lose rows


def publish_database(
    draft: DatabaseDraft,
    out: Path,
    *,
    report: Callable[[DatabaseCertificate], str],
    force: bool,
    verifier: bool = False,
) -> PublishedDatabase:
    """Write and verify a release.

    If a check fails, the function raises a VerificationError and leaves no folder. `report` writes
    the HTML report, and `verifier` indicates whether to add the page that checks the release.
    """
    with unseen(out, force=force, verifier=verifier) as release:
        used: set[int] = set()
        found = {name: codes_left(draft, one) for name, one in draft.opened.tables.items()}
        codes = {name: one for name, one in found.items() if one is not None}
        written = {
            table.name: _write(draft, table, release.folder, used, codes.get(table.name))
            # Vocabularies are written last, because the released concepts must be known.
            for table in sorted(draft.opened.tables.values(), key=lambda one: not one.rules.person)
        }
        tables = {name: written[name] for name in draft.opened.tables}
        certificate = _certificate(draft, tables)
        (release.folder / REPORT).write_text(report(certificate), encoding="utf-8")
        certificate = replace(certificate, files=release.with_pages(REPORT))
        LOG.info("verifying")
        verification = release.certify(rendered(certificate))
    runnable = {name: _runnable(draft, name) for name in written}
    return PublishedDatabase(
        certificate, verification, {name: own for name, own in runnable.items() if own}, codes
    )


def _runnable(draft: DatabaseDraft, name: str) -> RunnableCells:
    return runnable_in(engine.table(draft.opened.engine.backend, _view(name)), name)


def _view(name: str) -> str:
    return f"out {name}"


def _write(
    draft: DatabaseDraft, table: SetTable, folder: Path, used: set[int], codes: CodesLeft | None
) -> ReleasedTable:
    """Write one table, return its facts, and add its concepts to `used`."""
    opened = draft.opened
    LOG.info("writing %s", table.name)
    if table.rules.is_of_persons:
        query = released_people(opened, draft.decided)
    elif table.rules.person is None:
        query = released_reference(opened, table, used)
    else:
        query = released(opened, table, gone=draft.gone)
    view = _view(table.name)
    opened.run(f"CREATE TEMP VIEW {quoted_name(view)} AS {query}")
    path = folder / table.file
    write(engine.table(opened.engine.backend, view), path, table.form)
    before, rows, lost = _counted(draft, table, used)
    return ReleasedTable(
        file=fingerprint(path),
        form=table_form(table.form, ()),
        rules=table.rules,
        columns=tuple((column, table.spelled[column]) for column in table.columns),
        left_out=table.left_out,
        rows_of_source=before,
        rows=rows,
        lost=lost,
        people=people_kept(draft, table),
        codes=None if codes is None else codes.certified,
    )


def _counted(draft: DatabaseDraft, table: SetTable, used: set[int]) -> tuple[int, int, LostRows]:
    """Count the source rows, the released rows, and the omitted rows for each reason."""
    opened = draft.opened
    ((before,),) = opened.rows(f"SELECT count(*) FROM {table.view}")
    if table.rules.is_of_persons:
        ((rows,),) = opened.rows("SELECT count(*) FROM people")
        used |= _of_persons(draft, table)
        return before, rows, LostRows(of_persons_left_out=before - rows)
    if table.rules.person is None:
        ((rows,),) = opened.rows(
            f"SELECT count(*) FROM ({released_reference(opened, table, used)})"
        )
        return before, rows, LostRows()
    person = quoted_name(table.rules.person)
    code = "0" if table.rules.code is None else _GENERAL.format(code_of(opened, table))
    queries = (
        f"SELECT count(*) FROM {table.view} r JOIN people p ON r.{person} = p.person",
        f"SELECT count(*) {eligible(opened, table, gone=False)}",
    )
    ((own,),), ((inside,),) = (opened.rows(query) for query in queries)
    concepts = _concepts(draft, table)
    ((rows, general, *found),) = opened.rows(
        f"SELECT {', '.join(('count(*)', code, *concepts))} "
        f"{remaining(opened, table, gone=draft.gone)}"
    )
    used.update(number for numbers in found for number in numbers or () if number is not None)
    return before, rows, LostRows(before - own, own - inside, inside - rows, general)


def _of_persons(draft: DatabaseDraft, table: SetTable) -> set[int]:
    """Return the concepts that the released table of people contains."""
    if not draft.opened.numbered:
        return set()
    merged, kept = draft.decided.merged, draft.decided.kept
    found = set()
    for name, domain, codes in zip(merged.attributes, merged.domains, merged.codes, strict=True):
        if name != table.rules.birth:
            labels = {domain[code] for code in codes[kept].tolist()}
            found |= {numbered_label(label, birth=False) or 0 for label in labels}
    return found


def _concepts(draft: DatabaseDraft, table: SetTable) -> list[str]:
    """Return SQL aggregates that list the concepts in a table's released rows."""
    if not draft.opened.numbered:
        return []
    rules, cells = table.rules, []
    for column in concepts_in(table):
        cell = f"r.{quoted_name(column)}"
        if column in rules.details:
            cell = detail(draft.opened, table, column)
        cells.append(cell)
    cells += ["l.released"] if rules.code is not None else []
    return [f"list(DISTINCT {cell})" for cell in cells]


def _certificate(draft: DatabaseDraft, tables: dict[str, ReleasedTable]) -> DatabaseCertificate:
    opened, settings, window = draft.opened, draft.settings, draft.window
    people = tables[opened.people.name]
    moved = None
    if window is not None:
        moved = MovedDates(settings.days, window.first, window.last)
    return DatabaseCertificate(
        k=settings.k,
        knows=settings.knows,
        tables=tables,
        tables_left_out=opened.left_out,
        persons=ReleasedPersons(
            people.rows_of_source, people.rows, people.rows_of_source - people.rows
        ),
        dates=moved,
        keys="keyed" if settings.pseudonyms.keyed else "forgotten",
        numbered=opened.numbered,
        policy=to_json(draft.policy),
        software=__version__,
        created=now(),
        earliest_birth=draft.earliest_birth,
    )
