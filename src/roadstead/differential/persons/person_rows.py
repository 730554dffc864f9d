"""Find the person of each row of a frequency table, and count rows for the custodian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.frequency import FrequencyTable, canonical

_MISSING = ""


@dataclass(frozen=True)
class PersonTally:
    """Figures for the custodian about people's rows. The figures do not identify anyone."""

    persons: int  # the number of people with rows
    nobodys: int  # the number of rows without a person
    not_chosen: int = 0  # the number of omitted rows of people with too many rows
    # For each column that requires a single value: its name, and the number of people with several
    # values.
    varied: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, eq=False)
class PersonRows:
    """The owner of each row in a table that counts rows by person and by other columns."""

    names: tuple[str, ...] = field(repr=False)  # the people; an empty string means no person
    owner: NDArray[np.int32] = field(repr=False)  # the index of each owner among the names
    known: NDArray[np.bool_] = field(repr=False)  # shape ``(rows,)``: whether a row has an owner
    others: tuple[int, ...] = field(repr=False)  # the indices of the other attributes
    figures: PersonTally

    @staticmethod
    def of(table: FrequencyTable, person: str) -> PersonRows:
        """Read the owners of a table's rows from the column `person`."""
        at = table.attributes.index(person)
        names, owner = table.domains[at], table.codes[at]
        known = np.array([name != _MISSING for name in names], dtype=np.bool_)[owner]
        others = tuple(place for place in range(len(table.attributes)) if place != at)
        figures = PersonTally(
            sum(name != _MISSING for name in names), int(table.counts[~known].sum())
        )
        return PersonRows(names, owner, known, others, figures)


def without_person(table: FrequencyTable, person: str, counts: NDArray[np.int64]) -> FrequencyTable:
    """Count rows by the other columns alone. `counts` gives the number of records per row."""
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
    """Return a frequency table of combinations. The table can be empty."""
    if counts.size:
        return canonical(attributes, domains, codes, counts)[0]
    nothing = tuple(np.zeros(0, dtype=np.int32) for _ in attributes)
    return FrequencyTable(attributes, domains, nothing, np.zeros(0, dtype=np.int64))
