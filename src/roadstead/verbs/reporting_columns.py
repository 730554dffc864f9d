"""Fill the parts of a report that tell of the columns alongside the quasi-identifiers."""

from __future__ import annotations

from roadstead.policies.document import Policy
from roadstead.release.added_risk import AddedRisk, GroupCounts
from roadstead.reports.content import ReportedColumns, Withheld
from roadstead.reports.other_columns import (
    AddedFigures,
    ChecklistRow,
    SmallGroups,
)
from roadstead.verbs.columns import ColumnDecisions


def shown_columns(decided: ColumnDecisions) -> ReportedColumns:
    """Give the columns by what became of them."""
    own, unnamed = decided.columns, decided.unnamed
    return ReportedColumns(
        sensitive=own.sensitive,
        insensitive=tuple(name for name in own.insensitive if name not in unnamed),
        identifying=decided.roles.identifying,
        withheld=tuple(
            Withheld(column.name, f"{column.reason}; {column.decide}")
            for column in decided.withheld
        ),
        forced=own.forced,
        unnamed=unnamed,
    )


def shown_checklist(decided: ColumnDecisions, policy: Policy) -> tuple[ChecklistRow, ...]:
    """Give the eighteen identifiers, and what became of the columns that look like one."""
    levels = {attribute.name: attribute.does for attribute in policy.attributes}
    withheld = {column.name for column in decided.withheld}

    def became(name: str) -> str:
        if name in levels:
            return f"quasi-identifier, {levels[name]}"
        if name in withheld:
            return "withheld"
        return "removed" if name in policy.columns.removed else "released as it is"

    return tuple(
        ChecklistRow(
            line.number,
            line.identifier,
            line.describe(),
            tuple((name, became(name)) for name in line.columns),
            line.note,
        )
        for line in decided.checklist
    )


def shown_added(found: AddedRisk) -> AddedFigures:
    """Give what the released columns add, the worst first."""
    ranked = sorted(found.columns.items(), key=lambda one: (-one[1].unique, -one[1].below_k))
    return AddedFigures(
        found.k,
        found.records,
        _groups("the quasi-identifiers alone", found.quasi),
        _groups("all of them together", found.together),
        tuple(_groups(name, counts) for name, counts in ranked),
    )


def _groups(known: str, counts: GroupCounts) -> SmallGroups:
    return SmallGroups(known, counts.unique, counts.below_k)
