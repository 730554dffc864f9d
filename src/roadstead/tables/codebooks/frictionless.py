"""Read Frictionless data packages (``datapackage.json``) and table schemas.

If a data package refers to a schema in another file, the user must specify that file instead of the
package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from roadstead.tables.codebooks.described import DescribedColumn, Role, TableNotes, ValueType
from roadstead.tables.codebooks.document import (
    MOST_COLUMNS,
    MOST_LABELS,
    Document,
    clean,
    code_of,
)
from roadstead.tables.formats.codebook import Code, ColumnNotes

_TYPES: Mapping[str, ValueType] = {
    **dict.fromkeys(("integer", "number", "year"), "number"),
    **dict.fromkeys(("date", "datetime", "yearmonth"), "date"),
    **dict.fromkeys(("string", "any", "time", "duration"), "text"),
    "boolean": "choice",
}  # fmt: skip
_GEOGRAPHIC = ("geopoint", "geojson")


class Frictionless:
    """The format of Frictionless data packages and table schemas."""

    label = "Frictionless table schema"

    def recognizes(self, document: Document) -> bool:
        """Return whether the file is JSON with resources, or with a list of named fields."""
        found = document.json
        if not isinstance(found, dict):
            return False
        fields, resources = found.get("fields"), found.get("resources")
        return _has(fields, "name") or (_has(resources, "schema") or _has(resources, "path"))

    def read(self, document: Document) -> tuple[TableNotes, ...]:
        """Return the notes on each table of the package."""
        found = document.json
        if "fields" in found:
            return (_notes(found, {}),)
        tables = tuple(
            _notes(one["schema"], one)
            for one in found["resources"]
            if isinstance(one, dict) and isinstance(one.get("schema"), dict)
        )
        if not tables:
            what = "the data package does not contain a table schema"
            raise document.wrong(what, "use the file that contains the schema")
        return tables


def _has(found: object, key: str) -> bool:
    return isinstance(found, list) and any(isinstance(one, dict) and key in one for one in found)


def _notes(schema: Mapping[str, Any], resource: Mapping[str, Any]) -> TableNotes:
    fields = schema.get("fields")
    listed = fields if isinstance(fields, list) else []
    columns = {
        str(one["name"]): _column(one)
        for one in listed[:MOST_COLUMNS]
        if isinstance(one, dict) and one.get("name")
    }
    path = resource.get("path")
    path = path[0] if isinstance(path, list) and path else path
    table = PurePosixPath(path).name if isinstance(path, str) else str(resource.get("name", ""))
    return TableNotes(columns, tuple(dict.fromkeys(_missing(schema))), table)


def _column(field: Mapping[str, Any]) -> DescribedColumn:
    role, reason = _role(field)
    notes = ColumnNotes(
        description=clean(field.get("title")) or clean(field.get("description")) or None,
        labels=_labels(field),
        missing=tuple((code, code) for code in dict.fromkeys(_missing(field))),
    )
    constraints = field.get("constraints")
    chosen = bool(notes.labels) or (isinstance(constraints, dict) and "enum" in constraints)
    kind = "choice" if chosen else _TYPES.get(str(field.get("type")))
    return DescribedColumn(notes, role, reason, kind)


def _labels(field: Mapping[str, Any]) -> dict[Code, str]:
    categories = field.get("categories")
    listed = categories if isinstance(categories, list) else []
    return {
        code_of(one["value"]): clean(one.get("label"))
        for one in listed[:MOST_LABELS]
        if isinstance(one, dict) and one.get("value") is not None and one.get("label")
    }


def _missing(described: Mapping[str, Any]) -> Iterator[str]:
    listed = described.get("missingValues")
    for one in listed[:MOST_LABELS] if isinstance(listed, list) else ():
        if text := code_of(one.get("value") if isinstance(one, dict) else one):
            yield text


def _role(field: Mapping[str, Any]) -> tuple[Role | None, str]:
    if field.get("format") == "email":
        return "identifiers", "the codebook says that the column contains email addresses"
    if field.get("type") in _GEOGRAPHIC:
        return "quasi", "the codebook says that the column contains places"
    return None, ""
