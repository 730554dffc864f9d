"""Which attributes single people out: minimal sample uniques, and SUDA scores of attributes.

A record is *unique* on some attributes when no other record has the same values in them. It is then
unique on more attributes too, so what matters are the *minimal* sets: unique on these, and on none
of their subsets. A record that is unique on a few attributes is a special unique, and more likely
to be unique in the population as well (Elliot, Manning and Ford 2002). A minimal set of k of m
attributes, where sets of up to M are looked for, scores

    (m - k) (m - k - 1) ... (m - min(M, m - 1))

which is the number of ways in which it can grow to all attributes, but for a constant. A record's
score is the sum over its minimal sets, and an attribute's contribution is the share of the total
score that comes from sets with the attribute.

Sets are visited by size. Only rows of one record can be unique on anything; those unique on a
subset are not minimal (Manning, Haglin and Keane 2008 prune alike). A set on whose subsets all rows
of one record are unique needs no look at the table. Nothing is returned about a single record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.attribute_sets import AttributeSets, check_limit
from roadstead.tables.frequency import FrequencyTable

Flags: TypeAlias = dict[tuple[int, ...], NDArray[np.uint8]]
"""For sets of attributes, which rows are unique on them: packed, eight rows a byte."""


@dataclass(frozen=True)
class CombinationContribution:
    """What a set of attributes adds to the total score.

    Attributes
    ----------
    attributes
        Their names, in the order of the table.
    keys
        Records for which the set is minimal.
    contribution
        Share of the total score; those of all sets add up to 1.
    """

    attributes: tuple[str, ...]
    keys: int
    contribution: float


@dataclass(frozen=True)
class AttributeContribution:
    """What an attribute adds to the total score.

    Attributes
    ----------
    attribute
        Its name.
    keys
        Minimal sample uniques that it is part of.
    average_size
        Their mean number of attributes; 0 where there is none.
    contribution
        Share of the total score from minimal sample uniques with the attribute. These shares add
        up to more than 1, for most minimal sample uniques have several attributes.
    """

    attribute: str
    keys: int
    average_size: float
    contribution: float


@dataclass(frozen=True)
class SpecialUniques:
    """Minimal sample uniques of a table, put together by attribute and by set of attributes.

    Attributes
    ----------
    limit
        The largest number of attributes looked for.
    records, uniques, special
        Records, those unique on all attributes, and those unique on at most `limit`.
    keys, average_size
        Minimal sample uniques, and their mean number of attributes; 0 where there is none.
    sizes
        How many there are of 1, 2, ... attributes.
    highest_score, total_score
        Of a record, and of all records.
    attributes
        In the order of the table.
    combinations
        Sets that are minimal for a record, those that contribute the most first.
    """

    limit: int
    records: int
    uniques: int
    special: int
    keys: int
    average_size: float
    sizes: tuple[int, ...]
    highest_score: float
    total_score: float
    attributes: tuple[AttributeContribution, ...]
    combinations: tuple[CombinationContribution, ...] = field(repr=False)


def special_uniques(table: FrequencyTable, limit: int = 3) -> SpecialUniques:
    """Find all minimal sample uniques up to a size, and what each attribute contributes to them.

    Parameters
    ----------
    table
        Combinations of the attributes with their counts. A missing value is a value like others.
    limit
        The largest number of attributes of a set, at least 1. A limit above the number of
        attributes is that number.

    Raises
    ------
    SettingError
        When the limit is below 1.

    Notes
    -----
    Every set of at most `limit` attributes is looked at, in time linear in the distinct
    combinations.
    """
    check_limit(limit)
    width = len(table.attributes)
    limit = min(limit, width)
    alone = np.flatnonzero(table.counts == 1)
    sets = AttributeSets(table)
    scores = np.zeros(alone.size)
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
            minimal = unique & ~covered
            scores[minimal] += float(set_score(size, width, limit))
            keys[places] = int(np.count_nonzero(minimal))
        below = here
    return _put_together(table, limit, scores, keys)


def set_score(size: int, attributes: int, limit: int) -> int:
    """Score of a minimal set of `size` of the attributes, where sets of up to `limit` are found."""
    return prod(attributes - i for i in range(size, min(limit, attributes - 1) + 1))


def _packed(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack, because the flags of all sets of a size are kept."""
    return np.packbits(flags)


def _covered(places: tuple[int, ...], below: Flags, rows: int) -> NDArray[np.bool_]:
    """Which rows are unique on a set with one attribute less, and so on any subset."""
    subsets = [below[places[:at] + places[at + 1 :]] for at in range(len(places))]
    either = np.bitwise_or.reduce(subsets)
    return np.unpackbits(either, count=rows).astype(np.bool_)


def _put_together(
    table: FrequencyTable,
    limit: int,
    scores: NDArray[np.float64],
    keys: dict[tuple[int, ...], int],
) -> SpecialUniques:
    width = len(table.attributes)
    keys = {places: number for places, number in keys.items() if number}
    weight = {
        places: number * set_score(len(places), width, limit) for places, number in keys.items()
    }
    total, number = sum(weight.values()), sum(keys.values())
    by_weight = sorted(keys, key=lambda places: (-weight[places], len(places), places))
    return SpecialUniques(
        limit=limit,
        records=table.records,
        uniques=scores.size,
        special=int(np.count_nonzero(scores)),
        keys=number,
        average_size=_mean_size(keys),
        sizes=tuple(
            sum(keys[places] for places in keys if len(places) == size)
            for size in range(1, limit + 1)
        ),
        highest_score=float(scores.max(initial=0.0)),
        total_score=float(total),
        attributes=tuple(
            _contribution(
                name, {places: keys[places] for places in keys if at in places}, weight, total
            )
            for at, name in enumerate(table.attributes)
        ),
        combinations=tuple(
            CombinationContribution(
                tuple(table.attributes[at] for at in places), keys[places], weight[places] / total
            )
            for places in by_weight
        ),
    )


def _contribution(
    name: str,
    keys: dict[tuple[int, ...], int],
    weight: dict[tuple[int, ...], int],
    total: int,
) -> AttributeContribution:
    return AttributeContribution(
        attribute=name,
        keys=sum(keys.values()),
        average_size=_mean_size(keys),
        contribution=sum(weight[places] for places in keys) / total if total else 0.0,
    )


def _mean_size(keys: dict[tuple[int, ...], int]) -> float:
    number = sum(keys.values())
    return sum(len(places) * keys[places] for places in keys) / number if number else 0.0
