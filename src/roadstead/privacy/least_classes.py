"""Compute the smallest size of a valid class that contains a block.

A block's share of its class is at most the block's size divided by this smallest size. The shares
of the blocks in a class add up to 1. So the sum of the quotients of all blocks is an upper bound on
the number of released classes (docs/methods/bounds-of-models.md has the proofs).
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

_MOST_TRIED = 1000
"""The number of sizes to try when searching for the smallest class under caps."""
_STEPS = 8
_SLACK = 2e-9
"""The tolerance that prevents rounding errors from making a bound too large."""


def least_under_caps(starts: Whole, codes: NDArray[np.int32], counts: Whole, caps: Real) -> Real:
    """Return the smallest class size at which each block's values are within their caps."""
    found: Real = np.maximum.reduceat(counts / caps[codes], starts[:-1]) * (1.0 - _SLACK)
    return found


def smallest_under_caps(caps: Real) -> int:
    """Return the smallest class size that can be filled without exceeding the caps of the values.

    If no size below `_MOST_TRIED` can be filled, the function returns `_MOST_TRIED`.
    """
    sizes = np.arange(1, _MOST_TRIED)
    room = np.floor(np.minimum(caps, 1.0) * (1.0 + _SLACK) * sizes[:, None]).sum(axis=1)
    fits = np.flatnonzero(room >= sizes)
    return int(sizes[fits[0]]) if fits.size else _MOST_TRIED


def least_near(
    starts: Whole, codes: NDArray[np.int32], counts: Whole, shares: Real, near: float
) -> Real:
    """Return the smallest class size n that keeps each block within `near` of `shares`.

    For a set of values V, let a(V) be the number of the block's records whose value is in V. Their
    share of the class, a(V) / n, may exceed the share of V by at most `near`, so n is at least a(V)
    / (near + share). In each step, V is the set of values that exceed their shares at the size from
    the previous step.
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
    """Return the smallest class size at which no value in a block has a share above `share`."""
    found: Real = np.maximum.reduceat(counts, starts[:-1]) * ((1.0 - _SLACK) / share)
    return found


def most_mixed_share(values: int, least: float) -> float:
    """For an entropy of at least `least` nats, return the largest share that a value can have.

    The share p is largest if all other values are equally frequent. The entropy is then H = h(p) +
    (1 - p) ln(values - 1), which falls from ln(values) at p = 1 / values to 0 at p = 1.
    """
    low, high = 1.0 / values, 1.0
    others = log(max(values - 1, 1))
    for _ in range(60):
        share = (low + high) / 2.0
        rest = 1.0 - share
        entropy = -share * log(share) - (rest * log(rest) if rest else 0.0) + rest * others
        low, high = (share, high) if entropy >= least * (1.0 - _SLACK) else (low, share)
    return high
