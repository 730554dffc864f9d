"""A proposal as a project file: a request that a person must read, correct, and accept."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import tomlkit
from tomlkit.items import Array, Table

from roadstead.errors import InputError, OutputError
from roadstead.front_end import option
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.printable import printable, printable_toml
from roadstead.regular_files import write_whole
from roadstead.reports.wording import counted
from roadstead.requests.fields import known_tables
from roadstead.requests.writing import CommandNaming
from roadstead.tables.health.condition_groups import write_rows
from roadstead.tables.locations import CdmLocation, DatabaseLocation
from roadstead.tables.missing_file import is_codes_file
from roadstead.tables.source import Source
from roadstead.verbs.scan.facts import ProposalFacts

_UNDECIDED = "undecided"
_PROPOSED = ("quasi", "sensitive", "identifiers", "unchanged")
_ROLES = frozenset((*_PROPOSED, "person", "release_anyway", _UNDECIDED))
_COUNTED = "The person ID column. With it, Roadstead counts people; without it, records:"
_FORCED = (
    "No role is proposed for the columns below, so they are withheld.",
    "To release a column, move it to one of the lists above.",
)
_GROUPS = (
    "For roadstead synthesize. The list of codes must be complete:",
    "a list with only your patients' conditions would reveal them.",
)


def written(proposal: ProposalFacts, folder: Path | None = None, groups: Path | None = None) -> str:
    """Return a proposal as a project file in `folder`, with the file `groups`."""
    document = tomlkit.document()
    typed = CommandNaming({})
    run = f"roadstead anonymize {typed('project', 'FILE')} {typed('out', 'release')}"
    document.add(tomlkit.comment("Proposed by roadstead scan. Read it, correct it, then run:"))
    document.add(tomlkit.comment(run))
    for line in proposal.noticed:
        document.add(tomlkit.comment(printable(line)))
    document.add("data", tomlkit.item(_path(proposal.source, folder)))
    if proposal.reading:
        document.add("reading", _reading(proposal, folder))
    document.add("roles", _roles(proposal))
    privacy = tomlkit.table()
    privacy.add("k", 5)
    privacy.add("suppression", 0.05)
    document.add("privacy", privacy)
    hierarchies = tomlkit.table()
    for one in proposal.columns:
        if one.hierarchy is not None:
            inline = tomlkit.inline_table()
            inline.update(one.hierarchy)
            hierarchies.add(one.name, inline)
    document.add("hierarchies", hierarchies)
    if proposal.groups is not None and groups is not None:
        document.add(tomlkit.nl())
        for line in _GROUPS:
            document.add(tomlkit.comment(line))
        column = proposal.groups.column
        for table, keys in (("sets", {"column": column}), ("domains", {"taxonomy": groups.name})):
            own, outer = tomlkit.table(), tomlkit.table(is_super_table=True)
            own.update(keys)
            outer.add(column, own)  # for example ``[sets.conditions]``
            document.add(table, outer)
    return printable_toml(tomlkit.dumps(document))


def _reading(proposal: ProposalFacts, folder: Path | None) -> Table:
    """Return how the table is read; missing codes of the codebook with their counts."""
    reading = tomlkit.table()
    for key, value in proposal.reading.items():
        if key == "codebook":
            reading.add(key, str(_seen_from(folder, Path(str(value)))))
        elif key == "missing" and isinstance(value, list):
            reading.add(key, _missing(value, proposal.codebook_missing, folder))
        else:
            reading.add(key, value)
    return reading


def _missing(codes: Sequence[str], counts: Mapping[str, int], folder: Path | None) -> Array:
    listed = tomlkit.array()
    codes = [str(_seen_from(folder, Path(x))) if is_codes_file(x) else x for x in codes]
    if not counts:
        listed.extend(codes)
        return listed
    for code in codes:
        number = counts.get(code)
        why = None if number is None else f"{counted(number, 'value')}, by the codebook"
        listed.add_line(code, comment=why)
    listed.add_line(indent="")
    return listed


def _roles(proposal: ProposalFacts) -> Table:
    roles = tomlkit.table()
    if proposal.person is not None:
        roles.add(tomlkit.comment(_COUNTED))
        roles.add("person", proposal.person)
    for role in _PROPOSED:
        roles.add(role, _listed(proposal, role))
    if proposal.names(None):
        roles.add(tomlkit.nl())
        for line in _FORCED:
            roles.add(tomlkit.comment(line))
        roles.add(_UNDECIDED, _listed(proposal, None))
    return roles


def _listed(proposal: ProposalFacts, role: str | None) -> Array:
    """Return the columns of a role, each with its reason as a comment."""
    names = tomlkit.array()
    for column in proposal.columns:
        if column.role == role:
            harbor = (f for f in proposal.safe_harbor if f.column == column.name)
            removed = (f"Safe Harbor {f.number}: {f.remedy}" for f in harbor)
            why = "; ".join(filter(None, (column.reason, column.warning, *removed)))
            names.add_line(column.name, comment=printable(why))
    if names:
        names.add_line(indent="")
    return names


def write(proposal: ProposalFacts, path: Path, *, force: bool) -> None:
    """Write the project file, completely or not at all."""
    check_new(path, force=force)
    groups = proposal.groups_file(path)
    if proposal.groups is not None and groups is not None:
        _require_ours(groups, _is_hierarchy, "a hierarchy file", force=force)
        write_rows(proposal.groups.rows, groups)
    try:
        write_whole(path, written(proposal, path.parent, groups).encode("utf-8"))
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror})",
            where=str(path),
            fix="choose another place",
        ) from None


def check_new(path: Path, *, force: bool) -> None:
    """Refuse an existing file, unless `force` is given and it is a project file."""
    _require_ours(path, _is_project, "a project file", force=force)


def _require_ours(path: Path, ours: Callable[[Path], bool], what: str, *, force: bool) -> None:
    if path.exists() and not force:
        raise OutputError(
            "the file already exists",
            where=str(path),
            fix=f"choose another name, or add {option('force', True)}",
        )
    if path.exists() and not ours(path):
        raise OutputError(
            f"the file exists, but it is not {what}", where=str(path), fix="choose another name"
        )


def _is_project(path: Path) -> bool:
    """Return whether a file is a project file, even an incomplete one."""
    try:
        document = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    except (OSError, ValueError):
        return False
    roles = document.get("roles")
    known = isinstance(roles, dict) and roles.keys() <= _ROLES
    return known and document.keys() <= known_tables()


def _is_hierarchy(path: Path) -> bool:
    try:
        read_hierarchy(path, path.stem)
    except InputError:
        return False
    return True


def _path(source: Source, folder: Path | None) -> str:
    """Return the source's path relative to the project file, or its address without a user."""
    location = source.location
    if isinstance(location, CdmLocation):
        return replace(location, person=_moved(location.person, folder)).address
    if isinstance(location, DatabaseLocation):
        return _moved(location, folder).address
    if location is not None:
        return location.address
    path = source.read_from or source.path
    return source.name if path is None else str(_seen_from(folder, path))


def _moved(location: DatabaseLocation, folder: Path | None) -> DatabaseLocation:
    file = location.file
    return location if file is None else location.with_file(_seen_from(folder, file))


def _seen_from(folder: Path | None, path: Path) -> Path:
    absolute, base = path.absolute(), (folder or Path()).absolute()
    return absolute.relative_to(base) if absolute.is_relative_to(base) else absolute
