"""Collect information about records outside the declared domains, for the custodian only.

This information is never part of a release. For example, the number of omitted records depends on
the data, and could reveal that one record exists.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.differential.persons.person_rows import PersonTally
from roadstead.front_end import option
from roadstead.reports.wording import counted

_HARDLY_ANY = 0.9
"""With this share of records outside a column's domain, the declaration must be wrong."""


@dataclass(frozen=True)
class CustodianFacts:
    """The values outside the domain of each column, and people who may have several records."""

    records: int  # the number of records in the table
    left_out: int  # the number of records outside the domains, which are not in the release
    # For each column, the number of records outside its domain.
    homeless: tuple[tuple[str, int], ...] = ()
    clamped: tuple[tuple[str, int], ...] = ()  # records with a number clamped to the nearest end
    unlisted: tuple[tuple[str, int], ...] = ()  # the number of records with a set that lost an item
    unmatched: tuple[tuple[str, int], ...] = ()  # keys of a second table that do not have a record
    # The number of records that share their key in a second table, by the name of the set.
    sharing: tuple[tuple[str, int], ...] = ()
    persons: PersonTally | None = None  # the owners of the rows, if people are protected
    gathered_by: str | None = None  # the person ID column, if records combine all rows of a person
    whose: tuple[str, ...] = ()  # columns that look like person IDs, if none is named
    # For each direct identifier, the largest number of records with the same value.
    repeated: tuple[tuple[str, int], ...] = ()

    @property
    def columns(self) -> str:
        """The columns that have records outside their domains, and the number of these records."""
        return ", ".join(f"{column} {number:,}" for column, number in self.homeless)

    def outside(self, domains: str = "domains") -> list[str]:
        """Describe the values outside the domains."""
        said = []
        if self.left_out:
            said.append(
                f"{counted(self.left_out, 'record')} of {self.records:,} {_were(self.left_out)} "
                f"left out, because a value is outside the {domains} ({self.columns})"
            )
        for column, number in self.clamped:
            beyond = f"{column} is outside its range in {counted(number, 'record')}"
            said.append(f"{beyond}; the nearest end of the range was used")
        for name, number in self.unlisted:
            lacking = f"{counted(number, 'record')} {_have(number)} items in {name} that are not"
            said.append(f"{lacking} in its taxonomy; these items were removed")
        return said

    @property
    def lines(self) -> list[str]:
        """All lines of information. Each line says that it is not part of the release."""
        said = [
            *self._of_persons(),
            *self.outside("declared domains"),
            *(
                f"almost no value of {column} is in its declared domain; correct the declaration, "
                "because a larger epsilon or more records will not help"
                for column, number in self.homeless
                if number > _HARDLY_ANY * self.records
            ),
            *(
                f"the table of {name} has {counted(number, 'key')} without a matching record"
                for name, number in self.unmatched
            ),
            *(
                f"the column {column} looks like a person ID, and people have several records; to "
                f"protect people, use {option('person', column)}"
                for column in self.whose
            ),
            *(self._shared(name, number) for name, number in self.sharing),
            *(
                f"up to {number:,} records have the same {column}; if it identifies a person, "
                f"epsilon for that person is {number:,} times as large; to protect people, use "
                f"{option('person', column)}"
                for column, number in self.repeated
            ),
        ]
        return [f"for your eyes only: {one}" for one in said]

    @property
    def warnings(self) -> list[str]:
        """The lines about records outside the domains, if almost all records are outside."""
        if self.left_out <= _HARDLY_ANY * self.records:
            return []
        return [line for line in self.lines if "declared domain" in line]

    def _shared(self, name: str, number: int) -> str:
        if self.persons is not None:
            return (
                f"the table of {name} has {counted(number, 'key')} that rows of several people "
                "share; these items remain if one person is removed, so they are not protected"
            )
        return (
            f"{counted(number, 'record')} {_have(number)} the key of another record in the table "
            f"of {name}; the guarantee protects records, not people; to protect a person with all "
            f"records, use {option('person')}"
        )

    def _of_persons(self) -> list[str]:
        rows = self.persons
        if rows is None:
            return []
        people = counted(rows.persons, "person", "people")
        said = [f"{people} {_have(rows.persons)} rows in the table"]
        if rows.nobodys:
            said.append(
                f"{counted(rows.nobodys, 'row')} without a person ID {_were(rows.nobodys)} left out"
            )
        if rows.not_chosen:
            said.append(
                f"{counted(rows.not_chosen, 'row')} {_were(rows.not_chosen)} not used, "
                "because only the requested number of rows per person is used"
            )
        for column, number in rows.varied:
            said.append(
                f"{counted(number, 'person', 'people')} with several values of {column} "
                f"{_were(number)} left out; "
                f"to choose one value, use a different rule with {option('per_person')}"
            )
        return said


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"
