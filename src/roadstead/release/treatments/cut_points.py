"""Find the ends of a column's intervals. The ends are round numbers between groups.

Each group contains the values of at least k owners. The smallest and the largest value in a group
belong to single people, so these values must not become ends. Each end is the roundest number
between two neighboring groups, and the first and the last interval are open.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.number_text import EXACT, plain_number
from roadstead.policies.treatments.document import MOST_CUTS, Ends
from roadstead.release.treatments.columns import TreatedColumn
from roadstead.release.treatments.groups import NO_GROUP, TreatedRows, grouped

_STEPS = tuple(map(Decimal, (5, 2, 1)))


def ends_of(rows: TreatedRows, at: int, column: TreatedColumn, k: int) -> Ends:
    """Divide a column into intervals that each contain the values of at least k owners."""
    alone = replace(rows, units=np.zeros_like(rows.units), codes=(rows.codes[at],))
    group = grouped(alone, [column], k, whole=False)
    numbers = column.numbers or ()
    inside = group != NO_GROUP
    of_value = np.full(len(numbers), NO_GROUP, dtype=np.int64)
    of_value[rows.codes[at][inside]] = group[inside]
    cuts = [
        roundest_between(numbers[i], numbers[i + 1])
        for i in np.flatnonzero(of_value[1:] != of_value[:-1]).tolist()
    ]
    if len(cuts) > MOST_CUTS:
        raise SettingError(
            f"there would be {len(cuts) + 1:,} intervals, but a policy can have at most "
            f"{MOST_CUTS + 1:,}",
            where=f"{option('treat')} {quoted(column.name)}",
            fix=f"use larger groups, for example, k={k * (len(cuts) // MOST_CUTS + 1)}",
        )
    return Ends(column.name, tuple(map(plain_number, cuts)), column.whole)


def roundest_between(low: Decimal, high: Decimal) -> Decimal:
    """Return the roundest number that is above `low` and at most `high`.

    The number is a multiple of the largest possible step. A step is 1, 2, or 5, multiplied by a
    power of 10.
    """
    power = max(low.adjusted(), high.adjusted(), EXACT.subtract(high, low).adjusted()) + 1
    while True:
        for step in _STEPS:
            size = step.scaleb(power)
            quotient = EXACT.divide(high, size)
            multiple = EXACT.multiply(quotient.to_integral_value("ROUND_FLOOR", EXACT), size)
            if multiple > low:
                return multiple
        power -= 1
