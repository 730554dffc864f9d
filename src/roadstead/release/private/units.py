"""Whom a differentially private release protects: one record, or one person with all records.

The guarantee is about adding or removing one unit. Where the unit is a record, a person with n
records is protected with n times epsilon (group privacy: n neighbors in a row; Dwork and Roth 2014,
"The Algorithmic Foundations of Differential Privacy", theorem 2.2). Whoever reads a guarantee must
be told which of the two it is, so each has its words here, and nobody else makes any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from roadstead.release.verification.checks import counted

Protects: TypeAlias = Literal["records", "persons"]

_RECORD, _PERSON = "one record of the table", "one person with all records of the table"
FOR_RECORDS = (
    "It is for records, not for persons: for a person with n records epsilon is n times as large."
)
_FOR_PERSONS = "It is for persons, however many records they have"


@dataclass(frozen=True)
class PrivacyUnit:
    """What may be there or not without being noticed."""

    words: str  # "one record of the table"
    protects: Protects = "records"
    rows: int | None = None  # at most so many rows of a person were used; None: no such limit

    @property
    def persons(self) -> bool:
        """Whether a person with all records is one unit."""
        return self.protects == "persons"

    @property
    def records(self) -> int:
        """How many of the records that mechanisms look at one unit can have."""
        return 1 if self.rows is None else self.rows

    @property
    def stated(self) -> str:
        """Say in a sentence whom the guarantee is for."""
        if not self.persons:
            return FOR_RECORDS
        if self.rows is None:
            return f"{_FOR_PERSONS}."
        return f"{_FOR_PERSONS}; at most {counted(self.rows, 'record')} of each could be used."

    @property
    def noun(self) -> str:
        """What one unit is called."""
        return "person" if self.persons else "record"

    @property
    def consistent(self) -> bool:
        """Whether the words are those of what is protected."""
        return self.words.startswith(_PERSON if self.persons else _RECORD) and (
            self.rows is None or (self.persons and self.rows >= 1)
        )


def unit_of_tables(
    others: Sequence[str] = (), *, persons: bool = False, rows: int | None = None
) -> PrivacyUnit:
    """Make the unit of a table; `others` are second tables, whose rows belong to its records.

    Rows there that several units share are not one unit's: they would change others too.
    """
    words = _PERSON if persons else _RECORD
    if others:
        noun = "person" if persons else "record"
        words += f" and those rows of {' and '.join(others)} that belong to no other {noun}"
    return PrivacyUnit(words, "persons" if persons else "records", rows)
