"""Read an ARX project, which is a zip archive of XML, CSV, and serialized Java objects.

An ARX project can come from an untrusted source. Therefore, file names in the archive are not used
on the disk, no Java class is loaded, and the unpacked size is limited.
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder

from roadstead.errors import SourceError
from roadstead.printable import printable
from roadstead.regular_files import MIB, csv_bytes
from roadstead.tables.arx_selection import selection_in
from roadstead.tables.codebooks.document import Document
from roadstead.tables.codebooks.xml_events import read_events
from roadstead.tables.formats.archive import is_arx_project
from roadstead.tables.identifiers.judgment import Role
from roadstead.verbs.scan.arx.stored import (
    StoredSettings,
    Transformation,
    stored_settings,
    stored_transformation,
)

_MOST_UNPACKED = 64 * MIB
"""The maximum total size of the files that are read, excluding the table."""
_LARGEST_MODEL = 8 * MIB
"""A larger file with ARX's window settings is not read, because only its recoding is used."""
_DEFINITION, _CONFIG, _PROJECT = "input/definition.xml", "input/config.xml", "project.xml"
_METADATA, _HIERARCHIES = "metadata.xml", "input/hierarchies/"
_OBJECTS, _MODEL = "input/config.dat", "project.dat"
_AGAIN = "open the project in ARX, and save it again"
_NO_LIMIT, _ORDINAL = "All", "Ordinal"
_ROLES: Mapping[str, Role] = {
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "IDENTIFYING_ATTRIBUTE": "identifiers",
    "INSENSITIVE_ATTRIBUTE": "unchanged",
}


