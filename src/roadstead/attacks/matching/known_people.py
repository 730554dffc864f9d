"""Draw the people to attack, and introduce errors into the attacker's knowledge if requested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True, eq=False)
class KnownPeople:
    """The attacked people and their known values.

    For each column, `codes` gives the code of each person's value.

    `rows` gives the released row of each person, or -1. Only the judge uses `rows`.
    """

    attributes: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...] = field(repr=False)
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)

    @property
    def number(self) -> int:
        """Return the number of people."""
        return int(self.rows.size)

    def values(self, name: str) -> tuple[str, ...]:
        """Return the domain of a column."""
        return self.domains[self.attributes.index(name)]

    def of(self, name: str) -> NDArray[np.int32]:
        """Return the codes of a column."""
        return self.codes[self.attributes.index(name)]

    def chosen(self, places: NDArray[np.int64]) -> KnownPeople:
        """Return the people at the given positions."""
        codes = tuple(column[places] for column in self.codes)
        return replace(self, codes=codes, rows=self.rows[places])

    def first(self, number: int) -> KnownPeople:
        """Return the first `number` people."""
        return self.chosen(np.arange(min(number, self.number)))


def drawn(
    table: FrequencyTable,
    rows: NDArray[np.int64],
    number: int,
    chance: np.random.Generator,
) -> KnownPeople:
    """Draw `number` records from a table at random, or all records if there are fewer."""
    chosen = drawn_rows(table.counts, number, chance)
    codes = tuple(column[chosen] for column in table.codes)
    return KnownPeople(table.attributes, table.domains, codes, rows[chosen])


def drawn_rows(
    counts: NDArray[np.int64], number: int, chance: np.random.Generator
) -> NDArray[np.int64]:
    """Draw records without replacement, and return their rows in random order."""
    records = int(counts.sum())
    ends = np.cumsum(counts)
    chosen = chance.choice(records, size=min(number, records), replace=False)
    return np.searchsorted(ends, chosen, side="right").astype(np.int64)


def with_errors(
    people: KnownPeople, names: Sequence[str], share: float, chance: np.random.Generator
) -> KnownPeople:
    """Replace a random `share` of the cells with other people's values."""
    codes = list(people.codes)
    for name in names:
        at = people.attributes.index(name)
        wrong = chance.random(people.number) < share
        other = chance.integers(people.number, size=people.number)
        codes[at] = np.where(wrong, codes[at][other], codes[at]).astype(np.int32)
    return replace(people, codes=tuple(codes))


def strangers(people: KnownPeople, chance: np.random.Generator) -> KnownPeople:
    """Generate people outside the release by permuting each column of real people.

    The generated people resemble real people only in single columns. If held-out records of real
    people exist, they are a better choice.
    """
    codes = tuple(column[chance.permutation(people.number)] for column in people.codes)
    return replace(people, codes=codes, rows=np.full(people.number, -1, dtype=np.int64))


def together(one: KnownPeople, other: KnownPeople) -> KnownPeople:
    """Concatenate two groups of people that have the same columns."""
    codes, domains = [], []
    for name in one.attributes:
        own, others = one.values(name), other.values(name)
        every = tuple(dict.fromkeys((*own, *others)))
        place = {value: at for at, value in enumerate(every)}
        moved = np.array([place[value] for value in others] or [0], dtype=np.int32)
        codes.append(np.concatenate([one.of(name), moved[other.of(name)]]))
        domains.append(every)
    rows = np.concatenate([one.rows, other.rows])
    return KnownPeople(one.attributes, tuple(domains), tuple(codes), rows)
