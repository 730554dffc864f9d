"""Records outside the declared domains: which, for the eyes of whoever has the table anyway.

Nothing here is part of a release. How many records are left out is data like any other: if it were
told, one record more or less could be seen in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.taxonomy import NOT_LISTED
from roadstead.reports.wording import counted
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.item_sets import items_of

_HARDLY_ANY = 0.9
"""If so large a share of the records has no place for a column, it is the declaration."""


@dataclass(frozen=True)
class Private:
    """What the custodian is told and nobody else.

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
    def lines(self) -> list[str]:
        """Say it in words, each line marked as no part of the release."""
        said = []
        if self.left_out:
            reasons = ", ".join(f"{column} {number:,}" for column, number in self.homeless)
            said.append(
                f"{counted(self.left_out, 'record')} of {self.records:,} left out, for lack of a "
                f"place in the declared domains ({reasons})"
            )
        said += [
            f"hardly any value of {column} has a place in its declared domain; correct the "
            "declaration, as neither a larger epsilon nor more records would help"
            for column, number in self.homeless
            if number > _HARDLY_ANY * self.records
        ]
        said += [
            f"{counted(number, 'record')} with {column} beyond its range, taken for the nearest end"
            for column, number in self.clamped
        ]
        said += [
            f"{counted(number, 'record')} with items in {name} that its taxonomy lacks, left out "
            "of their sets"
            for name, number in self.unlisted
        ]
        said += [
            f"{counted(number, 'key')} in the table of {name} that no record has"
            for name, number in self.unmatched
        ]
        said += [
            f"{counted(number, 'record')} with the key of another record in the table of {name}; "
            "each record is protected by itself, not all of a person together"
            for name, number in self.sharing
        ]
        said += [
            f"up to {number:,} records with the same {column}; if it names a person, that person "
            f"is protected with {number:,} times epsilon, so make one record of each person first"
            for column, number in self.repeated
        ]
        return [f"for your eyes only: {one}" for one in said]


def private_facts(
    table: FrequencyTable,
    placed: PrivateTable,
    target: str,
    unmatched: Sequence[tuple[str, int]] = (),
    sharing: Sequence[tuple[str, int]] = (),
    repeated: Sequence[tuple[str, int]] = (),
) -> Private:
    """Count what has no place in the domains.

    Parameters
    ----------
    table
        The records as they are.
    placed
        The same within their domains.
    target
        The column of the classes.
    unmatched, sharing
        Keys of second tables that no record has, and records that share one, by set.
    repeated
        For each identifying column the most records that have the same value.
    """
    homeless = []
    if placed.left_out:
        for column, places in _places(table, placed.domains, target, placed.classes):
            at = table.attributes.index(column)
            lost = np.array(places) == NOT_LISTED
            if number := int(table.counts[lost[table.codes[at]]].sum()):
                homeless.append((column, number))
    return Private(
        table.records,
        placed.left_out,
        tuple(homeless),
        placed.clamped,
        placed.unlisted,
        tuple(one for one in unmatched if one[1]),
        tuple(one for one in sharing if one[1]),
        tuple(one for one in repeated if one[1] > 1),
    )


def require_inside(table: FrequencyTable, placed: PrivateTable, target: str) -> None:
    """Stop if any record is outside the domains.

    Raises
    ------
    SourceError
        Names a column and the one cell, in the order of the columns and of their values.
    """
    if not (placed.left_out or placed.clamped or placed.unlisted):
        return
    for domain in placed.domains:
        values = table.domains[table.attributes.index(domain.attribute)]
        for value in values:
            if (cell := _outside(domain, value)) is not None:
                raise _not_inside(domain.attribute, cell)
    for value in table.domains[table.attributes.index(target)]:
        if value not in placed.classes:
            raise _not_inside(target, value)


def _places(
    table: FrequencyTable, domains: Sequence[Domain], target: str, classes: Sequence[str]
) -> list[tuple[str, list[int]]]:
    """Give the places of each column's values; sets have one for any."""
    found = []
    for domain in domains:
        values = table.domains[table.attributes.index(domain.attribute)]
        match domain:
            case NumericDomain():
                found.append((domain.attribute, domain.locate(values).tolist()))
            case CategoricalDomain(taxonomy):
                found.append((domain.attribute, taxonomy.locate(values).tolist()))
            case SetDomain():
                pass
    values = table.domains[table.attributes.index(target)]
    known = [0 if value in classes else NOT_LISTED for value in values]
    return [*found, (target, known)]


def _outside(domain: Domain, value: str) -> str | None:
    """Give what of a cell is outside a domain, if anything is."""
    match domain:
        case NumericDomain():
            lost = domain.beyond(value) or domain.locate([value])[0] == NOT_LISTED
            return value if lost else None
        case CategoricalDomain(taxonomy):
            return value if taxonomy.locate([value])[0] == NOT_LISTED else None
        case SetDomain(taxonomy):
            items = items_of(value)
            return next((one for one in items if taxonomy.locate([one])[0] == NOT_LISTED), None)


def _not_inside(column: str, cell: str) -> SourceError:
    return SourceError(
        f"{quoted(cell)} is outside the declared domain" if cell else "a cell is empty",
        where=f"column {quoted(column)}",
        fix="correct it, declare what the column can hold, or give "
        f"{option('outside', 'leave-out')}",
    )
