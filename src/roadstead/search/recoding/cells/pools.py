"""Select the patterns to try under a vector of levels.

With few attributes, all patterns are tried. With many attributes, only two kinds of patterns are
tried: the cheapest patterns, and the patterns that sampled rows need in order to be in a class of k
records. These rows are first sampled from the whole table, and then from the rows for which only
the most expensive pattern, or no pattern, was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.patterns import cheap_pattern, first_fit
from roadstead.search.recoding.cells.at_levels import AtLevels, Levelled, cheapest_patterns
from roadstead.search.recoding.protocol import OUT, Parts, classes_of

_MOST_FREE = 11
"""With at most this many attributes, all patterns are tried."""
_CHEAPEST = 256
_ASKED = 96
"""The number of rows to sample per round."""
_ROUNDS = 3
_STEPS_AROUND = 3_000_000
"""The remaining work per round takes about as long as this many steps."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of first fit under a vector of levels.

    `patterns` are in ascending order of price. `chosen` gives the index of each row's pattern, or
    -1 if the row is suppressed. `loss` is the sum over records, or infinity if the fit was
    abandoned. `steps` is the number of (row, pattern) pairs that were examined. `whole` indicates
    whether the list of patterns is complete.
    """

    under: AtLevels
    patterns: NDArray[np.int64]
    chosen: NDArray[np.int32]
    loss: float
    steps: int
    whole: bool


def fitted(under: AtLevels, k: int, most: float) -> Fit:
    """Assign rows by first fit over patterns, and abandon the fit if the loss reaches `most`."""
    if len(under.free) <= _MOST_FREE:
        patterns, _ = cheapest_patterns(under.free, under.prices, 1 << _MOST_FREE)
        return _walk(under, patterns, k, most, whole=True)
    patterns, _ = cheapest_patterns(under.free, under.prices, _CHEAPEST)
    everything = np.array([sum(1 << at for at in under.free)], dtype=np.int64)
    left = np.arange(under.counts.size)
    steps = 0
    pool = np.union1d(patterns, everything)
    for _ in range(_ROUNDS):
        pool = np.union1d(pool, _needed(under, left, k))
        steps += _STEPS_AROUND + _ASKED * left.size
        fit = _walk(under, _sorted(under, pool), k, most, whole=False)
        steps += fit.steps
        if fit.loss == np.inf:
            break
        dear = fit.patterns[fit.chosen] == everything[0]
        left = np.flatnonzero(dear | (fit.chosen < 0))
        if left.size <= under.counts.size // 100:
            break
    return Fit(under, fit.patterns, fit.chosen, fit.loss, steps, whole=False)


def bits(patterns: NDArray[np.int64], attributes: int) -> NDArray[np.float64]:
    """Return the attributes that each pattern suppresses, in shape ``(patterns, attributes)``."""
    return ((patterns[:, None] >> np.arange(attributes)) & 1).astype(np.float64)


def placed_by_model(levelled: Levelled, fit: Fit, stopped: Callable[[], bool]) -> Parts:
    """Try the patterns of a fit, and return the classes that satisfy the privacy model.

    If the search is stopped, the function still tries the last pattern, which suppresses everything
    that can be suppressed.
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
        of_row = np.full(
            under.counts.size + 1, OUT, dtype=np.int32
        )  # the last entry is for rows that represent no people
        of_row[left] = numbers
        kept = problem.privacy.satisfied(classes_of(of_row[target], counts, int(large.sum())))
        rows = left[first[large][kept]].astype(np.int32)
        found.append(levelled.parts(under, np.full(rows.size, pattern), rows))
        left = left[(numbers == OUT) | ~kept[numbers]]
    if not found:
        return np.empty((0, len(under.levels), 2), dtype=np.int32)
    return np.concatenate(found)


def _sorted(under: AtLevels, patterns: NDArray[np.int64]) -> NDArray[np.int64]:
    price = bits(patterns, under.prices.size) @ under.prices
    return patterns[np.lexsort((patterns, np.round(price, 12)))]


def _walk(under: AtLevels, patterns: NDArray[np.int64], k: int, most: float, *, whole: bool) -> Fit:
    added = bits(patterns, under.least.size) @ under.least
    least = np.minimum.accumulate(added[::-1])[::-1].copy()
    chosen, loss, steps = first_fit(under.rows, patterns, least, k, most)
    return Fit(under, patterns, chosen, loss, steps, whole)


def _needed(under: AtLevels, left: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the patterns that a regular sample of the remaining rows needs."""
    if not left.size:
        return np.empty(0, dtype=np.int64)
    numbers = np.ascontiguousarray(under.numbers[:, left])
    counts = under.counts[left]
    asked = np.unique(np.linspace(0, left.size - 1, min(_ASKED, left.size)).astype(np.int64))
    found = [cheap_pattern(numbers, counts, int(row), under.prices, k) for row in asked]
    return np.unique(np.array([pattern for pattern in found if pattern >= 0], dtype=np.int64))
