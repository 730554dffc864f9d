"""Compute what an attacker learns from the fact that a record's class is as small as possible.

The attacker assumes that the n records in a class were drawn independently, and that each value has
a probability p. The module computes the exact probability of each value of one attribute, given one
of two facts. If a fact is impossible for a class, the probabilities remain unchanged.

*tight*: no narrower box contains the class. An interval has a record at each end, and a node has
records in at least two children.

*minimal*: the class does not contain a cheaper class. No child of a node has k records. No cut of
an interval leaves k records on each side. So there is a value with fewer than k records below it,
and fewer than k above it.
"""

from __future__ import annotations

from math import e, lgamma

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.view import Reals

Groups = NDArray[np.int64]
"""The child of the node, or the position on the axis, that contains each value."""


def tight(chances: Reals, groups: Groups, records: int, *, intervals: bool) -> Reals:
    """Return the probability of each value, given that no narrower box contains the class."""
    _, place = np.unique(groups, return_inverse=True)
    by_group = np.bincount(place, chances).astype(np.float64)
    others = max(records - 1, 0)
    if by_group.size == 1:
        return chances
    if intervals:
        low, high = by_group[0], by_group[-1]
        no_low, no_high = (1.0 - low) ** others, (1.0 - high) ** others
        neither = max(1.0 - low - high, 0.0) ** others
        event = np.full(by_group.size, 1.0 - no_low - no_high + neither)
        event[0], event[-1] = 1.0 - no_high, 1.0 - no_low
    else:
        event = 1.0 - by_group**others
    return _given(chances, event[place])


def minimal(chances: Reals, groups: Groups, records: int, k: int, *, intervals: bool) -> Reals:
    """Return the probability of each value, given that no cheaper class of k records exists."""
    _, place = np.unique(groups, return_inverse=True)
    by_group = np.bincount(place, chances).astype(np.float64)
    if by_group.size == 1 or not records:
        return chances
    event = _uncut(by_group, records, k) if intervals else _crowded(by_group, records, k)
    return _given(chances, event[place])


def _given(chances: Reals, event: Reals) -> Reals:
    """Multiply the prior probabilities by the likelihoods, unless the event is impossible."""
    weighed = chances * np.maximum(event, 0.0)
    total = float(weighed.sum())
    return weighed / total if total > 0.0 else chances


def _crowded(chances: Reals, records: int, k: int) -> Reals:
    """Return a multiple of the probability that no group has k records, given one record's group.

    Let f_q(t) be the sum of (p_q t)^i / i! over i < k. The probability is n! times the coefficient
    of t^n in the product of all f_q. If one record is known to be in group q, n - 1 records remain,
    and at most k - 2 of them may be in q.
    """
    least = -(-records // max(k - 1, 1))
    if k < 2 or np.count_nonzero(chances) < least:  # noqa: PLR2004 - with k of 1 each record is a class
        return np.zeros_like(chances)
    # Dividing t by a constant changes all coefficients by one factor, and prevents underflow.
    chances = chances * (records / e)
    series = [_truncated(p, k - 1, records) for p in chances]
    found = np.empty_like(chances)
    before = [_one(records)]
    for own in series[:-1]:
        before.append(_times(before[-1], own))
    after = _one(records)
    for at in range(chances.size - 1, -1, -1):
        left = _times(before[at], _truncated(chances[at], k - 2, records))
        found[at] = left[records - 1 :: -1] @ after[:records]  # the coefficient of their product
        after = _times(after, series[at])
    return found


def _truncated(chance: float, most: int, records: int) -> Reals:
    """Return the Taylor series of exp(p t) up to the power `most`, without zeros at the end."""
    found = np.zeros(min(most, records) + 1)
    term = 1.0
    for power in range(min(most, records) + 1):
        found[power] = term
        term *= chance / (power + 1)
    return found


def _one(records: int) -> Reals:
    found = np.zeros(records + 1)
    found[0] = 1.0
    return found


def _times(one: Reals, other: Reals) -> Reals:
    """Multiply two series, the second of which is short, up to the highest power of the first."""
    return np.asarray(np.convolve(one, other)[: one.size])


def _uncut(chances: Reals, records: int, k: int) -> Reals:
    """Return the probability that no cut leaves k records on each side.

    The probability is computed for each possible position of one record. If n <= 2k - 2, or if all
    records are at one position, no such cut exists. Otherwise, exactly one position v has fewer
    than k records below v and fewer than k records above v. The function adds up the probabilities
    of all positions v.
    """
    if records <= 2 * k - 2:
        return np.ones_like(chances)
    below = np.concatenate([[0.0], np.cumsum(chances)[:-1]])
    inside = (below, chances, np.maximum(1.0 - below - chances, 0.0))
    # The one record is below v, at v, or above v. The other records leave room for it.
    less, same, more = (
        _within(inside, records - 1, k - 1 - (side == 0), k - 1 - (side == 2))  # noqa: PLR2004 - below, at, above
        for side in range(3)
    )
    after = np.cumsum(less[::-1])[::-1] - less
    return np.asarray(after + same + np.cumsum(more) - more)


def _within(chances: tuple[Reals, Reals, Reals], records: int, low: int, high: int) -> Reals:
    """Return the probability that at most `low` records are below, and at most `high` are above.

    The numbers of records below, at, and above a position have a multinomial distribution, so only
    ``low * high`` of its terms are needed. Using logarithms of the terms prevents underflow for
    large classes.
    """
    with np.errstate(divide="ignore"):
        below, same, above = (np.log(one) for one in chances)
    found = np.zeros_like(chances[0])
    for first in range(min(low, records) + 1):
        for last in range(min(high, records - first) + 1):
            rest = records - first - last
            ways = lgamma(records + 1) - lgamma(first + 1) - lgamma(last + 1) - lgamma(rest + 1)
            powers = zip((first, rest, last), (below, same, above), strict=True)
            found += np.exp(ways + sum(power * log for power, log in powers if power))
    return found
