"""Turn a noisy margin of one variable into non-negative shares with less noise.

If the values have no order, the result consists of the nearest non-negative shares that have the
right sum (projection onto a simplex, as in ``synthesis``). If the values have an order, an interval
is halved repeatedly. If the halves differ by `x`, and the variance of the noise in `x` is `v`, the
difference is multiplied by ``max(0, 1 - 2 v / x**2)`` (James and Stein's shrinkage of a Haar
wavelet, but twice as strict). The shares are averaged over grids that begin at different positions
(Coifman and Donoho 1995, "Translation-invariant de-noising").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STRICT = 2.0
_GRIDS = 16

Floats = NDArray[np.float64]


def shares(noisy: Floats, total: float, variance: float, *, ordered: bool) -> Floats:
    """Estimate the share of each value from noisy counts with a known variance of the noise."""
    moved = noisy + (total - noisy.sum()) / noisy.size
    found = _in_order(moved, variance) if ordered else _nearest(moved, total)
    return np.asarray(found / found.sum())


def _nearest(counts: Floats, total: float) -> Floats:
    """Return the nearest non-negative counts that have a given positive sum."""
    sizes = np.sort(counts)[::-1]
    level = (np.cumsum(sizes) - total) / np.arange(1, sizes.size + 1)
    left = int(np.flatnonzero(sizes > level)[-1])
    return np.asarray(np.maximum(counts - level[left], 0))


def _in_order(counts: Floats, variance: float) -> Floats:
    """Return the average over grids of halves that begin at different positions."""
    # A grid is at least twice as wide as the values, so each shifted grid covers all values.
    width = 2 << (counts.size - 1).bit_length()
    begins = sorted({-(width * at // (2 * _GRIDS)) for at in range(_GRIDS)})
    sums = np.concatenate(([0.0], np.cumsum(counts)))
    found = [_halved(sums, variance, begin, width) for begin in begins]
    return np.asarray(np.mean(found, axis=0))


def _halved(sums: Floats, variance: float, first: int, width: int) -> Floats:
    """Repeatedly halve an interval around the values. `sums` gives the sum before each place."""
    size = sums.size - 1
    found = np.zeros(size)
    waiting = [(first, first + width, max(float(sums[-1]), 1.0))]
    while waiting:
        begin, end, total = waiting.pop()
        middle = (begin + end) // 2
        low, cut, high = (min(max(at, 0), size) for at in (begin, middle, end))
        if high - low <= 1:
            found[low:high] = total
            continue
        share = (cut - low) / (high - low)
        left, right = float(sums[cut] - sums[low]), float(sums[high] - sums[cut])
        more = left * (1 - share) - right * share
        noise = variance * ((cut - low) * (1 - share) ** 2 + (high - cut) * share**2)
        kept = more * max(0.0, 1 - _STRICT * noise / more**2) if more else 0.0
        half = min(max(total * share + kept, 0.0), total)
        waiting += [(begin, middle, half), (middle, end, total - half)]
    return found
