"""Whom a differentially private release protects: one record, or one person with all records.

The guarantee is about adding or removing one unit. Where the unit is a record, a person with n
records is protected with n times epsilon (group privacy: n neighbors in a row; Dwork and Roth 2014,
"The Algorithmic Foundations of Differential Privacy", theorem 2.2). Whoever reads a guarantee must
be told which of the two it is, so each has its words here, and nobody else makes any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from roadstead.printable import named
from roadstead.release.verification.checks import counted

Protects: TypeAlias = Literal["records", "persons"]

_RECORD, _PERSON = "one record of the table", "one person with all records of the table"
FOR_RECORDS = (
    "The guarantee is for records, not for people: for a person with n records, epsilon is n "
    "times as large."
)
_FOR_PERSONS = "The guarantee is for people, however many records they have"


@dataclass(frozen=True)
class PrivacyUnit:
    """What may be there or not without being noticed."""

    protects: Protects = "records"
    rows: int | None = None  # at most so many rows of a person were used; None: no such limit
    others: tuple[str, ...] = ()  # second tables, whose rows belong to the records of the table

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
        return f"{_FOR_PERSONS}; at most {counted(self.rows, 'record')} per person were used."

    @property
    def noun(self) -> str:
        """What one unit is called."""
        return "person" if self.persons else "record"

    @property
    def words(self) -> str:
        """What one unit is, such as "one record of the table".

        Rows of second tables that several units share are not one unit's: they would change others.
        """
        words = _PERSON if self.persons else _RECORD
        if self.others:
            names = " and ".join(map(named, self.others))
            words += f" and the rows of {names} that belong to no other {self.noun}"
        return words

    @property
    def consistent(self) -> bool:
        """Whether a number of rows is that of persons."""
        return self.rows is None or (self.persons and self.rows >= 1)
