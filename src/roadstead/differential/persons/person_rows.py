"""The person of each row of a frequency table, and what the custodian may learn about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.frequency import FrequencyTable, canonical

_MISSING = ""


@dataclass(frozen=True)
class PersonTally:
    """What became of the rows of people, in numbers and without names: for the custodian."""

    persons: int  # number of people with rows
    nobodys: int  # rows without a person
    not_chosen: int = 0  # rows of people with too many rows
    # For each column, the number of people with several values where one is required, by name.
    varied: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, eq=False)
class PersonRows:
    """The owner of each row of a table that counts rows by person, among other columns."""

    names: tuple[str, ...] = field(repr=False)  # the people; the empty text means no person
    owner: NDArray[np.int32] = field(repr=False)  # places among the names
    known: NDArray[np.bool_] = field(repr=False)  # shape ``(rows,)``: whether a row has an owner
    others: tuple[int, ...] = field(repr=False)  # places of the other attributes
    figures: PersonTally

    @staticmethod
    def of(table: FrequencyTable, person: str) -> PersonRows:
        """Return the rows with the column of people as their owners."""
        at = table.attributes.index(person)
        names, owner = table.domains[at], table.codes[at]
        known = np.array([name != _MISSING for name in names], dtype=np.bool_)[owner]
        others = tuple(place for place in range(len(table.attributes)) if place != at)
        figures = PersonTally(
            sum(name != _MISSING for name in names), int(table.counts[~known].sum())
        )
        return PersonRows(names, owner, known, others, figures)


def without_person(table: FrequencyTable, person: str, counts: NDArray[np.int64]) -> FrequencyTable:
    """Count rows by the other columns alone, with each row as often as `counts` says."""
    places = [at for at, name in enumerate(table.attributes) if name != person]
    some = counts > 0
    return counted(
        tuple(table.attributes[at] for at in places),
        tuple(table.domains[at] for at in places),
        [table.codes[at][some] for at in places],
        counts[some],
    )


def counted(
    attributes: tuple[str, ...],
    domains: tuple[tuple[str, ...], ...],
    codes: Sequence[NDArray[np.int32]],
    counts: NDArray[np.int64],
) -> FrequencyTable:
    """Return a frequency table of combinations, which may be empty."""
    if counts.size:
        return canonical(attributes, domains, codes, counts)[0]
    nothing = tuple(np.zeros(0, dtype=np.int32) for _ in attributes)
    return FrequencyTable(attributes, domains, nothing, np.zeros(0, dtype=np.int64))
