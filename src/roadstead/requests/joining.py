"""Combine the given options and a project file into one request.

An option takes precedence over the project file. If an option gives a column a role, this role
replaces the role in the file. Columns that the file lists as undecided are withheld, like all other
columns without a role.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import option
from roadstead.reports.wording import counted, first_few
from roadstead.requests.checks import wrong
from roadstead.requests.fields import options_of
from roadstead.requests.groups import ColumnRoles, TableInput
from roadstead.requests.origin import Origin, Project
from roadstead.requests.texts import columns_named

T = TypeVar("T")
_PROPOSED = ("quasi", "sensitive", "identifiers", "unchanged")
_ROLES = (*_PROPOSED, "release_anyway")


def joined(kind: type[T], given: Mapping[str, Any], project: Project) -> T:
    """Create a request from the given values and a project file.

    A request class can have a class method ``joins(given, project, under)``. The method may remove
    values from the project file or add values, and returns the result.
    """
    options = options_of(kind)
    under = {
        key: one.form.located(value, project.base)
        for key, one in options.items()
        if one.place is not None and (value := project.get(one.place)) is not None
    }
    if issubclass(kind, ColumnRoles):
        under |= _roles(given, project, counts_persons="person" in options)
    if (adjusted := getattr(kind, "joins", None)) is not None:
        under = adjusted(given, project, under)
    if under.get("declared"):
        under["declared"] = _without_files(under["declared"], given.get("hierarchies"))
    values = {}
    for key, one in options.items():
        value = one.form.join(given.get(key), under.get(key))
        if value is not None:
            values[key] = value
        elif one.default is MISSING:
            values[key] = _missing(key)
    if "base" in options and project.path is not None:
        values["base"] = project.base
    if issubclass(kind, TableInput):
        values["origin"] = Origin(given, project)
    return kind(**values)


def _without_files(declared: Mapping[str, Any], folder: object) -> Mapping[str, Any]:
    """Return the declared hierarchies of the columns that have no file in a given folder."""
    if not isinstance(folder, str | PathLike):
        return declared
    from roadstead.hierarchies.arx_csv import find_hierarchies  # noqa: PLC0415 - not for --help

    files = find_hierarchies(Path(folder), declared)
    return {name: one for name, one in declared.items() if name not in files}


def _missing(key: str) -> Any:  # noqa: ANN401 - of the field's type
    if key == "data":
        raise SettingError(
            "no table is given",
            fix="give the path or the address of the table, or a "
            f"{option('project')} file that names the table",
        )
    return () if key in _ROLES else None


def _roles(given: Mapping[str, Any], project: Project, *, counts_persons: bool) -> dict[str, Any]:
    """Return the file's columns of each role, except columns whose role an option gives.

    If the request cannot count people, the person ID column becomes a direct identifier.
    """
    undecided = project.get("roles.undecided") or ()
    left = () if isinstance(undecided, str) else undecided
    named = {name for role in _ROLES for name in given.get(role) or ()}
    person = given.get("person") or project.get("roles.person")
    roles: dict[str, Any] = {}
    if person in named and given.get("person") is None:
        roles["person"] = person = None
    named.add(person)
    for role in _ROLES:
        own = project.get(f"roles.{role}") or ()
        for name in own:
            if name in left:
                raise RoleError(
                    f"the column is listed as {role} and as undecided",
                    where=f"roles, column {quoted(name)}",
                    fix="remove it from undecided",
                )
        # A quasi-identifier or a sensitive column that is also released anyway keeps its role.
        both = {*(given.get("release_anyway") or ())} if role in ("quasi", "sensitive") else set()
        gone = named - both
        roles[role] = tuple(name for name in own if name not in gone)
    released = {*roles["release_anyway"], *(given.get("release_anyway") or ())}
    said = project.get("roles.reasons") or {}
    roles["reasons"] = {name: words for name, words in said.items() if name in released}
    if person is not None and not counts_persons:
        roles["identifiers"] += (person,)
    roles["undecided"] = undecided if isinstance(undecided, str) else None
    return roles


def replaced_lists(kind: type, given: Mapping[str, Any], project: Project) -> list[str]:
    """Describe the lists of a project file that an option replaces, if list entries are lost.

    A column is not lost if another option gives it a role.
    """
    if project.path is None:
        return []
    named = {name for role in _ROLES for name in given.get(role) or ()} | {given.get("person")}
    said = []
    for key, one in options_of(kind).items():
        own, new = project.get(one.place or ""), given.get(key)
        if not isinstance(own, list | tuple) or not isinstance(new, list | tuple):
            continue
        found = f"{option(key)} replaces {one.place} in {project.path.name}"
        if one.place != f"roles.{key}":
            if lost := sum(entry not in new for entry in own):
                said.append(
                    f"{found}: {counted(lost, 'entry', 'entries')} of the file "
                    f"{'is' if lost == 1 else 'are'} not used."
                )
        elif gone := [name for name in own if name not in named]:
            have = "has" if len(gone) == 1 else "have"
            said.append(f"{found}: {first_few(gone)} no longer {have} this role.")
    return said


def with_proposal(request: T) -> T:
    """Add the roles and hierarchies from a scan to a request.

    If the request itself sets roles and hierarchies, these take precedence over the scan.
    """
    own: Any = request
    proposal = own.roles
    if proposal is None:
        return request
    if not hasattr(proposal, "deciding"):
        fix = "pass the result of scan, or list the columns of each role"
        raise wrong("roles", "the value is not the result of a scan", fix)
    named = {name for role in _ROLES for name in getattr(own, role)}
    counts_persons = hasattr(own, "person")
    if counts_persons and own.person is not None:
        named.add(own.person)
    roles = {
        role: (*getattr(own, role), *(n for n in proposal.names(role) if n not in named))
        for role in _PROPOSED
    }
    given = own.hierarchies if isinstance(own.hierarchies, Mapping) else {}
    declared = {
        column.name: column.hierarchy
        for column in proposal.columns
        if column.hierarchy and column.name in roles["quasi"] and column.name not in given
    }
    declared = {**_without_files(declared, own.hierarchies), **(own.declared or {})}
    changes: dict[str, Any] = {**roles, "declared": declared, **_reading(own, proposal)}
    persons = tuple(name for name in proposal.names("person") if name not in named)
    if counts_persons and own.person is None:
        changes["person"] = next(iter(persons), None)
    else:  # person IDs are never released unchanged
        changes["identifiers"] += persons
    filled: T = replace(own, **changes, roles=None)
    return filled


def _reading(own: Any, proposal: Any) -> dict[str, Any]:  # noqa: ANN401 - see `with_proposal`
    """Return the codebook and the missing codes of a scan, unless the request itself sets them."""
    from roadstead.tables.missing_codes import OptionalCode  # noqa: PLC0415 - not for --help

    found = {
        key: proposal.reading[key] for key in ("codebook", "missing") if key in proposal.reading
    }
    if "missing" in found:
        found["missing"] = tuple(map(OptionalCode, found["missing"]))
    return {key: one for key, one in found.items() if hasattr(own, key) and not getattr(own, key)}


def left_undecided(request: ColumnRoles, project: Project, columns: Sequence[str]) -> list[str]:
    """Return the columns that a project file lists as undecided and that have no role.

    If the request releases undecided columns (except columns with objections), the result is empty.
    The function raises a `ColumnNotFoundError` if a listed column is missing from the table.
    """
    from roadstead.tables import names  # noqa: PLC0415 - not for --help

    undecided = project.get("roles.undecided") or ()
    if isinstance(undecided, str):
        return []
    named = {name for role in _ROLES for name in getattr(request, role)} | _treated(request)
    left = [name for name in undecided if name not in {*named, getattr(request, "person", None)}]
    names.require(left, columns)
    return [] if getattr(request, "undecided", None) == "release" else left


def _treated(own: object) -> set[str]:
    """Return the columns that have a treatment, because a treatment decides about a column."""
    listed = (columns_named(one) for one in getattr(own, "treat", ()))
    return {name for names in listed for name in names if isinstance(name, str)}
