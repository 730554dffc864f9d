"""Write a proposal as a project file, which a person must review before it is used."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import Array, Table

from roadstead.errors import InputError, OutputError, SettingError
from roadstead.front_end import option
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.printable import printable, printable_toml
from roadstead.regular_files import write_whole
from roadstead.reports.scan.facts import ProposalFacts
from roadstead.reports.scan.lines import written_lines
from roadstead.reports.wording import counted
from roadstead.requests.fields import known_tables
from roadstead.requests.writing import CommandNaming, command
from roadstead.rooms import part_of
from roadstead.tables.arx_selection import NAME as SELECTED
from roadstead.tables.health.locations import parse
from roadstead.tables.locations import CdmLocation, DatabaseLocation, FileLocation, Location
from roadstead.tables.missing_file import is_codes_file
from roadstead.tables.source import Source

HIERARCHIES = "hierarchies"
"""The usual name of a folder with hierarchy files."""
_SUFFIX = re.compile(r"[.]\w+([.](gz|bz2|xz|zst|zip))?$", re.ASCII | re.IGNORECASE)
_UNDECIDED = "undecided"
_PROPOSED = ("quasi", "sensitive", "identifiers", "unchanged")
_ROLES = frozenset((*_PROPOSED, "person", "release_anyway", _UNDECIDED))
_COUNTED = (
    "The person ID column. If it is given, Roadstead counts people; otherwise, it counts records:"
)
_FORCED = (
    "No role is proposed for the columns below, so they are withheld.",
    "To release a column, move it to one of the lists above.",
)
_GROUPS = (
    "For roadstead synthesize. The list of codes must be complete:",
    "a list with only your patients' conditions would reveal these conditions.",
)


def written(
    proposal: ProposalFacts,
    folder: Path | None = None,
    groups: Path | None = None,
    files_in: str = HIERARCHIES,
) -> str:
    """Return the text of a project file for a proposal. The file will be written to `folder`.

    `groups` is the file with the groups of conditions. `files_in` is the name of the subfolder for
    other files.
    """
    document = tomlkit.document()
    typed = CommandNaming({})
    run = f"roadstead anonymize {typed('project', 'FILE')} {typed('out', 'release')}"
    document.add(tomlkit.comment("Proposed by roadstead scan. Read it, correct it, then run:"))
    document.add(tomlkit.comment(run))
    for line in proposal.noticed:
        document.add(tomlkit.comment(printable(line)))
    table = _path(proposal.source, folder)
    selected = proposal.selected_rows is not None
    document.add("data", tomlkit.item(f"{files_in}/{SELECTED}" if selected else table))
    if proposal.is_population:
        document.add("population", tomlkit.item(table))
    if proposal.reading:
        document.add("reading", _reading(proposal, folder))
    document.add("roles", _roles(proposal))
    for name, keys in proposal.settings.items():
        document.add(name, tomlkit.item(dict(keys)))
    hierarchies = tomlkit.table()
    files = hierarchy_names(proposal)
    for one in proposal.columns:
        if one.hierarchy is not None:
            inline = tomlkit.inline_table()
            inline.update(one.hierarchy)
            if one.name in files:
                inline.add("path", f"{files_in}/{files[one.name]}")
            hierarchies.add(one.name, inline)
    document.add("hierarchies", hierarchies)
    if groups is not None:
        _add_groups(document, proposal, groups)
    return printable_toml(tomlkit.dumps(document))


def _add_groups(document: TOMLDocument, proposal: ProposalFacts, groups: Path) -> None:
    if proposal.groups is None:
        return
    document.add(tomlkit.nl())
    for line in _GROUPS:
        document.add(tomlkit.comment(line))
    column = proposal.groups.column
    for table, keys in (("sets", {"column": column}), ("domains", {"taxonomy": groups.name})):
        own, outer = tomlkit.table(), tomlkit.table(is_super_table=True)
        own.update(keys)
        outer.add(column, own)  # for example ``[sets.conditions]``
        document.add(table, outer)


def _reading(proposal: ProposalFacts, folder: Path | None) -> Table:
    """Return the options for reading the table, with the counts of codes for missing values."""
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
        why = None if number is None else f"{counted(number, 'value')}, according to the codebook"
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
    """Return the columns with a role. A comment after each column contains the reason."""
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


def path_for(location: Location | None) -> Path:
    """Return the default path of the project file for a table."""
    if location is None:
        raise SettingError(
            "the table has no name", where=option("out"), fix="give the file to write"
        )
    if isinstance(location, FileLocation):
        health = parse(location.path)
        path = location.path if health is None or location.path.exists() else health.folder
        plain = path.absolute().name if path.exists() else path.absolute().name.partition("?")[0]
        name = _SUFFIX.sub("", plain).lstrip(".") or "project"
    elif isinstance(location, CdmLocation):
        name = re.sub(r"[^\w-]", "_", location.name.partition(":")[2])
    else:
        name = re.sub(r"[^\w-]", "_", location.table.name)
    return Path(f"{name}.toml")


def write(proposal: ProposalFacts, path: Path, *, force: bool) -> None:
    """Write the complete project file, or nothing if an error occurs."""
    check_new(path, force=force)
    groups = proposal.groups_file(path)
    if proposal.groups is not None and groups is not None:
        _require_ours(groups, _is_hierarchy, "a hierarchy file", force=force)
        write_rows = part_of("health data", "tables.health.condition_groups:write_rows")
        write_rows(proposal.groups.rows, groups)
    files = files_folder(path)
    try:
        if proposal.has_files:
            _require_ours(files, Path.is_dir, "a folder", force=force)
            write_files(proposal, files)
        content = written(proposal, path.parent, groups, files.name)
        write_whole(path, content.encode("utf-8"))
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror})",
            where=str(path),
            fix="choose another place",
        ) from None


def files_folder(path: Path) -> Path:
    """Return the folder for the files that belong to a project file."""
    return path.with_name(f"{path.stem}_files")


def notes_on(proposal: ProposalFacts, location: Location | None, path: Path) -> Iterator[str]:
    """Describe the files that `write` wrote, and how to use the project file."""
    place = location.person if isinstance(location, CdmLocation) else location
    project = CommandNaming({})("project", None)
    return written_lines(
        proposal,
        path,
        files_folder(path) if proposal.has_files else None,
        f"{command('anonymize', [project, str(path)])} {CommandNaming({})('out', 'DIR')}",
        needs_user=isinstance(place, DatabaseLocation) and place.user is not None,
    )


def hierarchy_names(proposal: ProposalFacts) -> dict[str, str]:
    """Return the name of the hierarchy file for each column, with only safe characters."""
    return {
        column: f"{number}_{re.sub(r'[^A-Za-z0-9]+', '_', column)[:40].strip('_')}.csv"
        for number, column in enumerate(proposal.hierarchy_files, start=1)
    }


def write_files(proposal: ProposalFacts, folder: Path) -> None:
    """Write the files of a proposal to a folder that only the owner can read.

    The folder is protected because the files contain values from the table.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    for column, name in hierarchy_names(proposal).items():
        write_whole(folder / name, proposal.hierarchy_files[column])
    if proposal.selected_rows is not None:
        (folder / SELECTED).unlink(missing_ok=True)
        proposal.selected_rows.write(folder / SELECTED)


def check_new(path: Path, *, force: bool) -> None:
    """Reject an existing file, unless `force` is given and the file is a project file."""
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
    """Return whether a file is a project file, even if it is incomplete."""
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
    """Return the path of the source relative to `folder`, or its address without the user name."""
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
