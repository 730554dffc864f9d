"""Compute the fewest records of a class that contains a block and satisfies a condition.

A block has a number of records of some values, and a class that contains the block has at least as
many. If no value may exceed a share of the class, the class must be large enough for the block's
values. A block makes up at most its own records divided by this least number, as a share of the
class. The shares of the blocks in one class sum to 1. So the number of released classes is at most
the sum of these shares (docs/methods/bounds-of-models.md has the proofs).
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

_MOST_TRIED = 1000
"""Sizes tried for the smallest class under caps."""
_STEPS = 8
_SLACK = 2e-9
"""Like `conditions.SLACK`: no number is too large by rounding."""


def least_under_caps(starts: Whole, codes: NDArray[np.int32], counts: Whole, caps: Real) -> Real:
    """Fewest records of a class in which the values of each block keep below their caps."""
    found: Real = np.maximum.reduceat(counts / caps[codes], starts[:-1]) * (1.0 - _SLACK)
    return found


def smallest_under_caps(caps: Real) -> int:
    """Return the fewest records that whole numbers of each value, up to its cap, can add up to.

    The function returns the least of the numbers that it tries, or else the first number beyond
    them.
    """
    sizes = np.arange(1, _MOST_TRIED)
    room = np.floor(np.minimum(caps, 1.0) * (1.0 + _SLACK) * sizes[:, None]).sum(axis=1)
    fits = np.flatnonzero(room >= sizes)
    return int(sizes[fits[0]]) if fits.size else _MOST_TRIED


def least_near(
    starts: Whole, codes: NDArray[np.int32], counts: Whole, shares: Real, near: float
) -> Real:
    """Fewest records n of a class with each block that is within a total variation of `shares`.

    For any values V, the block has a(V) records. The share a(V) / n may exceed the share of V by at
    most `near`, so n is at least a(V) / (near + share). V are the values that exceed their shares
    in a class of the number found before.
    """
    first = starts[:-1]
    block = np.repeat(np.arange(first.size), np.diff(starts))
    own = shares[codes]
    found: Real = np.add.reduceat(counts, first).astype(np.float64)
    for _ in range(_STEPS):
        over = counts > own * found[block]
        records = np.add.reduceat(np.where(over, counts, 0), first)
        share = np.add.reduceat(np.where(over, own, 0.0), first) + near
        known = records > 0
        found[known] = np.maximum(found[known], (records / np.maximum(share, _SLACK))[known])
    return found * (1.0 - _SLACK)


def least_for_largest(starts: Whole, counts: Whole, share: float) -> Real:
    """Fewest records of a class of which no value may have more than one share."""
    found: Real = np.maximum.reduceat(counts, starts[:-1]) * ((1.0 - _SLACK) / share)
    return found


def most_mixed_share(values: int, least: float) -> float:
    """Return the largest share of one value among values with an entropy of `least`, in nats.

    It is largest if all others are equally frequent: H = h(p) + (1 - p) ln (values - 1), which
    falls from ln values at p = 1 / values to 0 at 1.
    """
    low, high = 1.0 / values, 1.0
    others = log(max(values - 1, 1))
    for _ in range(60):
        share = (low + high) / 2.0
        rest = 1.0 - share
        entropy = -share * log(share) - (rest * log(rest) if rest else 0.0) + rest * others
        low, high = (share, high) if entropy >= least * (1.0 - _SLACK) else (low, share)
    return high
