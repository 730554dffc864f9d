"""What became of the columns alongside quasi-identifiers, and what they add, for the terminal."""

from __future__ import annotations

from roadstead.release.added_risk import AddedRisk
from roadstead.reports import wording
from roadstead.reports.content import ReleasedIdentifier
from roadstead.verbs.columns import ColumnDecisions, Why, what_decides

_WORST = 3
_WITHHELD: dict[Why, str] = {
    "identifier": "look like an identifier",
    "known": "others may know it of a person",
    "sensitive": "nobody should learn it",
    "text": "long texts that nobody has read",
    "rare": "too many of its values are rare",
    "nested": "its values have parts that were not looked at",
    "undecided": "nobody decided on it",
}
"""For each kind of reason why a column is withheld, the words."""


def alarms(decided: ColumnDecisions) -> list[str]:
    """Say loudly which released columns look like one of the eighteen identifiers."""
    found = decided.released_identifiers
    forced = _by_column(tuple(one for one in found if one.forced))
    others = _by_column(tuple(one for one in found if not one.forced))
    lines = []
    if forced:
        lines.append(
            f"WARNING: released by name although Safe Harbor forbids it: {'; '.join(forced)}. "
            "Whoever gets the release may find these people by it."
        )
    if others:
        lines.append(
            "WARNING: released because it was declared, and looks like one of the eighteen "
            f"identifiers of Safe Harbor: {'; '.join(others)}."
        )
    return lines


def _by_column(found: tuple[ReleasedIdentifier, ...]) -> list[str]:
    told: dict[str, list[str]] = {}
    for one in found:
        told.setdefault(one.column, []).append(f"{one.identifier}, number {one.number}")
    return [f"{name} ({', '.join(what)})" for name, what in told.items()]


def added(found: AddedRisk) -> list[str]:
    """Say how many records the released columns tell apart, and which of them do most."""
    if not found.columns:
        return ["No other column is released that could add to this risk."]
    records = wording.counted(found.records, "released record")
    several = len(found.columns) > 1
    known = f"{len(found.columns)} released columns" if several else "released column"
    lines = [
        f"Who knows the {known} alongside them as well: {found.together.unique:,} unique, "
        f"{found.together.below_k:,} in groups of fewer than {found.k} (of {records}; by the "
        f"quasi-identifiers alone {found.quasi.unique:,} and {found.quasi.below_k:,})."
    ]
    if several and found.worst:
        told = "; ".join(
            f"{name} {counts.unique:,} unique ({counts.below_k:,} in small groups)"
            for name, counts in found.worst[:_WORST]
        )
        lines.append(f"  Most by itself: {told}.")
    return lines


def columns(decided: ColumnDecisions) -> list[str]:
    """Say which other columns are released, and which are not, and what decides these."""
    roles, lines = decided.roles, []
    declared = (*roles.sensitive, *roles.insensitive)
    if declared:
        lines.append(f"Released as they are: {wording.first_few(declared)}.")
    if roles.release:
        lines.append(f"Released by name: {wording.first_few(roles.release)}.")
    if decided.unnamed:
        lines.append(
            f"Released as they are, though no role was given: {', '.join(decided.unnamed)}."
        )
    if roles.identifying:
        lines.append(f"Not released: {wording.first_few(roles.identifying)}.")
    for why, words in _WITHHELD.items():
        names = tuple(column.name for column in decided.withheld if column.why == why)
        if names:
            lines.append(f"Withheld, {words}: {wording.first_few(names)}. ({what_decides(why)}.)")
    return lines
