"""Whether a column may be released as it is: not if it looks like what Safe Harbor removes.

Whoever names a column sensitive or insensitive has seen that nearly all its values differ, so that
alone does not stop it; a name or values that read like an identifier do, until somebody names the
column as one to be released all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from roadstead.errors import RoleError, quoted
from roadstead.front_end import option
from roadstead.tables.identifiers.findings import PLACES, REMOVE, IdentifierFinding
from roadstead.tables.identifiers.objections import Objection


def removed_identifier(findings: Iterable[IdentifierFinding]) -> IdentifierFinding | None:
    """Give the identifier that Safe Harbor removes, if a column looks like one."""
    removed = (one for one in findings if one.remedy == REMOVE)
    return next((one for one in removed if one.called or one.share is not None), None)


def require_releasable(
    named: Mapping[str, Sequence[str]],
    findings: Mapping[str, Sequence[IdentifierFinding]],
    persons: Collection[str] = (),
    objections: Mapping[str, Sequence[Objection]] | None = None,
    *,
    fix: str | None = None,
) -> None:
    """Refuse to release an identifier that nobody named as one to be released.

    `named` has the columns that are released as they are, by role; `persons` those that seem to say
    whose each record is. `fix` says what to do instead of naming the column otherwise.
    """
    wrong = [
        (role, name, found)
        for role, names in named.items()
        for name in names
        if (found := removed_identifier(findings.get(name, ()))) is not None
    ]
    if not wrong:
        _require_no_objection(named, objections or {}, fix)
        return
    role, name, found = wrong[0]
    others = ", ".join(quoted(one[1]) for one in wrong[1:])
    better = f"{option('quasi')} or " if found.number == PLACES else ""
    if name in persons:
        better = f"{option('person')} to count persons, or "
    instead = f"{better}{option('identifying')}"
    raise RoleError(
        f"is named {role}, and Safe Harbor removes it: {found.identifier} "
        f"(identifier {found.number}; {found.why})" + (f"; so are {others}" if others else ""),
        where=f"column {quoted(name)}",
        fix=f"{fix or f'name it {instead}'}, or release it all the same with "
        f"{option('release', [name])}",
    )


def _require_no_objection(
    named: Mapping[str, Sequence[str]],
    objections: Mapping[str, Sequence[Objection]],
    fix: str | None,
) -> None:
    """Refuse to release a column that something speaks against, besides its findings."""
    wrong = [
        (role, found)
        for role, names in named.items()
        for name in names
        for found in objections.get(name, ())[:1]
    ]
    if not wrong:
        return
    role, found = wrong[0]
    others = "".join(f"; column {quoted(one.column)}: {one.why}" for _, one in wrong[1:])
    raise RoleError(
        f"is named {role}, but {found.why}{others}",
        where=f"column {quoted(found.column)}",
        fix=f"{fix or 'name it ' + option('identifying')}, or release it all the same with "
        f"{option('release', [one.column for _, one in wrong])}",
    )
