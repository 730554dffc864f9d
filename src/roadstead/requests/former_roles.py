"""The roles of a project file and of the options beside it, with no column left undecided.

What is written down for a person to accept must be accepted whole: a release by a project file is
refused while a column has no role, with the line that would do. One line decides on all that are
left: ``undecided = "withhold"`` releases none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roadstead.errors import RoleError, quoted
from roadstead.requests.former_project import ProjectRoles
from roadstead.tables import names

WITHHOLD = "withhold"
LINE = f'undecided = "{WITHHOLD}"'
"""The line that decides on all columns that are left."""
_ROLES = ("quasi", "sensitive", "identifying", "insensitive", "release")
_FEW = 5


def joined_roles(given: Mapping[str, Sequence[str]], project: ProjectRoles) -> dict[str, Any]:
    """Join options and a project file: of each role, the option's columns, or else the file's.

    Raises
    ------
    RoleError
        When the file gives a role to a column that it lists as undecided.
    """
    roles: dict[str, Any] = {}
    left = () if isinstance(project.undecided, str) else project.undecided
    for role in _ROLES:
        own = getattr(project, role)
        for name in own:
            if name in left:
                raise RoleError(
                    f"is listed as {role} and as undecided",
                    where=f"roles, column {quoted(name)}",
                    fix="take it out of undecided",
                )
        roles[role] = tuple(given.get(role) or own)
    named = {name for columns in given.values() for name in columns}
    for role in _ROLES:  # an option that names a column goes before the list it stands in
        if not given.get(role):
            roles[role] = tuple(name for name in roles[role] if name not in named)
    if project.undecided == WITHHOLD:
        roles["undecided"] = WITHHOLD
    return roles


def require_decided(
    roles: Mapping[str, Any], project: ProjectRoles, columns: Sequence[str], where: str
) -> None:
    """Refuse a project file that leaves a column of the table undecided.

    Parameters
    ----------
    roles
        As `joined_roles` gives them.
    project
        The roles of the file.
    columns
        The columns of the table.
    where
        What the file is called.

    Raises
    ------
    RoleError
        Names the first columns, and the line to write.
    """
    if project.undecided == WITHHOLD:
        return
    named = {name for role in _ROLES for name in roles[role]}
    names.require(sorted(named), columns)
    left = [name for name in (*columns, *project.undecided) if name not in named]
    left = list(dict.fromkeys(left))
    if not left:
        return
    first = ", ".join(quoted(name) for name in left[:_FEW])
    more = f" and {len(left) - _FEW} more" if len(left) > _FEW else ""
    verb = "is" if len(left) == 1 else "are"
    instead = "in place of the list undecided" if project.undecided else "below [roles]"
    raise RoleError(
        f"{first}{more} {verb} undecided",
        where=f"{where}, roles",
        fix=f"move each to a role, or write {LINE} {instead} to release none of them",
    )
