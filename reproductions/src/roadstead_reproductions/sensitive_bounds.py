"""Use integer programs to bound how many records of each row have each sensitive value.

Let x_rs be the number of records in row r that have value s, and let z_gs indicate whether group g
has value s. The constraints are as follows. The numbers of a row add up to the records in the row.
The numbers of a value add up to the records in the class with this value. A group that was rejected
as a class has fewer than l values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.bounds import CountBounds, Counts, extremes
from roadstead.attacks.recodings.refinement import MOST_CELLS, MOST_CLASSES, Refinement
from roadstead.attacks.recodings.sensitive import Column
from roadstead.attacks.recodings.view import PublishedView, Truth, drawn_classes


def refine_sensitive(
    view: PublishedView,
    truth: Truth,
    column: Column,
    least: int,
    refused: Iterable[NDArray[np.int64]],
    *,
    most_classes: int = MOST_CLASSES,
    seed: int = 0,
) -> Refinement:
    """Bound the sensitive values of rows in classes that contain rejected groups."""
    flags: dict[int, list[NDArray[np.int64]]] = {}
    for group in refused:
        own = truth.rows[group]
        for number in np.unique(own).tolist():
            flags.setdefault(number, []).append(group[own == number])
    shown = column.by_class(truth.rows, view.classes)
    found = Refinement()
    for number in drawn_classes(np.array(sorted(flags), dtype=np.int64), most_classes, seed):
        rows = np.flatnonzero(truth.rows == number)
        values = np.flatnonzero(shown[number])
        groups = [np.isin(rows, group) for group in flags[number]]
        if rows.size * values.size > MOST_CELLS:
            continue
        found.classes += 1
        bounds = bounds_of_sensitive(truth.counts[rows], shown[number][values], groups, least)
        if bounds is None:
            found.contradictory += 1
        else:
            found.add(bounds, column.counts[np.ix_(rows, values)])
    return found


def bounds_of_sensitive(
    records: Counts, totals: Counts, refused: Sequence[NDArray[np.bool_]], least: int
) -> CountBounds | None:
    """Bound how many records in each row have each sensitive value.

    The bounds have the shape ``(rows, values)``. `records` gives the number of records in each row.
    `totals` gives the number of records in the class with each value. Each of the `refused` groups
    marks some rows that together have fewer than `least` values.
    """
    number, values = records.size, totals.size
    wide = number * values
    total = wide + len(refused) * values
    rows, low, high = [], [], []

    def add(entries: dict[int, float], least_sum: float, most_sum: float) -> None:
        row = np.zeros(total)
        for place, factor in entries.items():
            row[place] = factor
        rows.append(row)
        low.append(least_sum)
        high.append(most_sum)

    for r, of_row in enumerate(records.tolist()):
        add({r * values + s: 1.0 for s in range(values)}, of_row, of_row)
    for s, of_value in enumerate(totals.tolist()):
        add({r * values + s: 1.0 for r in range(number)}, of_value, of_value)
    for g, flags in enumerate(refused):
        first = wide + g * values
        add({first + s: 1.0 for s in range(values)}, 0.0, least - 1.0)
        for r in np.flatnonzero(flags).tolist():
            for s in range(values):
                room = float(min(records[r], totals[s]))
                add({r * values + s: 1.0, first + s: -room}, -np.inf, 0.0)
    most = np.concatenate(
        [np.minimum.outer(records, totals).reshape(-1), np.ones(total - wide)]
    ).astype(np.float64)
    found = extremes(np.eye(wide, total), np.stack(rows), np.array(low), np.array(high), most)
    if found is None:
        return None
    return CountBounds(found.low.reshape(number, values), found.high.reshape(number, values))
