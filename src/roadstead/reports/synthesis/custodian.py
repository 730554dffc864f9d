"""What a custodian hears of records outside the declared domains, and nobody else.

Nothing here is part of a release. How many records are left out is data like any other: if it were
published, one record more or less could be seen in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.reports.wording import counted

_HARDLY_ANY = 0.9
"""If so large a share of the records has no place for a column, it is the declaration."""


@dataclass(frozen=True)
class CustodianFacts:
    """What has no place in the domains, and who may be in the table more than once.

    Attributes
    ----------
    records
        Records of the table.
    left_out
        Those that have no place in the domains, and are not in the release.
    homeless
        For each column the records that it has no place for, by name.
    clamped, unlisted
        Records whose number counts as the nearest end, and whose sets lost an item, by name.
    unmatched
        Keys of a second table that no record has, by the set's name.
    sharing
        Records whose key in a second table another record has too, by the set's name.
    repeated
        For each identifying column the most records that have the same value, by name.
    """

    records: int
    left_out: int
    homeless: tuple[tuple[str, int], ...] = ()
    clamped: tuple[tuple[str, int], ...] = ()
    unlisted: tuple[tuple[str, int], ...] = ()
    unmatched: tuple[tuple[str, int], ...] = ()
    sharing: tuple[tuple[str, int], ...] = ()
    repeated: tuple[tuple[str, int], ...] = ()

    @property
    def columns(self) -> str:
        """The columns that have no place for records, each with their number."""
        return ", ".join(f"{column} {number:,}" for column, number in self.homeless)

    def outside(self, domains: str = "domains") -> list[str]:
        """Say what has no place in the domains."""
        left_out = (
            f"{counted(self.left_out, 'record')} of {self.records:,} left out, for lack of a "
            f"place in the {domains} ({self.columns})"
        )
        return [
            *([left_out] if self.left_out else []),
            *(
                f"{counted(number, 'record')} with {column} beyond its range, taken for the "
                "nearest end"
                for column, number in self.clamped
            ),
            *(
                f"{counted(number, 'record')} with items in {name} that its taxonomy lacks, left "
                "out of their sets"
                for name, number in self.unlisted
            ),
        ]

    @property
    def lines(self) -> list[str]:
        """Say everything, each line marked as no part of the release."""
        said = [
            *self.outside("declared domains"),
            *(
                f"hardly any value of {column} has a place in its declared domain; correct the "
                "declaration, as neither a larger epsilon nor more records would help"
                for column, number in self.homeless
                if number > _HARDLY_ANY * self.records
            ),
            *(
                f"{counted(number, 'key')} in the table of {name} that no record has"
                for name, number in self.unmatched
            ),
            *(
                f"{counted(number, 'record')} with the key of another record in the table of "
                f"{name}; each record is protected by itself, not all of a person together"
                for name, number in self.sharing
            ),
            *(
                f"up to {number:,} records with the same {column}; if it names a person, that "
                f"person is protected with {number:,} times epsilon, so make one record of each "
                "person first"
                for column, number in self.repeated
            ),
        ]
        return [f"for your eyes only: {one}" for one in said]
