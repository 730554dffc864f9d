"""Propose roles and hierarchies for a table, and list the columns that need a decision.

A proposal is based on the names and the values of the columns, and decides nothing. It is written
as a project file, which a person must read, correct, and accept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roadstead.jobs import Delivery, Observer
from roadstead.registry import required
from roadstead.release.persons.early_births import EarlyBirths
from roadstead.reports.noticed.gather import noticed_elsewhere
from roadstead.reports.noticed.table import noticed_in_table
from roadstead.reports.scan.facts import PERSON, ColumnProposal
from roadstead.reports.scan.lines import proposal_lines, warnings_of
from roadstead.requests.groups import READING
from roadstead.rooms import has_command, part_of
from roadstead.tables.addresses import locate
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.described import Described, examine_described
from roadstead.tables.identifiers.findings import checklist
from roadstead.tables.locations import FileLocation, Location
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.source import Source
from roadstead.verbs.opening import opened
from roadstead.verbs.scan.codebook import (
    codebook_person,
    disagreement,
    with_codebook_person,
)
from roadstead.verbs.scan.missing_codes import missing_values, with_codes_of_others
from roadstead.verbs.scan.persons import rows_of, with_person
from roadstead.verbs.scan.project_file import check_new, notes_on, path_for
from roadstead.verbs.scan.proposed_hierarchy import (
    MOST_VALUES,
    alike_values_in,
    births_before,
    scanned_hierarchy,
)
from roadstead.verbs.scan.result import Proposal

if TYPE_CHECKING:
    from roadstead.verbs.scan.request import ScanRequest


_ARX = "projects of ARX"
_GROUPS_OF = has_command("synthesize") and part_of(
    "health data", "tables.health.condition_groups:condition_groups"
)
"""The groups of conditions are only for `synthesize`."""


def deliver(request: ScanRequest, observer: Observer) -> Delivery[Proposal]:
    """Examine a table, write the project file, and describe the findings."""
    location = _location(request)
    path = request.out or path_for(location)
    check_new(path, force=request.force)
    proposal = result_of(request, observer)
    proposal.write(path, force=request.force)
    return Delivery(
        proposal,
        tuple(proposal_lines(proposal)),
        {**proposal.to_dict(), "project": str(path)},
        tuple(notes_on(proposal, location, path)),
    )


def result_of(request: ScanRequest, observer: Observer) -> Proposal:
    """Propose roles and hierarchies for a table. The proposal includes the reading options."""
    location = _location(request)
    data = request.data if location is None else location
    project = _project_of_arx(location)
    if project is not None:
        delimiter = request.delimiter or project.delimiter
        request = replace(request, delimiter=delimiter, header=True)
    source = opened(data, request, observer, quietly=True)
    described = examine_described(source, source.columns)
    seen = described.examined
    quasi = [name for name, judgment in seen.judgments.items() if judgment.role == "quasi"]
    seen = with_dependencies(source, seen, quasi)
    described = replace(described, examined=seen)
    small = {column.name for column in seen.profiles if column.distinct <= MOST_VALUES}
    born = births_before(
        source, {name: seen.samples.get(name, ()) for name in quasi if name in small}
    )
    columns = tuple(_proposal(source, column, described, born) for column in seen.profiles)
    keys = [key for key in seen.persons if key.doubt != "single"]
    columns = with_person(columns, keys, codebook_person(columns, keys, source.codebook))
    columns = with_codebook_person(columns, source.codebook)
    columns = with_codes_of_others(source, columns, described.faces)
    found = tuple(f for judgment in seen.judgments.values() for f in judgment.findings)
    person = next((column.name for column in columns if column.role == PERSON), None)
    said = {key: getattr(request, key) for key in READING}
    said["missing"] = [*(request.missing or ()), *source.codebook_missing] or None
    said["codebook"] = None if request.codebook is None else str(request.codebook)
    proposal = Proposal(
        source,
        columns,
        safe_harbor=found,
        checklist=checklist(found, free_text=seen.free_texts),
        likely_persons=tuple(key.column for key in seen.persons if key.doubt == "called"),
        objections=seen.objections,
        codebook_missing=source.codebook_missing,
        noticed=(
            *noticed_in_table(source, counts=True, person=person),
            *missing_values(source, listed=bool(request.missing)),
        ),
        kinds_of_rows=rows_of(source, columns),
        reading={key: value for key, value in said.items() if value is not None},
        groups=_GROUPS_OF(source) if _GROUPS_OF else None,
    )
    if project is None:
        return proposal
    of_project: Proposal = required(_ARX, "verbs.scan.arx.proposal:with_arx")(proposal, project)
    return of_project


def _project_of_arx(location: Location | None) -> Any:  # noqa: ANN401 - of a room that can be missing
    """Return the ARX project that is scanned, or None if another table is scanned."""
    if not isinstance(location, FileLocation):
        return None
    take = required if location.path.suffix.lower() == ".deid" else part_of
    read = take(_ARX, "verbs.scan.arx.project:arx_project")
    return read and read(location.path)


def _location(request: ScanRequest) -> Location | None:
    return locate(request.data) if isinstance(request.data, str | os.PathLike) else None


def _proposal(
    source: Source,
    column: ColumnProfile,
    described: Described,
    born: Mapping[str, EarlyBirths],
) -> ColumnProposal:
    seen = described.examined
    judgment = seen.judgments[column.name]
    role, reason = judgment.role, judgment.reason
    against = seen.objections.get(column.name, ())
    if against and role in {None, "sensitive", "unchanged"}:
        role, reason = None, against[0].why
    found = None
    if role == "quasi" and column.distinct <= MOST_VALUES:
        labels = described.faces.get(column.name)
        found = scanned_hierarchy(source, column.name, labels, born.get(column.name))
    hierarchy = None if found is None else dict(found.declaration)
    sample = {column.name: seen.samples.get(column.name, ())}
    noticed = noticed_elsewhere(sample) if found is None else found.noticed
    commas = found is not None and found.decimal_commas
    warnings = warnings_of(column, role, hierarchy, noticed, decimal_commas=commas)
    said = [
        disagreement(source, described, column.name),
        *(one.removesuffix(".") for one in noticed),
        alike_values_in(source, column) if role == "sensitive" else "",
    ]
    warning = "; ".join(filter(None, (*said, *warnings)))
    codes = () if found is None else found.codes
    return ColumnProposal(column.name, role, reason, column, hierarchy, warning, codes)
