"""Describe a released database for the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.front_end import option
from roadstead.printable import printable
from roadstead.release.certificate import REPORT
from roadstead.release.database.certificate import promise_of
from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.notebook import NotebookCell, block, drawn, table, words
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.tables.sentences import (
    moved_dates,
    new_keys,
    not_counted,
    oldest_births,
    people_released,
    why_lost,
)
from roadstead.reports.tables.uneven_loss import uneven_loss, what_to_change
from roadstead.reports.verification import held
from roadstead.reports.wording import (
    SAME_KEY,
    counted,
    duration,
    first_few,
    format_count,
    in_columns,
)
from roadstead.reports.written import read_and_check

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.database.certificate import DatabaseCertificate, ReleasedTable
    from roadstead.release.database.remaining import CodesLeft
    from roadstead.release.runnable import RunnableCells
    from roadstead.release.verification.checks import Verification


Unoffered: TypeAlias = Mapping[str, Mapping[str, bool]]
"""The columns of each table that are not offered for `kept`, and whether each would be refused."""


def lines_of(
    certificate: DatabaseCertificate,
    policy: Policy,
    verification: Verification,
    out: Path,
    check: str,
    seconds: float,
    codes: Mapping[str, CodesLeft],
    *,
    refused: Unoffered,
) -> tuple[str, ...]:
    """Describe what is released, what is withheld, and what the privacy requirements are.

    `check` is a command that verifies the release. `codes` contains the codes of each table that
    lose the most and the fewest rows. `refused` is the result of `refused_if_kept`.
    """
    rows = in_columns(
        [
            ("Rows", "released", "in the source"),
            *(
                (name, f"{one.rows:,}", f"{one.rows_of_source:,}")
                for name, one in certificate.tables.items()
            ),
        ]
    )
    reasons = ("", *(why_lost(certificate, one) for one in certificate.tables.values()))
    emptied = sum(len(one.rules.empty) for one in certificate.tables.values())
    return (
        people_released(certificate),
        *(f"  {one.name}  {one.does}" for one in policy.attributes),
        *(f"  {line}" for line in oldest_births(certificate)),
        *(f"{row}  {why}".rstrip() for row, why in zip(rows, reasons, strict=True)),
        *uneven_loss(certificate, codes),
        *what_to_change(certificate),
        moved_dates(certificate),
        new_keys(certificate),
        *([SAME_KEY] if certificate.keys == "keyed" else []),
        *(
            [f"All values of {counted(emptied, 'released column')} were removed."]
            if emptied
            else []
        ),
        f"Privacy requirement: {_promise(certificate)}",
        *not_counted(certificate),
        f"The release was written to {out} in {duration(seconds)}, and {held(verification)}.",
        read_and_check(out / REPORT, check),
        *withheld(certificate, refused),
    )


def _promise(certificate: DatabaseCertificate) -> str:
    return promise_of(certificate.rules, certificate.k, certificate.knows)


def withheld(certificate: DatabaseCertificate, refused: Unoffered) -> list[str]:
    """Name the columns and tables that no rule mentions, and say how to release a column.

    For the columns in `refused`, the text does not suggest `kept`.
    """
    tables = certificate.tables_left_out
    columns = {name: one.left_out for name, one in certificate.tables.items() if one.left_out}
    number = sum(map(len, columns.values()))
    if not number and not tables:
        return []
    counts = [counted(number, "column")] if number else []
    counts += [counted(len(tables), "table")] if tables else []
    lines = [f"Withheld: {' and '.join(counts)} that no rule releases."]
    lines += [f"  {name}: {first_few(left)}" for name, left in columns.items()]
    lines += [f"  tables: {first_few(tables)}"] if tables else []
    if certificate.numbered:
        return [*lines, "The rules for an OMOP CDM do not release any other columns or tables."]
    rules = {name: certificate.tables[name].rules for name in columns}
    known = {name: left for name, left in columns.items() if rules[name].is_of_persons}
    if known:
        lines += ["To generalize and release columns that an attacker may know about people:"]
        lines += [
            _setting(name, "quasi", (*rules[name].quasi, *own)) for name, own in known.items()
        ]
    offered = {
        name: kept
        for name, own in columns.items()
        if (kept := [one for one in own if one not in refused.get(name, {})])
    }
    if offered:
        lines += ["To release columns unchanged, if no attacker knows them:"]
        lines += [
            _setting(name, "kept", (*rules[name].kept, *own)) for name, own in offered.items()
        ]
    unsafe = {
        name: only
        for name, own in refused.items()
        if (only := [column for column, surely in own.items() if surely])
    }
    if unsafe:
        lines += [
            "These columns may identify people or reveal their dates, so Roadstead would "
            "refuse to release them unchanged:"
        ]
        lines += [f"  {name}: {first_few(own)}" for name, own in unsafe.items()]
    return lines


def cells_left_empty(reasons: Mapping[str, str]) -> list[str]:
    """Say which cells of a CDM are released empty, and why their values must not be released."""
    if not reasons:
        return []
    first = next(iter(reasons)).split(" of code ")[0]
    return [
        "Warning: these cells are released empty, because their values may identify people or "
        f"reveal their dates. To release a column anyway: {option('release_anyway', [first])}",
        *(f"  {printable(place)}: {printable(why)}" for place, why in reasons.items()),
    ]


def _setting(table: str, role: str, columns: tuple[str, ...]) -> str:
    """Return the line of a project file that gives a role to columns of a table."""
    name = table if table.isidentifier() else json.dumps(table)
    return f"  below [tables.{name}]: {role} = {json.dumps([*columns], ensure_ascii=False)}"


def runnable_lines(found: Mapping[str, RunnableCells]) -> list[str]:
    """For each table, warn about cells that a spreadsheet program may run."""
    return [line for name, own in found.items() for line in runnable_warnings(own, name)]


def runnable_by_table(found: Mapping[str, RunnableCells]) -> dict[str, Any]:
    """Return the cells in `runnable_lines` as JSON, or an empty dictionary."""
    tables = {name: own.to_dict() for name, own in found.items()}
    return {"spreadsheet_formulas": tables} if tables else {}


def promised(certificate: DatabaseCertificate, refused: Unoffered) -> list[str]:
    """Describe the people in a release, lost rows, the requirements, and the withheld columns."""
    return [
        people_released(certificate),
        *uneven_loss(certificate, {}),
        *what_to_change(certificate),
        f"Privacy requirement: {_promise(certificate)}",
        *withheld(certificate, refused),
    ]


def in_notebook(certificate: DatabaseCertificate, refused: Unoffered) -> str:
    """Return the output for a notebook: the requirements and the released rows of each table."""
    tables = certificate.tables
    number = partial(NotebookCell, number=True)
    heads = (NotebookCell("Table"), number("Rows released"), number("In the source"))
    rows = (
        (
            NotebookCell(name),
            number(format_count(one.rows)),
            number(format_count(one.rows_of_source)),
        )
        for name, one in tables.items()
    )
    chart = ShareChart(
        "tables",
        "Bar chart of the rows released from each table",
        "The figures are in the table above.",
        "table",
        "rows released, as a share of the rows in the source",
        tuple(ShareBar(n, one.rows / max(one.rows_of_source, 1)) for n, one in tables.items()),
    )
    said = words("\n".join(promised(certificate, refused)))
    return block(said, table("Tables", heads, rows), drawn(chart))


def document_of(
    certificate: DatabaseCertificate,
    verification: Verification,
    out: Path,
    emptied: Mapping[str, str],
) -> dict[str, Any]:
    """Return the released database as JSON."""
    persons = certificate.persons
    return {
        "out": str(out),
        "promise": _promise(certificate),
        "persons": {
            "source": persons.source,
            "released": persons.released,
            "left_out": persons.left_out,
        },
        "tables": {name: _counts(one) for name, one in certificate.tables.items()},
        "tables_left_out": list(certificate.tables_left_out),
        "verified": verification.passed,
        "columns_withheld": {
            name: list(one.left_out) for name, one in certificate.tables.items() if one.left_out
        },
        **({"cells_left_empty": dict(emptied)} if emptied else {}),
    }


def _counts(table: ReleasedTable) -> dict[str, Any]:
    """Return the rows of a table, its people, and the shares of rows that codes keep."""
    people, codes = table.people, table.codes
    found: dict[str, Any] = {"rows_of_source": table.rows_of_source, "rows": table.rows}
    if people is not None:
        found["people"] = {"source": people.source, "released": people.released}
    if codes is not None:
        found["percent_of_a_code"] = {"least": codes.least, "greatest": codes.greatest}
    return found
