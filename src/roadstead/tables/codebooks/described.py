"""Represent a codebook's information about columns: labels, missing codes, types, and roles.

Labels and missing codes are stored in the same class as the labels and missing codes of SPSS,
Stata, and SAS files (:class:`roadstead.tables.formats.codebook.ColumnNotes`). Here, codes are
strings, as in a CSV file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from roadstead.tables.codebooks.document import clean
from roadstead.tables.formats.codebook import ColumnNotes, code_text
from roadstead.tables.names import with_numbers

Role: TypeAlias = Literal["identifiers", "person", "quasi", "sensitive", "unchanged"]
"""A role that a codebook can give to a column."""

ValueType: TypeAlias = Literal["number", "date", "choice", "text", "long text"]
"""The type of the values, in Roadstead's terms."""

_WHOLE = re.compile(r"([+-]?)0*(\d+)(?:\.0*)?")


@dataclass(frozen=True)
class DescribedColumn:
    """The information about one column in a codebook.

    Attributes
    ----------
    notes
        The column's description, the labels of its codes, and its missing codes.
    role
        The column's role, or None if the codebook does not state a role.
    reason
        The reason for the role, such as ``the codebook marks the column as an identifier``. The
        reason never quotes the codebook.
    type
        The type of the column's values, or None if the type is not known.
    optional
        Whether a table may lack the column, such as a column that REDCap itself adds.
    shared
        Whether the role applies only if several people share each value.
    header
        The header of the column in an export with labels instead of names, if there is one.
    """

    notes: ColumnNotes = field(default_factory=ColumnNotes)
    role: Role | None = None
    reason: str = ""
    type: ValueType | None = None
    optional: bool = False
    shared: bool = False
    header: str = ""


@dataclass(frozen=True)
class TableNotes:
    """The information about one table in a codebook.

    Attributes
    ----------
    columns
        The described columns, in the order of the codebook.
    missing
        Strings that represent a missing value in every column.
    table
        The name of the table's file, if the codebook states it.
    kind
        The format of the codebook in words, such as ``REDCap data dictionary``.
    name
        The name of the codebook's file.
    """

    columns: Mapping[str, DescribedColumn]
    missing: tuple[str, ...] = ()
    table: str = ""
    kind: str = ""
    name: str = ""

    def fitted(self, columns: Iterable[str]) -> TableNotes:
        """Return the notes with the spelling of column names that the table uses.

        The spellings may differ in case. A described column that the table lacks keeps its name. If
        more columns match the headers of an export with labels, the function compares these headers
        instead of the names.
        """
        columns = tuple(columns)
        headers = with_numbers(one.header for one in self.columns.values())
        called = {h.casefold(): name for h, name in zip(headers, self.columns, strict=True) if h}
        labeled = {
            called[key]: name for name in columns if (key := clean(name).casefold()) in called
        }
        named = {name.casefold() for name in self.columns}
        if len(labeled) > sum(name.casefold() in named for name in columns):
            own = {labeled.get(name, name): one for name, one in self.columns.items()}
            return replace(self, columns=own)
        small = {name.casefold(): name for name in columns if name not in self.columns}
        fitted: dict[str, DescribedColumn] = {}
        for name, described in self.columns.items():
            fitted.setdefault(small.pop(name.casefold(), name), described)
        return replace(self, columns=fitted)

    def lacking(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of a table that the codebook does not describe."""
        return [name for name in columns if name not in self.columns]

    def absent(self, columns: Sequence[str]) -> list[str]:
        """Return the described columns that a table lacks, excluding optional columns."""
        return [
            name for name, one in self.columns.items() if name not in columns and not one.optional
        ]

    def faces(self, column: str, values: Iterable[str]) -> dict[str, str] | None:
        """Return the label of each value of a column, or None if labels are missing or repeated.

        The empty text is a missing value and stays empty. A number matches a code in any notation:
        ``01`` and ``1.0`` have the label of ``1``.
        """
        described = self.columns.get(column)
        if described is None or not described.notes.labels:
            return None
        texts = {code_text(code): text for code, text in described.notes.texts.items()}
        by_number: dict[str, str] = {}
        for code, text in texts.items():
            by_number.setdefault(plain(code), text)
        faces: dict[str, str] = {}
        for value in values:
            face = texts.get(value, by_number.get(plain(value), "")) if value else ""
            if value and not face:
                return None
            faces[value] = face
        used = set(faces.values())
        return faces if any(faces) and len(used) == len(faces) else None


def plain(code: str) -> str:
    """Return a whole number without extra zeros: ``01`` becomes ``1``. Keep other strings."""
    found = _WHOLE.fullmatch(code.strip())
    if found is None:
        return code.strip()
    sign = "-" if found[1] == "-" and found[2] != "0" else ""
    return sign + found[2]
