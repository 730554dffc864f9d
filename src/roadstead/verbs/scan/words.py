"""A proposal in words: a line for each column, and the eighteen identifiers of Safe Harbor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.printable import printable
from roadstead.reports.wording import counted
from roadstead.tables.identifiers.findings import IdentifierFinding
from roadstead.tables.identifiers.rule import ChecklistLine

if TYPE_CHECKING:
    from roadstead.verbs.scan.result import ColumnProposal, Proposal


def lines(proposal: Proposal) -> list[str]:
    """Say what is proposed for each column, and what Safe Harbor names."""
    head = (
        f"{proposal.source.name}: {proposal.source.format.describe()}, "
        f"{counted(proposal.records, 'record')}, {counted(len(proposal.columns), 'column')}"
    )
    decided = [column for column in proposal.columns if column.role is not None]
    width = max((len(printable(column.name)) for column in proposal.columns), default=0)
    return [
        head,
        *(_line(column, width) for column in decided),
        *_undecided(proposal, width),
        *_safe_harbor(proposal.safe_harbor),
        *_checklist(proposal.checklist),
    ]


def _line(column: ColumnProposal, width: int) -> str:
    profile = column.profile
    missing = f", {profile.missing:,} missing" if profile.missing else ""
    warning = f" - {column.warning}" if column.warning else ""
    role = "" if column.role is None else f"{column.role:<11}  "
    return (
        f"  {printable(column.name):<{width}}  {role}{column.reason}; "
        f"about {counted(profile.distinct, 'value')}{missing}{warning}"
    )


def _undecided(proposal: Proposal, width: int) -> list[str]:
    """List the columns without a role, and say what to do about them."""
    columns = [column for column in proposal.columns if column.role is None]
    if not columns:
        return []
    have = "column has" if len(columns) == 1 else "columns have"
    return [
        f"Undecided: {len(columns):,} {have} no role yet, and none is released before you decide. "
        "In the project file, move each",
        'to a role, or leave all of them out with the line undecided = "withhold"',
        *(_line(column, width) for column in columns),
    ]


def _safe_harbor(found: Sequence[IdentifierFinding]) -> list[str]:
    """Say which columns hold identifiers of Safe Harbor, what to do, and why it seems so."""
    if not found:
        return ["Safe Harbor: no column is called or reads like one of its 18 identifiers"]
    columns = len({finding.column for finding in found})
    width = max(len(printable(finding.column)) for finding in found)
    identifiers = [f"{finding.number:>2} {finding.identifier}" for finding in found]
    wide = max(map(len, identifiers))
    seem = "seems" if columns == 1 else "seem"
    return [
        f"Safe Harbor: {counted(columns, 'column')} {seem} to hold identifiers that it names",
        *(
            f"  {printable(finding.column):<{width}}  {identifier:<{wide}}  {finding.remedy} "
            f"({finding.why})"
            for finding, identifier in zip(found, identifiers, strict=True)
        ),
    ]


def _checklist(lines: Sequence[ChecklistLine]) -> list[str]:
    """Answer for each of the eighteen; those that were not assessed are among the answers."""
    width = max((len(line.identifier) for line in lines), default=0)
    return [
        "Checklist of the 18 identifiers, by names of columns and samples of values",
        *(
            f"  {line.number:>2} {line.identifier:<{width}}  {line.describe()}"
            + (f" in {', '.join(line.columns)}" if line.columns else "")
            + (f" ({line.note})" if line.note else "")
            for line in lines
        ),
    ]


def page(proposal: Proposal) -> str:
    """Make a small table for a notebook."""
    from markupsafe import escape  # noqa: PLC0415 - only notebooks need it

    rows = "".join(
        f"<tr><td>{escape(c.name)}</td><td>{escape(c.role or 'undecided')}</td>"
        f"<td>{escape(c.reason)}</td><td>{escape(c.warning)}</td></tr>"
        for c in proposal.columns
    )
    head = "<tr><th>column</th><th>role</th><th>why</th><th>look at</th></tr>"
    return f"<table>{head}{rows}</table>"
