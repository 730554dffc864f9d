"""Read CSVW metadata, the W3C's JSON descriptions of CSV files.

A file describes one table or a group of tables. Roadstead reads only this file. A column inherits
properties such as ``null`` from its table, and a table inherits such properties from its group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from roadstead.tables.codebooks.described import DescribedColumn, TableNotes, ValueType
from roadstead.tables.codebooks.document import MOST_COLUMNS, Document, clean, code_of
from roadstead.tables.formats.codebook import ColumnNotes

_CONTEXT = "www.w3.org/ns/csvw"
_NUMBER = re.compile(
    r"number|decimal|double|float|gYear|(nonNegative|positive|nonPositive|negative)?integer"
    r"|(unsigned)?(long|int|short|byte)",
    re.IGNORECASE,
)
_DATES = ("date", "dateTime", "datetime", "dateTimeStamp", "gYearMonth")
_DESCRIPTIONS = ("dc:description", "dcterms:description", "rdfs:comment", "schema:description")


class Csvw:
    """The format of CSVW metadata."""

    label = "CSVW metadata"

    def recognizes(self, document: Document) -> bool:
        """Return whether the file is JSON that declares the CSVW context."""
        found = document.json
        return isinstance(found, dict) and _CONTEXT in str(found.get("@context", ""))

    def read(self, document: Document) -> tuple[TableNotes, ...]:
        """Return the notes on each table of the file."""
        found = document.json
        listed = found.get("tables")
        tables = listed if isinstance(listed, list) else [found]
        return tuple(_notes(one, found, document) for one in tables if isinstance(one, dict))


def _notes(table: Mapping[str, Any], group: Mapping[str, Any], document: Document) -> TableNotes:
    schema = table.get("tableSchema", group.get("tableSchema"))
    if not isinstance(schema, dict):
        what = "the metadata do not contain the schema of a table"
        raise document.wrong(
            what, "put the schema itself into the file, not the address of the schema"
        )
    columns: dict[str, DescribedColumn] = {}
    listed = schema.get("columns")
    for one in listed[:MOST_COLUMNS] if isinstance(listed, list) else ():
        if not isinstance(one, dict) or one.get("virtual") is True:
            continue
        described = _column(one, next((x for x in (one, schema, table, group) if "null" in x), {}))
        for name in dict.fromkeys(_names(one)):
            columns.setdefault(name, described)
    url = table.get("url")
    name = PurePosixPath(url).name if isinstance(url, str) else ""
    return TableNotes(columns, table=name)


def _names(column: Mapping[str, Any]) -> Iterator[str]:
    """Yield the name of each column in the header: its first title or, without titles, its name."""
    titles = column.get("titles", column.get("title"))
    if isinstance(titles, Mapping):
        titles = next(iter(titles.values()), None)
    if isinstance(titles, list):
        titles = titles[0] if titles else None
    name = titles if isinstance(titles, str) and titles else column.get("name")
    if isinstance(name, str) and name:
        yield name


def _column(column: Mapping[str, Any], nulls: Mapping[str, Any]) -> DescribedColumn:
    null = nulls.get("null", ())
    codes = [code_of(one) for one in (null if isinstance(null, list) else [null])] if null else []
    description = next((clean(column[one]) for one in _DESCRIPTIONS if one in column), "")
    notes = ColumnNotes(
        description=description or None,
        missing=tuple((code, code) for code in dict.fromkeys(filter(None, codes))),
    )
    return DescribedColumn(notes, type=_type(column.get("datatype")))


def _type(datatype: object) -> ValueType | None:
    base = datatype.get("base") if isinstance(datatype, Mapping) else datatype
    if not isinstance(base, str):
        return None
    if _NUMBER.fullmatch(base):
        return "number"
    if base in _DATES:
        return "date"
    return "choice" if base == "boolean" else "text"
