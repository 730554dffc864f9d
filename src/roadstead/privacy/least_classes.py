"""The fewest records that a class can have which holds a block and satisfies a condition.

A block has so many records of some values, and a class that it comes into has no fewer. Where
values may have no more than a share of the class, it must be large enough for them. The share of
such a class that a block makes up is at most its own records by that least number, and the shares
of the blocks of one class sum to 1: so no more classes can be released than all these sum to
(docs/methods/bounds-of-models.md has the proofs).
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
"""As `conditions.SLACK`: no number is too large by rounding."""


def least_under_caps(starts: Whole, codes: NDArray[np.int32], counts: Whole, caps: Real) -> Real:
    """Fewest records of a class in which the values of each block keep below their caps."""
    found: Real = np.maximum.reduceat(counts / caps[codes], starts[:-1]) * (1.0 - _SLACK)
    return found


def smallest_under_caps(caps: Real) -> int:
    """Fewest records to which whole numbers of each value, up to its cap, can add up.

    Of the numbers tried; else the first beyond.
    """
    sizes = np.arange(1, _MOST_TRIED)
    room = np.floor(np.minimum(caps, 1.0) * (1.0 + _SLACK) * sizes[:, None]).sum(axis=1)
    fits = np.flatnonzero(room >= sizes)
    return int(sizes[fits[0]]) if fits.size else _MOST_TRIED


def least_near(
    starts: Whole, codes: NDArray[np.int32], counts: Whole, shares: Real, near: float
) -> Real:
    """Fewest records n of a class with each block that is within a total variation of `shares`.

    Of any values V the block has a(V) records, and a(V) / n may exceed their share by `near` at
    most, so n is at least a(V) / (near + share). V are those that exceed theirs in a class of the
    number found before.
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
    """Largest share of one of some values among which there is an entropy of `least`, in nats.

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
