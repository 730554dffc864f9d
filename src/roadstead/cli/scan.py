"""The command ``scan``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from roadstead.cli.show import note, show, show_json
from roadstead.printable import printable
from roadstead.reports.wording import counted
from roadstead.tables.addresses import locate
from roadstead.tables.health.locations import parse
from roadstead.tables.identifiers.checklist import ChecklistLine
from roadstead.tables.identifiers.findings import IdentifierFinding
from roadstead.tables.locations import (
    CdmLocation,
    DatabaseLocation,
    FileLocation,
    Location,
)
from roadstead.tables.reading import read
from roadstead.verbs.scan.run import ColumnProposal, Proposal, check_new
from roadstead.verbs.scan.run import scan as run


def scan(
    data: str,
    out: Path | None,
    reading: tuple[str | None, str | None, bool | None, list[str] | None],
    *,
    force: bool,
    as_json: bool,
) -> int:
    """Run the command."""
    location = locate(data)
    path = out or _project_beside(location)
    check_new(path, force=force)
    delimiter, encoding, header, missing = reading
    said = {
        "delimiter": delimiter,
        "encoding": encoding,
        "header": header,
        "missing": missing or None,
    }
    with read(
        location, delimiter=delimiter, encoding=encoding, header=header, missing=missing or ()
    ) as source:
        proposal = run(source, reading={k: v for k, v in said.items() if v is not None})
    proposal.write(path, force=force)
    if as_json:
        show_json({**proposal.to_dict(), "project": str(path)})
        return 0
    show(_lines(proposal))
    if (groups := proposal.groups_file(path)) is not None:
        note(f"Groups of conditions, for roadstead synthesize: {groups}")
    elif proposal.groups is not None:
        note(f"There are no groups of conditions: {proposal.groups.reason}.")
    note(f"Written to {path}. Read and correct it, then:")
    place = location.person if isinstance(location, CdmLocation) else location
    if isinstance(place, DatabaseLocation) and place.user is not None:
        note("(Its address has no user; set PGUSER, or what names the user to the database.)")
    note(f"roadstead anonymize --project {shlex.quote(str(path))} --out DIR")
    return 0


def _project_beside(location: Location) -> Path:
    """Name a project file like the table."""
    if isinstance(location, FileLocation):
        health = parse(location.path)
        path = location.path if health is None or location.path.exists() else health.folder
        name = path.absolute().name.partition(".")[0] or "project"
    elif isinstance(location, CdmLocation):
        name = re.sub(r"[^\w-]", "_", location.name.partition(":")[2])
    else:
        name = re.sub(r"[^\w-]", "_", location.table.name)
    return Path(f"{name}.toml")


def _lines(proposal: Proposal) -> list[str]:
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
