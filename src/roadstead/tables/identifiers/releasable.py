"""Check that a column that would be released unchanged does not look like an identifier.

A custodian who declares a column sensitive or unchanged can see that nearly all of its values
differ. So distinct values alone do not stop the release. If the name or the values look like an
identifier, the release stops. Every objection also stops the release. To release such a column, the
custodian lists it as a column to release anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from roadstead.errors import RoleError, quoted
from roadstead.front_end import named_with, option, worded
from roadstead.tables.identifiers.findings import PLACES, REMOVE, IdentifierFinding
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.identifiers.titles import held_by_column_name

_MOST: Final = 3
"""The maximum number of reasons that an error gives per column."""
_FEW: Final = 5
"""The maximum number of columns for which an error gives reasons; it names all columns."""
_REMOVAL: Final = "HIPAA Safe Harbor requires its removal"


def removed_identifier(findings: Iterable[IdentifierFinding]) -> IdentifierFinding | None:
    """Return the Safe Harbor identifier that a column seems to contain, if it must be removed."""
    removed = (one for one in findings if one.remedy == REMOVE)
    return next((one for one in removed if one.called or one.share is not None), None)


def require_plain_names(columns: Sequence[str], released: Collection[str]) -> None:
    """Reject column names that contain identifiers, because every document shows the names.

    The error gives the positions of the columns rather than their names. `released` lists the
    columns to release anyway.
    """
    held = {
        place: what
        for place, name in enumerate(columns, 1)
        if name not in released and (what := held_by_column_name(name))
    }
    if not held:
        return
    each = "; ".join(f"column {place} holds {what}" for place, what in held.items())
    raise RoleError(
        f"column names contain identifiers, and a release shows these names: {each}",
        where="the header",
        fix="rename these columns in the table; if a name is harmless, list the column in "
        f"{option('release_anyway')}",
    )


@dataclass(frozen=True)
class _Wrong:
    """A column that must not be released under its role, with the reasons."""

    role: str
    column: str
    reasons: tuple[str, ...]
    found: IdentifierFinding | None = None
    known: bool = False  # whether the column can be a quasi-identifier: dates and places


def require_releasable(
    named: Mapping[str, Sequence[str]],
    findings: Mapping[str, Sequence[IdentifierFinding]],
    persons: Collection[str] = (),
    objections: Mapping[str, Sequence[Objection]] | None = None,
    *,
    fix: str | None = None,
) -> None:
    """Raise one error that lists all columns with objections to their release.

    `named` lists, by role, the columns that are released unchanged. `persons` lists the columns
    that look like the person ID. `fix` describes what the user can do instead of giving the columns
    another role.
    """
    wrong = [
        one
        for role, names in named.items()
        for name in names
        if (one := _wrong(role, name, findings.get(name, ()), (objections or {}).get(name, ())))
    ]
    if not wrong:
        return
    columns = [one.column for one in wrong]
    instead = fix or named_with(_ways(wrong, persons), it="them" if len(wrong) > 1 else "it")
    error = RoleError(
        _what(wrong),
        where=f"column {quoted(columns[0])}" if len(wrong) == 1 else f"{len(wrong)} columns",
        fix=f"{instead}, or release {'them' if len(wrong) > 1 else 'it'} anyway with "
        f"{option('release_anyway', columns)}",
    )
    error.refused = {one.column: one.reasons for one in wrong}
    raise error


def require_hidden(shown: Sequence[IdentifierFinding], *, fix: str | None = None) -> None:
    """Raise one error about all quasi-identifiers whose released values contain an identifier.

    `fix` replaces the advice to give the columns another role or to generalize them further.
    """
    if not shown:
        return
    columns, several = [one.column for one in shown], len(shown) > 1
    them = "them" if several else "it"
    each = "; ".join(
        (f"{quoted(one.column)}: " if several else "") + _of_harbor(one) for one in shown[:_FEW]
    )
    more = f"; and {len(shown) - _FEW} more" if len(shown) > _FEW else ""
    role = named_with(option("identifiers"), it=them)
    instead = fix or (
        f"{role} instead, generalize {them} until the release does not show the identifier"
    )
    error = RoleError(
        f"the release would show {'the values of these quasi-identifiers' if several else 'values'}"
        f", but HIPAA Safe Harbor requires their removal: {each}{more}",
        where=f"{len(shown)} columns" if several else f"quasi-identifier {quoted(columns[0])}",
        fix=f"{instead}, or release {them} anyway with {option('release_anyway', columns)}",
    )
    error.refused = {one.column: (_of_harbor(one),) for one in shown}
    raise error


def _of_harbor(found: IdentifierFinding) -> str:
    return f"{found.identifier} (identifier {found.number}; {found.why})"


def _wrong(
    role: str, name: str, findings: Sequence[IdentifierFinding], objections: Sequence[Objection]
) -> _Wrong | None:
    found = removed_identifier(findings)
    reasons = tuple(one.why for one in objections)
    if found is not None:
        reasons = (_of_harbor(found), *(why for why in reasons if why != found.why))
    known = any(one.kind in ("date", "place") for one in objections)
    known |= found is not None and found.number == PLACES
    return _Wrong(role, name, reasons, found, known) if reasons else None


def _what(wrong: Sequence[_Wrong]) -> str:
    """Return the objections to the columns, one after another."""
    if len(wrong) > 1:
        each = [f"{quoted(one.column)}: {', '.join(one.reasons[:_MOST])}" for one in wrong]
        more = len(each) - _FEW
        shown = [*each[:_FEW], *([f"and {more} more column{'s' * (more > 1)}"] if more > 0 else [])]
        listed = "; ".join(shown)
        return f"you listed these columns for release, but they may identify people: {listed}"
    (one,) = wrong
    named = f"it is listed as {one.role}, but"
    role = worded(command=named, python=named, page=f"with {option(one.role)}, it is released, but")
    against = "it may identify people" if one.found is None else _REMOVAL
    return f"{role} {against}: {', '.join(one.reasons[:_MOST])}"


def _ways(wrong: Sequence[_Wrong], persons: Collection[str]) -> str:
    """Return, in words, the roles under which a column is not released unchanged."""
    ways: str = option("identifiers")
    if any(one.known for one in wrong):
        ways = f"{option('quasi')} or {ways}"
    if any(one.column in persons for one in wrong):
        ways = f"{option('person')} (to count people) or {ways}"
    return ways
