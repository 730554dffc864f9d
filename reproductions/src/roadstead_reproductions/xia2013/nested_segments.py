"""Compute the lowest cost of cutting a grid into slabs, and each slab into its own pieces.

A grid contains the numbers of records and people for each pair of values of two ordered attributes.
The grid is cut into slabs along the first attribute, and each slab is cut along the second
attribute in its own way. A policy cuts all slabs in the same way, so the lowest cost is a lower
bound for all policies.

Values without records may belong to the previous or to the next interval. The number of these
values is approximated in steps: none, 1, 2 to 3, 4 to 7, and so on. In each step, the width is
computed from the smallest number of values, and the number of people is computed from the largest
number of values on either side. Two intervals may include the same values. All of these
approximations can only lower the bound.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled

Whole: TypeAlias = NDArray[np.int64]
Table: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = tuple[Table, float, float]
"""The table, scale, and power of a `roadstead.risk.measures.Weights` object."""


@compiled
def least_of_row(
    records: Whole,
    people: Whole,
    weights: Weights,
    by_class: Table,
    by_width: Table,
    prices: Table,
) -> Table:
    """Return the lowest cost of cutting one row for each price of loss, in units of risk.

    `records` and `people` are counts by value. `weights` is the risk of a record by the number of
    matching people. `by_class` is the loss of a class by its records. `by_width` is the loss of
    each record by the number of values in its interval.
    """
    small, scale, power = weights
    places = np.flatnonzero(records)
    found = places.size
    best = np.full((found + 1, prices.size), np.inf)
    best[0] = 0.0
    until = np.zeros(records.size + 1, np.int64)
    for value in range(records.size):
        until[value + 1] = until[value] + people[value]
    for first in range(found):
        begin = places[first]
        spare_before = begin - (places[first - 1] + 1 if first > 0 else 0)
        own = 0
        for last in range(first, found):
            own += records[places[last]]
            end = places[last] + 1
            spare_after = (places[last + 1] if last + 1 < found else records.size) - end
            fewest, most = 0, 0
            while True:
                before, after = min(most, spare_before), min(most, spare_after)
                alike = until[end + after] - until[begin - before]
                if alike < small.size:
                    risk = own * small[alike]
                elif power == 1.0:
                    risk = own * scale / alike
                else:
                    risk = own * scale * alike**-power
                loss = by_class[own] + own * by_width[end - begin + fewest]
                for number in range(prices.size):
                    cost = best[first, number] + (risk + prices[number] * loss)
                    best[last + 1, number] = min(best[last + 1, number], cost)
                if before == spare_before and after == spare_after:
                    break
                fewest, most = most + 1, 2 * most + 1
    least: Table = best[-1].copy()
    return least


@compiled
def least_of_grid(
    records: Whole,
    people: Whole,
    weights: Weights,
    by_class: Table,
    by_slab_width: Table,
    by_width: Table,
    prices: Table,
) -> Table:
    """Return the lowest cost of cutting a grid into slabs, and cutting each slab separately.

    The first axis of `records` and `people` is the attribute along which slabs are cut.
    `by_slab_width` is the loss of each record by the number of values in its slab. All other
    arguments are the same as in `least_of_row`.
    """
    totals = records.sum(axis=1)
    places = np.flatnonzero(totals)
    found = places.size
    best = np.full((found + 1, prices.size), np.inf)
    best[0] = 0.0
    until = np.zeros((records.shape[0] + 1, records.shape[1]), np.int64)
    for value in range(records.shape[0]):
        until[value + 1] = until[value] + people[value]
    for first in range(found):
        own = np.zeros(records.shape[1], np.int64)
        begin = places[first]
        spare_before = begin - (places[first - 1] + 1 if first > 0 else 0)
        count = 0
        for last in range(first, found):
            own += records[places[last]]
            count += totals[places[last]]
            end = places[last] + 1
            spare_after = (places[last + 1] if last + 1 < found else records.shape[0]) - end
            fewest, most = 0, 0
            while True:
                before, after = min(most, spare_before), min(most, spare_after)
                alike = until[end + after] - until[begin - before]
                row = least_of_row(own, alike, weights, by_class, by_width, prices)
                loss = count * by_slab_width[end - begin + fewest]
                for number in range(prices.size):
                    cost = best[first, number] + (row[number] + prices[number] * loss)
                    best[last + 1, number] = min(best[last + 1, number], cost)
                if before == spare_before and after == spare_after:
                    break
                fewest, most = most + 1, 2 * most + 1
    least: Table = best[-1].copy()
    return least
