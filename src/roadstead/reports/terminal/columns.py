"""Describe the released columns that the user should check."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports import wording
from roadstead.reports.content import ReleasedIdentifier
from roadstead.reports.promise import undone_sentence
from roadstead.reports.release.columns import ColumnDecisions

_SETTINGS = {
    "declared": "a hierarchy",
    "min_level": "a lowest level",
    "max_level": "a highest level",
}
AGAIN = "run anonymize again, and "
"""The advice for a user who needs a new policy."""


def alarms(decided: ColumnDecisions) -> list[str]:
    """Warn about released columns that look like one of the eighteen identifiers."""
    found, lines = decided.released_identifiers, []
    forced = _by_column(one for one in found if one.forced and one.number is not None)
    against = _by_column(one for one in found if one.forced and one.number is None)
    others = _by_column(one for one in found if not one.forced)
    if forced:
        lines.append(
            f"Warning: {_these(forced)} released anyway, although HIPAA Safe Harbor requires "
            f"removal: {'; '.join(forced)}. Recipients may be able to identify people."
        )
    if against:
        lines.append(
            f"Warning: {_these(against)} released anyway, although {_they(against)} may identify "
            f"people: {'; '.join(against)}."
        )
    if others:
        lines.append(
            f"Warning: {_these(others)} released as declared, although {_they(others)} may be "
            f"among the 18 identifiers of HIPAA Safe Harbor: {'; '.join(others)}."
        )
    if decided.unnamed:
        lines.append(
            f"Warning: {_these(decided.unnamed)} released without a role, because "
            f"{option('undecided', 'release')} was given: {wording.first_few(decided.unnamed)}."
        )
    if decided.undone is not None:
        lines.append(f"Warning: {undone_sentence(decided.undone)}")
    lines += [f"Warning: {sentence}" for sentence in linking_sentences(decided)]
    return lines


def _these(columns: Sequence[str]) -> str:
    return "this column is" if len(columns) == 1 else "these columns are"


def _they(columns: Sequence[str]) -> str:
    return "it" if len(columns) == 1 else "they"


def _by_column(found: Iterable[ReleasedIdentifier]) -> list[str]:
    return [
        f"{name} ({', '.join(map(_named, ones))})"
        for name, ones in groupby(found, key=lambda one: one.column)
    ]


def _named(one: ReleasedIdentifier) -> str:
    """Return the name and number of an identifier, or the finding if there is no number."""
    return one.why if one.number is None else f"{one.identifier}, number {one.number}"


def columns(decided: ColumnDecisions, changed: Container[str]) -> list[str]:
    """Describe which columns are released unchanged and which are not released.

    `changed` contains the columns that the policy changes, such as shifted dates.
    """
    roles, lines = decided.roles, []
    declared = [n for n in (*roles.sensitive, *roles.unchanged) if n not in changed]
    if declared:
        lines.append(f"Released unchanged: {wording.first_few(declared)}.")
    if forced := [name for name in roles.release_anyway if name not in changed]:
        lines.append(f"Released anyway: {wording.first_few(forced)}.")
    if decided.unnamed:
        lines.append(f"Released without a role: {', '.join(decided.unnamed)}.")
    if roles.identifiers:
        lines.append(f"Direct identifiers, not released: {wording.first_few(roles.identifiers)}.")
    return lines


def not_used(settings: Mapping[str, Sequence[str]], project: str) -> str:
    """Describe the settings of a project file that were not used, with their columns."""
    listed = [
        f"{_SETTINGS[key]} for {wording.first_few([*map(named, names)])}"
        for key, names in settings.items()
    ]
    return (
        f"Not used, because only quasi-identifiers have levels: {' and '.join(listed)} "
        f"(in {project})."
    )


def linking_sentences(decided: ColumnDecisions) -> list[str]:
    """Name the released columns that show which records belong to the same person."""
    lines = []
    for one in decided.linking:
        several = len(one.names) > 1
        which = f"{wording.listed(one.names)} are" if several else f"{one.names[0]} is"
        lines.append(
            f"{which} released and {'together show' if several else 'shows'} which records belong "
            f"to one person, although records should not be linked: {one.how}."
        )
    return lines
