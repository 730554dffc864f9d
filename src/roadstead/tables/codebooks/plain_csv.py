"""Read a codebook in a plain CSV file: one row per column of the table.

The file must have a column ``name`` and at least one of the columns ``label``, ``type``,
``missing``, ``role``, and ``values``. Semicolons separate several missing codes (``-9; 97..99``) or
values (``1=male; 2=female``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from roadstead.errors import quoted
from roadstead.near_names import did_you_mean
from roadstead.tables.codebooks.described import DescribedColumn, Role, TableNotes, ValueType
from roadstead.tables.codebooks.document import (
    MOST_COLUMNS,
    MOST_LABELS,
    Document,
    clean,
    header_name,
)
from roadstead.tables.formats.codebook import Code, ColumnNotes

_NAMES = ("name", "variable", "variablename", "column", "columnname", "field", "fieldname")
_FACTS: Mapping[str, tuple[str, ...]] = {
    "label": ("label", "variablelabel", "description", "title", "fieldlabel"),
    "type": ("type", "datatype", "variabletype", "fieldtype", "format"),
    "missing": ("missing", "missingvalues", "missingcodes", "missingvalue"),
    "role": ("role",),
    "values": ("values", "valuelabels", "choices", "codes", "levels"),
}
_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("identifiers", "identifier", "directidentifier"), "identifiers"),
    **dict.fromkeys(("person", "personid", "patientid", "subjectid"), "person"),
    **dict.fromkeys(("quasi", "quasiidentifier", "quasiidentifying", "key"), "quasi"),
    **dict.fromkeys(("sensitive", "confidential"), "sensitive"),
    **dict.fromkeys(("unchanged", "insensitive", "nonsensitive", "other", "release"), "unchanged"),
}  # fmt: skip
_TYPES: tuple[tuple[str, ValueType], ...] = (
    ("int|num|float|double|decimal|real|continuous|ratio|year", "number"),
    ("date|timestamp", "date"),
    ("cat|factor|bool|logical|binary|ordinal|nominal|enum|choice|radio|dropdown", "choice"),
    ("note|free|long|memo|comment", "long text"),
    ("str|char|text|varchar|object", "text"),
)
_RANGE = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*\.\.\s*([+-]?\d+(?:\.\d+)?)\s*")


class PlainCsv:
    """The format of plain codebooks."""

    label = "codebook in CSV"

    def recognizes(self, document: Document) -> bool:
        """Return whether the file has a column of names and at least one descriptive column."""
        names = document.rows[0].keys() if document.rows else ()
        facts = [key for key in _FACTS if _key(names, _FACTS[key])]
        return _key(names, _NAMES) is not None and bool(facts)

    def read(self, document: Document) -> tuple[TableNotes, ...]:
        """Return the described columns. Raises SourceError if a role is unknown."""
        head = document.rows[0].keys()
        name_key = _key(head, _NAMES) or ""
        keys = {fact: _key(head, names) for fact, names in _FACTS.items()}
        columns: dict[str, DescribedColumn] = {}
        for number, row in enumerate(document.rows[:MOST_COLUMNS], 2):
            name = row.get(name_key, "").strip()
            facts = {fact: row.get(key or "", "").strip() for fact, key in keys.items()}
            if name:
                columns.setdefault(name, _column(facts, document, number))
        return (TableNotes(columns),)


def _key(names: object, known: tuple[str, ...]) -> str | None:
    return next((one for one in known if one in names), None)  # type: ignore[operator] # keys


def _column(facts: Mapping[str, str], document: Document, number: int) -> DescribedColumn:
    role: Role | None = None
    if facts["role"]:
        role = _ROLES.get(header_name(facts["role"]))
        if role is None:
            fix = did_you_mean(
                facts["role"],
                ["identifier", "person", "quasi", "sensitive", "unchanged"],
                show=quoted,
            )
            raise document.wrong(
                f"record {number}: the role {quoted(facts['role'])} is not known", fix
            )
    labels = dict(_pairs(facts["values"]))
    notes = ColumnNotes(
        description=clean(facts["label"]) or None,
        labels=labels,
        missing=tuple(map(_range, filter(None, map(str.strip, facts["missing"].split(";"))))),
    )
    kind = next((to for words, to in _TYPES if re.match(words, facts["type"].casefold())), None)
    reason = f"the codebook gives the column the role {role}" if role else ""
    return DescribedColumn(notes, role, reason, "choice" if labels and kind != "number" else kind)


def _pairs(text: str) -> list[tuple[Code, str]]:
    """Read pairs such as ``1=male; 2=female`` or ``1, male | 2, female``."""
    found: list[tuple[Code, str]] = []
    for part in re.split(r"[;|\n]", text)[:MOST_LABELS]:
        code, sign, label = part.partition("=" if "=" in part else ",")
        if sign and code.strip() and label.strip():
            found.append((code.strip(), clean(label)))
    return found


def _range(text: str) -> tuple[Code, Code]:
    found = _RANGE.fullmatch(text)
    return (text, text) if found is None else (float(found[1]), float(found[2]))
