"""Choose the column that a scan proposes as the person ID."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roadstead.reports.scan import remarks
from roadstead.reports.scan.facts import PERSON, ColumnProposal
from roadstead.tables.identifiers.person_keys import PersonKey
from roadstead.tables.persons.kinds_of_rows import kinds_of_rows
from roadstead.tables.source import Source


def with_person(
    columns: Sequence[ColumnProposal], keys: Sequence[PersonKey], named: str | None = None
) -> tuple[ColumnProposal, ...]:
    """Propose the best person ID column among the columns that are clearly person IDs.

    `named` is the person ID column that a codebook names. This column is preferred to all others.
    If no column is clearly a person ID, a likely person ID column without a typical name does not
    get a role until a person decides.
    """
    if not keys:
        return tuple(columns)
    best = keys[0]
    told = {key.column: key for key in keys}
    return tuple(
        _proposed(column, told[column.name], best, named) if column.name in told else column
        for column in columns
    )


def rows_of(source: Source, columns: Sequence[ColumnProposal]) -> tuple[tuple[str, ...], ...]:
    """Return the proposed quasi-identifiers in each kind of row of a person."""
    person = next((column.name for column in columns if column.role == PERSON), None)
    quasi = [column.name for column in columns if column.role == "quasi"]
    return () if person is None else kinds_of_rows(source, person, quasi)


def _proposed(
    column: ColumnProposal, key: PersonKey, best: PersonKey, named: str | None
) -> ColumnProposal:
    if not key.estimated:  # so that the line does not also contain an estimate of this number
        column = replace(column, profile=replace(column.profile, distinct=key.keys))
    if key.column == named or (named is None and key is best and key.clear):
        return replace(
            column, role=PERSON, reason=remarks.person_id(key), hierarchy=None, warning=""
        )
    if named is not None:
        warning = remarks.other_person_in_codebook(key, named)
    elif best.clear:
        warning = remarks.other_person_proposed(key, best.column)
    elif key.found and key.doubt != "few":
        warning = remarks.likely_person(key, undecided=True)
        return replace(column, role=None, reason=key.why, hierarchy=None, warning=warning)
    else:
        warning = remarks.likely_person(key, undecided=False)
    return replace(column, warning="; ".join(filter(None, (column.warning, warning))))
