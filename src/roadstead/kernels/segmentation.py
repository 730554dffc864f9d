"""Find the best partition of one ordered attribute while all other attributes are fixed.

A class belongs to one *group* (a combination of the other attributes' intervals), and to one
interval of this attribute. As a result, each interval has a separate cost, and the cheapest
partition is a shortest path whose steps are intervals (`cheapest`). `interval_sums` computes the
costs of all intervals together by second differences.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Whole, compiled

VALUE, RECORDS, PEOPLE = range(3)
"""The indices of the rows in an array of cells."""


@compiled
def _weight(people: int, small: Real, scale: float, power: float) -> float:
    """Return the weight of a record, given its number of people."""
    if people < small.size:
        return float(small[people])
    if power == 1.0:
        return scale / people
    return float(scale * people**-power)


@compiled
def _sum_up(changes: Real) -> Real:
    """Replace the change of each interval by the sum of the changes of all intervals inside it."""
    size = changes.shape[0]
    for first in range(size - 1, -1, -1):
        so_far = 0.0
        for last in range(first, size):
            so_far += changes[first, last]
            changes[first, last] = so_far
            if first + 1 <= last:
                changes[first, last] += changes[first + 1, last]
    return changes


@compiled
def interval_sums(
    starts: Whole, cells: Whole, size: int, by_class: Real, small: Real, scale: float, power: float
) -> Real:
    """Return the sum of each interval's terms over groups, by the first and the last value.

    If `by_class` is not empty, it gives the term for each number of records in the interval, and
    every cell must have records. Otherwise, the term is the weight of the records, in the form of
    `roadstead.risk.measures.Weights`. `cells` contains the value, the number of records, and the
    number of people of each cell, with the shape ``(3, cells)``. The values are in ascending order
    in each group. `starts` gives the first cell of each group.
    """
    values, records, people = cells[VALUE], cells[RECORDS], cells[PEOPLE]
    changes = np.zeros((size, size))
    shorter = np.zeros(size)
    for group in range(starts.size - 1):
        begin, end = starts[group], starts[group + 1]
        shorter[: end - begin] = 0.0
        next_record = end
        for first in range(end - 1, begin - 1, -1):
            if records[first] > 0:
                next_record = first
            alike, own = 0, 0
            for cell in range(first, min(next_record, end)):
                alike += people[cell]
            term, before, row = 0.0, 0.0, values[first]
            for last in range(next_record, end):
                alike += people[last]
                own += records[last]
                if by_class.size:
                    longer = by_class[own]
                else:
                    longer = own * _weight(alike, small, scale, power)
                other = shorter[last - begin]
                changes[row, values[last]] += (longer - term) - (other - before)
                shorter[last - begin] = longer
                term, before = longer, other
    return _sum_up(changes)


@compiled
def cheapest(risks: Real, losses: Real, price: float) -> tuple[Real, Whole]:
    """Find the partition with the lowest value of risk + price * loss.

    `risks` and `losses` are indexed by the first and the last value of an interval. The function
    returns the lowest cost of dividing the values before each value, with the shape ``(size +
    1,)``. It also returns the first value of the last interval in each of these divisions. Among
    intervals of equal cost, the longest interval is taken.
    """
    size = risks.shape[0]
    best = np.full(size + 1, np.inf)
    source = np.zeros(size + 1, np.int64)
    best[0] = 0.0
    for first in range(size):
        for last in range(first, size):
            cost = best[first] + (risks[first, last] + price * losses[first, last])
            if cost < best[last + 1]:
                best[last + 1] = cost
                source[last + 1] = first
    return best, source
