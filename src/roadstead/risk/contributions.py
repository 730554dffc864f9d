"""What each quasi-identifier contributes to records being unique, and which combinations do.

The smallest combinations that single records out are found up to three columns; with very many
columns up to two or one, as their number grows with a power of that of the columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roadstead.risk.separation import separations
from roadstead.risk.special_uniques import Combination, special_uniques
from roadstead.tables.frequency import FrequencyTable

_SHOWN = 10
_COLUMNS = {3: 30, 2: 120}
"""The most columns for which combinations of so many are looked at."""


@dataclass(frozen=True)
class Contribution:
    """What a quasi-identifier contributes to records being unique.

    `contribution` and `keys` are those of `AttributeContribution`, `separation` is the share of all
    pairs of records that it tells apart by itself, `uniques_without` are the records that would be
    unique if nobody knew it.
    """

    attribute: str
    contribution: float
    keys: int
    separation: float
    uniques_without: int


def largest_combination(columns: int) -> int:
    """Give how many columns the combinations have at most that are looked at."""
    fitting = [size for size, most in _COLUMNS.items() if columns <= most]
    return min(max(fitting, default=1), columns)


def contributions_of(
    table: FrequencyTable,
) -> tuple[tuple[Contribution, ...], tuple[Combination, ...]]:
    """Find what the attributes of a table contribute, and the combinations that contribute most.

    Both in descending order. Rows of people who are not in the table do not count.
    """
    there = table.counts > 0
    recorded = FrequencyTable(
        table.attributes,
        table.domains,
        tuple(column[there] for column in table.codes),
        table.counts[there],
    )
    found = special_uniques(recorded, largest_combination(len(table.attributes)))
    alone = {one.attributes[0]: one.separation for one in separations(recorded, 1)}
    contributions = [
        Contribution(
            one.attribute,
            one.contribution,
            one.keys,
            alone[one.attribute],
            _uniques_without(recorded, one.attribute),
        )
        for one in found.attributes
    ]
    contributions.sort(key=lambda one: (-one.contribution, one.uniques_without))
    return tuple(contributions), found.combinations[:_SHOWN]


def _uniques_without(table: FrequencyTable, attribute: str) -> int:
    """Count the records that would be unique if nobody knew the attribute."""
    others = [name for name in table.attributes if name != attribute]
    if not table.distinct:
        return 0
    if not others:
        return int(table.records == 1)
    return int(np.count_nonzero(table.project(others).counts == 1))