@dataclass(frozen=True)
class ArxAttribute:
    """An attribute in an ARX project.

    `hierarchy` contains a tuple of labels for each value, ordered from specific to general, or is
    None if there is no hierarchy.
    """

    name: str
    role: Role | None
    order: tuple[str, ...] = ()  # order of the values of an ordinal attribute
    function: str = ""  # function for microaggregation
    low: int | None = None  # lowest level
    high: int | None = None  # highest level
    response: bool = False
    hierarchy: tuple[tuple[str, ...], ...] | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the most general level is not ``*`` and still distinguishes values."""
        return self.hierarchy is None or len({row[-1] for row in self.hierarchy}) > 1

    @property
    def highest(self) -> int | None:
        """Return the highest level that ARX may use, or None for the level ``*``."""
        if self.high is not None or not self.is_open:
            return self.high
        return len(self.hierarchy[0]) - 1 if self.hierarchy else 0

    def hierarchy_file(self, as_read: Callable[[str], str]) -> bytes:
        """Return the hierarchy as the content of a file whose last level is ``*``.

        ARX does not require the level ``*``. The function `as_read` converts a value to the form in
        which Roadstead reads it, for example ``1.117,5`` to 1117.5.
        """
        top = ("*",) if self.is_open else ()
        rows = self.hierarchy or ()
        return csv_bytes([(as_read(row[0]), *row[1:], *top) for row in rows], ";")


@dataclass(frozen=True)
class ArxProject:
    """The settings of an ARX project. `metric` is the quality model as ARX writes it."""

    version: str
    delimiter: str
    attributes: Mapping[str, ArxAttribute]
    criteria: tuple[str, ...]
    weights: Mapping[str, float]
    suppressed_types: tuple[str, ...]
    metric: str
    suppression: float
    selected: list[bool] | None = None  # one Boolean per row, if ARX releases only some rows
    stored: StoredSettings = field(default_factory=StoredSettings)
    transformation: Transformation | None = None


def arx_project(path: Path) -> ArxProject | None:
    """Read an ARX project, and return None for any other file.

    The function raises a SourceError if the project is damaged, has a password, or is too large.
    """
    where = printable(path.name)
    if not path.is_file() or not zipfile.is_zipfile(path):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            if not is_arx_project(archive.NameToInfo):
                return None
            return _project(where, _members(archive, where))
    except RuntimeError:  # raised by zipfile if a password is needed
        what = "the ARX project has a password"
        raise SourceError(what, where=where, fix="save it without a password") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise SourceError("the ARX project is damaged", where=where, fix=_AGAIN) from None


def _members(archive: zipfile.ZipFile, where: str) -> dict[str, bytes]:
    members = [
        one
        for name, one in archive.NameToInfo.items()
        if name in (_DEFINITION, _CONFIG, _PROJECT, _METADATA, _OBJECTS)
        or name.startswith(_HIERARCHIES)
        or (name == _MODEL and one.file_size <= _LARGEST_MODEL)
    ]
    if sum(one.file_size for one in members) > _MOST_UNPACKED:
        what = f"the settings of the ARX project are larger than {_MOST_UNPACKED // MIB:,} MiB"
        raise SourceError(what, where=where, fix="use smaller hierarchies in ARX")
    return {one.filename: archive.read(one) for one in members}


def _project(where: str, members: Mapping[str, bytes]) -> ArxProject:
    def tree(name: str) -> Element:
        return _tree(Document(f"{where}, {name}", members.get(name, b"<none/>")))

    about, config = tree(_PROJECT), tree(_CONFIG)
    delimiter = about.findtext("separator") or ";"
    attributes = {}
    for one in tree(_DEFINITION).iter("assigment"):  # ARX uses this spelling
        name = one.findtext("name")
        if name is None:
            what = "an attribute does not have a name"
            raise SourceError(what, where=f"{where}, {_DEFINITION}", fix=_AGAIN)
        content = members.get(f"{_HIERARCHIES}{name}.csv", b"")
        attributes[name] = _attribute(name, one, _rows(where, content, delimiter))
    return ArxProject(
        tree(_METADATA).findtext("version") or "",
        delimiter,
        attributes,
        tuple(one.text or "" for one in config.iter("criterion")),
        {
            one.findtext("attribute") or "": _number(one.findtext("weight"))
            for one in config.iter("attributeWeight")
        },
        tuple(one.text or "" for one in config.iter("type")),
        config.findtext("metric") or "",
        _number(config.findtext("relativeMaxOutliers")),
        selection_in(members.get(_OBJECTS, b"")),
        stored_settings(members.get(_OBJECTS, b"")),
        stored_transformation(members.get(_MODEL, b"")),
    )


def _attribute(
    name: str, stated: Element, hierarchy: tuple[tuple[str, ...], ...] | None
) -> ArxAttribute:
    def text(tag: str) -> str:
        return stated.findtext(tag) or ""

    def level(tag: str) -> int | None:
        return None if text(tag) in ("", _NO_LIMIT) else int(text(tag))

    return ArxAttribute(
        name,
        _ROLES.get(text("type")),
        tuple(text("format").splitlines()) if text("datatype") == _ORDINAL else (),
        text("microaggregationFunction"),
        level("min"),
        level("max"),
        text("response") == "true",
        hierarchy,
    )


def _number(text: str | None) -> float:
    """Parse a number from 0 to 1. An empty string means 0, and other numbers raise a ValueError."""
    number = float(text or 0)
    if not 0 <= number <= 1:
        raise ValueError(number)
    return number


def _rows(where: str, content: bytes, delimiter: str) -> tuple[tuple[str, ...], ...] | None:
    text = Document(where, content).text
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows = tuple(tuple(row) for row in reader if row)
    except (csv.Error, TypeError):
        rows = ((), ("",))
    if len({len(row) for row in rows}) > 1:
        what = "a hierarchy of the ARX project is damaged"
        raise SourceError(what, where=where, fix=_AGAIN)
    return rows or None


def _tree(document: Document) -> Element:
    builder = TreeBuilder()
    read_events(document, builder.start, builder.end, builder.data)
    return builder.close()
