"""Use the person ID of a codebook, and compare its roles with a scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roadstead.reports.scan import remarks
from roadstead.reports.scan.facts import PERSON, ColumnProposal
from roadstead.tables.codebooks.described import TableNotes
from roadstead.tables.identifiers.described import Described
from roadstead.tables.identifiers.person_keys import PersonKey
from roadstead.tables.source import Source


def disagreement(source: Source, described: Described, name: str) -> str:
    """Describe how the codebook and the scan differ, or return an empty string if they agree."""
    if source.codebook is None or name not in described.before:
        return ""
    judgment, word = described.before[name], source.codebook.columns[name].role
    if word in (None, PERSON) or judgment.role == word:
        return ""
    followed = described.examined.judgments[name].role == word
    return remarks.disagreement(word, judgment.role, judgment.reason, followed=followed)


def codebook_person(
    columns: Sequence[ColumnProposal], keys: Sequence[PersonKey], codebook: TableNotes | None
) -> str | None:
    """Return the person ID column of the codebook if the values in the column repeat."""
    name = _named_person(codebook)
    found = next((one.profile for one in columns if one.name == name), None)
    if found is None:
        return None
    repeats = found.distinct < found.present or any(key.column == name for key in keys)
    return name if repeats else None


def with_codebook_person(
    columns: Sequence[ColumnProposal], codebook: TableNotes | None
) -> tuple[ColumnProposal, ...]:
    """Use the person ID column of the codebook if the values in the column repeat.

    If the values do not repeat, the column becomes a direct identifier. A direct identifier in the
    codebook keeps its role even if it looks like a person ID.
    """
    if codebook is None:
        return tuple(columns)
    columns = [_identifier(one, codebook) for one in columns]
    name = _named_person(codebook)
    return tuple(_person(one, codebook) if one.name == name else one for one in columns)


def _named_person(codebook: TableNotes | None) -> str | None:
    described = {} if codebook is None else codebook.columns
    return next((name for name, one in described.items() if one.role == PERSON), None)


def _person(column: ColumnProposal, codebook: TableNotes) -> ColumnProposal:
    repeats = column.profile.distinct < column.profile.present
    role = PERSON if repeats else "identifiers"
    reason = codebook.columns[column.name].reason
    if column.role in (PERSON, role):
        reason = f"{reason}; {column.reason}"
    return replace(column, role=role, reason=reason, hierarchy=None)


def _identifier(column: ColumnProposal, codebook: TableNotes) -> ColumnProposal:
    described = codebook.columns.get(column.name)
    named = described is not None and described.role == "identifiers"
    if described is None or not named or column.role in (PERSON, "identifiers"):
        return column
    return replace(column, role="identifiers", reason=described.reason, hierarchy=None)
