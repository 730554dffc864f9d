"""Minimal sample uniques, and the SUDA scores of attributes.

A record is *unique* on some attributes if no other record has the same values for these attributes.
A set of attributes is *minimal* for a record if the record is unique on the set, but not on any
subset of the set. A record that is unique on a few attributes is a special unique. Such a record is
more likely to be unique in the population, too (Elliot, Manning, and Ford 2002). If sets of up to M
of the m attributes are searched, the score of a minimal set of k attributes is

    (m - k) (m - k - 1) ... (m - min(M, m - 1))

A record's score is the sum over its minimal sets. An attribute's contribution is the share of the
total score that comes from sets with the attribute.

The search visits sets in order of size. Only rows with one record can be unique, and a set is not
minimal for rows that are unique on a subset (Manning, Haglin, and Keane 2008 prune in the same
way). The results do not describe individual records.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.separation import AttributeSets, check_limit, separations
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable

Flags: TypeAlias = dict[tuple[int, ...], NDArray[np.uint8]]
"""Flags for the rows that are unique on each set of attributes, with eight rows per byte."""


@dataclass(frozen=True)
class Combination:
    """A combination of attributes that singles out records, although its subsets do not.

    If the table has person IDs, `records` counts combinations of values that only one person has.
    `contribution` is the combination's share of the total score. The shares of all combinations sum
    to 1.
    """

    attributes: tuple[str, ...]
    records: int
    contribution: float


@dataclass(frozen=True)
class AttributeContribution:
    """The contribution of an attribute to the total score.

    `keys` is the number of minimal sample uniques that include the attribute, and `contribution` is
    the share of the total score from these sets. The shares of all attributes can sum to more than
    1, because a minimal sample unique may have several attributes.
    """

    attribute: str
    keys: int
    contribution: float


@dataclass(frozen=True)
class SpecialUniques:
    """Minimal sample uniques of a table, summarized by attribute and by set of attributes.

    Attributes are in the order of the table. Combinations are in descending order of contribution.
    """

    attributes: tuple[AttributeContribution, ...]
    combinations: tuple[Combination, ...] = field(repr=False)


def special_uniques(table: FrequencyTable, limit: int = 3) -> SpecialUniques:
    """Find all minimal sample uniques up to a size, and the contribution of each attribute.

    A missing value is treated as a value. The limit is at most the number of attributes. Every set
    of at most `limit` attributes is examined. The time is linear in the number of distinct
    combinations. If the table has person IDs, a combination is unique if only one person has it.
    """
    check_limit(limit)
    width = len(table.attributes)
    limit = min(limit, width)
    sets = AttributeSets(table)
    alone = _alone(table, sets)
    keys: dict[tuple[int, ...], int] = {}
    below: Flags = {(): _packed(np.zeros(alone.size, dtype=np.bool_))}
    for size in range(1, limit + 1):
        here: Flags = {}
        for places in combinations(range(width), size):
            covered = _covered(places, below, alone.size)
            here[places] = _packed(covered)
            if covered.all():
                continue
            classes, sizes = sets.classes(places)
            unique = sizes[classes[alone]] == 1
            here[places] = _packed(unique)
            # Several rows of a person can have the same combination, which counts once.
            if number := np.unique(classes[alone[unique & ~covered]]).size:
                keys[places] = number
        below = here
    weight = {
        places: number * set_score(len(places), width, limit) for places, number in keys.items()
    }
    return _put_together(table.attributes, keys, weight)


def _alone(table: FrequencyTable, sets: AttributeSets) -> NDArray[np.intp]:
    """Return the rows that have one record, or whose combination only one person has."""
    if not isinstance(table, PersonTable):
        return np.flatnonzero(table.counts == 1)
    classes, sizes = sets.classes(tuple(range(len(table.attributes))))
    return np.flatnonzero(sizes[classes] == 1)


def set_score(size: int, attributes: int, limit: int) -> int:
    """Return the score of a minimal set of `size` attributes."""
    return prod(attributes - i for i in range(size, min(limit, attributes - 1) + 1))


def _packed(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack flags into bits to save memory. The flags of all sets of one size are kept."""
    return np.packbits(flags)


def _covered(places: tuple[int, ...], below: Flags, rows: int) -> NDArray[np.bool_]:
    """Mark the rows that are unique on at least one subset that lacks one attribute."""
    subsets = [below[places[:at] + places[at + 1 :]] for at in range(len(places))]
    either = np.bitwise_or.reduce(subsets)
    return np.unpackbits(either, count=rows).astype(np.bool_)


def _put_together(
    names: tuple[str, ...], keys: dict[tuple[int, ...], int], weight: dict[tuple[int, ...], int]
) -> SpecialUniques:
    total = max(sum(weight.values()), 1)
    attributes = []
    for at, name in enumerate(names):
        own = [places for places in keys if at in places]
        share = sum(weight[places] for places in own) / total
        attributes.append(AttributeContribution(name, sum(keys[one] for one in own), share))
    return SpecialUniques(
        tuple(attributes),
        tuple(
            Combination(tuple(names[at] for at in places), keys[places], weight[places] / total)
            for places in sorted(keys, key=lambda one: (-weight[one], len(one), one))
        ),
    )


_SHOWN = 10
_COLUMNS = {3: 30, 2: 120}
"""The maximum number of columns for each size of combination."""


@dataclass(frozen=True)
class Contribution:
    """How much a quasi-identifier contributes to the uniqueness of records.

    `contribution` and `keys` have the same meaning as in `AttributeContribution`. `separation` is
    the share of all pairs of records that the attribute distinguishes. `uniques_without` is the
    number of records that would be unique if attackers did not know the attribute.
    """

    attribute: str
    contribution: float
    keys: int
    separation: float
    uniques_without: int


def largest_combination(columns: int) -> int:
    """Return the size of the largest combinations to examine."""
    fitting = [size for size, most in _COLUMNS.items() if columns <= most]
    return min(max(fitting, default=1), columns)


def contributions_of(
    table: FrequencyTable,
) -> tuple[tuple[Contribution, ...], tuple[Combination, ...]]:
    """Return the contributions of a table's attributes, and the combinations that contribute most.

    Both are in descending order of contribution. Rows of people who are not in the table are
    ignored. If the table has person IDs, a combination is unique if only one person has it, but
    `separation` counts pairs of records.
    """
    if isinstance(table, PersonTable):
        records = table.combinations
    else:
        there = table.counts > 0
        codes = tuple(column[there] for column in table.codes)
        table = FrequencyTable(table.attributes, table.domains, codes, table.counts[there])
        records = table
    width = len(table.attributes)
    found = special_uniques(table, largest_combination(width))
    told = {one.attributes[0]: one.separation for one in separations(records, 1)}
    sets = AttributeSets(table)
    contributions = []
    for place, one in enumerate(found.attributes):
        sizes = sets.classes(tuple(at for at in range(width) if at != place))[1]
        unique = int(np.count_nonzero(sizes == 1))
        separation = told[one.attribute]
        contributions.append(
            Contribution(one.attribute, one.contribution, one.keys, separation, unique)
        )
    contributions.sort(key=lambda one: (-one.contribution, one.uniques_without))
    return tuple(contributions), found.combinations[:_SHOWN]
