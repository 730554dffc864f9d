"""Define the unit that a release protects: a record, or a person with all records.

The guarantee covers the addition or removal of one unit. If the unit is a record, a person with n
records is protected only with n times epsilon (group privacy; Dwork and Roth 2014, "The Algorithmic
Foundations of Differential Privacy", theorem 2.2).
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
    """The unit whose presence or absence a release hides."""

    protects: Protects = "records"
    rows: int | None = None  # the largest number of records used per person, or None
    others: tuple[str, ...] = ()  # second tables, with rows that belong to records

    @property
    def persons(self) -> bool:
        """Return whether one unit is a person with all records."""
        return self.protects == "persons"

    @property
    def records(self) -> int:
        """Return the largest number of records that the mechanisms use per unit."""
        return 1 if self.rows is None else self.rows

    @property
    def stated(self) -> str:
        """Return a sentence about the unit that the guarantee protects."""
        if not self.persons:
            return FOR_RECORDS
        if self.rows is None:
            return f"{_FOR_PERSONS}."
        return f"{_FOR_PERSONS}; at most {counted(self.rows, 'record')} per person were used."

    @property
    def noun(self) -> str:
        """Return the noun for one unit."""
        return "person" if self.persons else "record"

    @property
    def words(self) -> str:
        """Return a description of one unit, such as "one record of the table".

        The description includes rows of other tables that do not belong to another unit.
        """
        words = _PERSON if self.persons else _RECORD
        if self.others:
            names = " and ".join(map(named, self.others))
            words += f" and the rows of {names} that do not belong to another {self.noun}"
        return words

    @property
    def consistent(self) -> bool:
        """Return whether the settings are consistent. Only a person can have a number of rows."""
        return self.rows is None or (self.persons and self.rows >= 1)
