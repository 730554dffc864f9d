"""First fit over patterns where the privacy model looks at more than the number of records."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roadstead.search.recoding.cells.at_levels import Levelled
from roadstead.search.recoding.cells.pools import Fit, bits
from roadstead.search.recoding.protocol import OUT, Parts, classes_of


def placed_by_model(levelled: Levelled, fit: Fit, stopped: Callable[[], bool]) -> Parts:
    """Walk the patterns of a fit; the classes that keep the privacy model stay.

    Told to stop, it walks on over the last pattern alone, which suppresses all that can be.
    """
    problem, under = levelled.problem, fit.under
    counts = problem.encoding.counts
    order = np.argsort(bits(fit.patterns, under.prices.size) @ under.prices, kind="stable")
    left = np.arange(under.counts.size)
    target = under.target
    found: list[NDArray[np.int32]] = []
    for number, pattern in enumerate(fit.patterns[order]):
        if not left.size:
            break
        if stopped() and number < order.size - 1:
            continue
        sums = under.rows.full[left].copy()
        for at in under.free:
            if pattern >> at & 1:
                sums += under.rows.change[at, left]
        _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
        large = np.bincount(inverse, under.counts[left]) >= problem.k
        if not large.any():
            continue
        numbers = np.where(large, np.cumsum(large) - 1, OUT).astype(np.int32)[inverse]
        of_row = np.full(under.counts.size + 1, OUT, dtype=np.int32)  # the last for rows of nobody
        of_row[left] = numbers
        kept = problem.privacy.satisfied(classes_of(of_row[target], counts, int(large.sum())))
        rows = left[first[large][kept]].astype(np.int32)
        found.append(levelled.parts(under, np.full(rows.size, pattern), rows))
        left = left[(numbers == OUT) | ~kept[numbers]]
    if not found:
        return np.empty((0, len(under.levels), 2), dtype=np.int32)
    return np.concatenate(found)
