"""Choose the column that a scan proposes as the person ID."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roadstead.reports.wording import format_count
from roadstead.tables.identifiers.person_keys import PersonKey
from roadstead.verbs.scan.facts import PERSON, ColumnProposal


def with_person(
    columns: Sequence[ColumnProposal], keys: Sequence[PersonKey]
) -> tuple[ColumnProposal, ...]:
    """Propose the best person ID column among the columns that are clearly person IDs.

    If no column is clearly a person ID, a likely person ID column without a typical name gets no
    role until a person decides.
    """
    if not keys:
        return tuple(columns)
    best = keys[0]
    told = {key.column: key for key in keys}
    return tuple(
        _proposed(column, told[column.name], best) if column.name in told else column
        for column in columns
    )


def _proposed(column: ColumnProposal, key: PersonKey, best: PersonKey) -> ColumnProposal:
    about = "about " if key.estimated else ""
    several = f"{about}{format_count(key.keys)} values in {format_count(key.records)} records"
    if not key.estimated:  # so that the line does not also contain an estimate of this number
        column = replace(column, profile=replace(column.profile, distinct=key.keys))
    if key is best and key.clear:
        reason = f"{key.why} ({several})"
        return replace(column, role=PERSON, reason=reason, hierarchy=None, warning="")
    if best.clear:
        warning = f"also looks like a person ID ({several}), but {best.column} is proposed"
    elif key.found and key.doubt != "few":
        ways = "if it is, give it the role person, to count people; otherwise, give it another role"
        warning = f"may be the person ID ({several}): {ways}"
        return replace(column, role=None, reason=key.why, hierarchy=None, warning=warning)
    else:
        warning = f"may be the person ID ({key.why}): if it is, give it the role person"
    return replace(column, warning="; ".join(filter(None, (column.warning, warning))))
