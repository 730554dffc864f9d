"""Export a request from the page as a project file and a command for the command line.

Relative paths in a project file start at the folder of the file, so the exported paths are
absolute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

import tomlkit

from roadstead.errors import OutputError
from roadstead.front_end import option
from roadstead.printable import printable, printable_toml
from roadstead.regular_files import content_of, write_whole
from roadstead.requests.origin import Origin
from roadstead.requests.writing import arguments, call, command
from roadstead.tables.addresses import locate
from roadstead.tables.formats.options import part_of, with_options
from roadstead.tables.locations import FileLocation
from roadstead.verbs.taxonomy_texts import file_of_taxonomy

PathKind: TypeAlias = Literal["table", "file", "taxonomy"]
_NOT_TAKEN = ("out", "into")
_MARK = "# Settings from the workbench (roadstead explore)."
_HEAD = (
    _MARK,
    "# Keep this file: it is not part of a release.",
    "# Hierarchies may contain values of the table.",
)

_PATHS: Mapping[str, PathKind] = {
    "data": "table",
    "population": "table",
    "hierarchy_folder": "file",
    "persons.key": "file",
    "hierarchies.*.path": "file",
    "sets.*.file": "table",
    "domains.*.taxonomy": "taxonomy",
}
"""The keys of a project file that contain paths. A ``*`` is any name."""


def paths_in(
    document: MutableMapping[str, Any],
) -> Iterator[tuple[MutableMapping[str, Any], str, PathKind]]:
    """Yield each path in a project file: the table that holds it, its key, and its kind."""
    for place, kind in _PATHS.items():
        *tables, key = place.split(".")
        holders: list[Any] = [document]
        for name in tables:
            inside = [one.values() if name == "*" else [one.get(name)] for one in holders]
            holders = [one for one in chain(*inside) if isinstance(one, MutableMapping)]
        yield from ((one, key, kind) for one in holders if isinstance(one.get(key), str))


def full_path(text: str, kind: PathKind, base: Path) -> str:
    """Return a path that starts at a folder as a full path. Other text is returned unchanged.

    An address of a server and the name of a code system are not paths.
    """
    if kind == "table":
        location = locate(text, base)
        if isinstance(location, FileLocation):
            return str(location.path)
        own = getattr(location, "person", location)
        return location.address if getattr(own, "file", None) is not None else text
    is_path = kind == "file" or file_of_taxonomy(text) is not None
    return str(base / text) if is_path else text


def export(project: Path, target: Path, *, dropped: str | None, force: bool) -> None:
    """Write a project file for the same request in another folder.

    `dropped` is the name of a table that was uploaded on the page. The server deletes its copy of
    the table. So the project file refers to the original table, which must be in the folder of the
    project file.
    """
    require_new(target, force=force)
    document = tomlkit.parse(content_of(project).decode("utf-8"))
    base = project.parent
    for key in _NOT_TAKEN:
        document.pop(key, None)
    for holder, key, kind in paths_in(document):
        holder[key] = full_path(str(holder[key]), kind, base)
    head = (*_HEAD, *name_dropped(document, base, dropped))
    text = "\n".join((*head, tomlkit.dumps(document)))
    try:
        write_whole(target, printable_toml(text).encode("utf-8"))
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror})",
            where=str(target),
            fix="free disk space, or choose another folder",
        ) from None


def name_dropped(document: Any, base: Path, dropped: str | None) -> tuple[str, ...]:  # noqa: ANN401 - of tomlkit
    """Move the paths of uploaded files to the project file's folder, and return comments.

    The copies of uploaded files are deleted later. `base` is the folder of the piece of work, which
    contains the copy of a codebook. `dropped` is the name of the table.
    """
    names = []
    if dropped is not None:
        _, part = part_of(Path(str(document.get("data", ""))))
        document["data"] = with_options(Path(dropped), part)
        names.append(dropped)
    reading = document.get("reading", {})
    if isinstance(codebook := reading.get("codebook"), str):
        place = base / codebook
        own = place.is_relative_to(base)
        reading["codebook"] = place.name if own else str(place)
        names += [place.name] if own else []
    return tuple(f"# Copy {printable(name)} into the folder of this file." for name in names)


def repeated(verb: str, request: Any, origin: Origin) -> dict[str, str]:  # noqa: ANN401 - any request
    """Return the command and the Python call that repeat a request."""
    return {
        "command": command(verb, arguments(type(request), origin)),
        "call": f"import roadstead as rs\n\n{call(verb, request)}",
    }


def place_of(location: Any) -> str:  # noqa: ANN401 - where a table is
    """Return the address or the path of a table in the form that a person would type."""
    return str(getattr(location, "address", None) or getattr(location, "path", location))


def require_new(target: Path, *, force: bool) -> None:
    """Raise an error for an existing file, unless an earlier export wrote it."""
    if not target.exists():
        return
    if not force:
        fix = f"choose another folder, or {option('force', True)}"
        raise OutputError("already exists", where=str(target), fix=fix)
    try:
        ours = content_of(target).startswith(_MARK.encode())
    except OSError:
        ours = False
    if not ours:
        fix = "choose another folder, because Roadstead does not replace this file"
        raise OutputError("the workbench did not write this file", where=str(target), fix=fix)
