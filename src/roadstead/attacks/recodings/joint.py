"""Draw conclusions from several groups in a class, each of which was rejected as a class.

Suppose, for example, that all men in a class have the same value, and that all women have the same
value. Otherwise, the men and the women would be separate classes. A single group does not determine
the value of its members. Both groups together may determine these values if the frequency of each
value in the class is known. An *atom* consists of the records that are in the same groups. The
search distributes the values of the class over its atoms, one atom after another, and drops a
distribution as soon as a group has too many values.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.view import Reals

Counts = NDArray[np.int64]

MOST_WAYS = 20_000
"""The largest number of ways to divide a class in two that the search examines."""
_MOST_STATES = 5_000


def divisions(totals: Counts, size: int) -> tuple[Counts, Reals]:
    """Return ways to take `size` records out of a class, and the probability of each way.

    A way states how many records with each value are taken. If there are more than `MOST_WAYS`
    ways, this number of ways is drawn with a fixed seed.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - heavy

    ways = np.zeros((1, 0), dtype=np.int64)
    behind = np.append(np.cumsum(totals[::-1])[::-1][1:], 0)
    for total, later in zip(totals.tolist(), behind.tolist(), strict=True):
        taken = ways.sum(axis=1)
        low = np.maximum(size - taken - later, 0)
        high = np.minimum(total, size - taken)
        number = high - low + 1
        if number.sum() > MOST_WAYS:
            chance = np.random.default_rng(size)
            drawn = chance.multivariate_hypergeometric(totals, size, MOST_WAYS, method="marginals")
            return drawn, np.full(MOST_WAYS, 1.0 / MOST_WAYS)
        base = np.repeat(ways, number, axis=0)
        starts = np.repeat(np.cumsum(number) - number, number)
        values = np.repeat(low, number) + np.arange(number.sum()) - starts
        ways = np.column_stack([base, values])
    logs = (gammaln(totals + 1.0) - gammaln(ways + 1.0) - gammaln(totals - ways + 1.0)).sum(axis=1)
    weights = np.exp(logs - logs.max())
    return ways, weights / weights.sum()


def atoms_of(groups: Sequence[NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Return the atom of each row in a class. Each group marks some of the rows."""
    _, atoms = np.unique(np.stack(groups, axis=1), axis=0, return_inverse=True)
    return np.asarray(atoms.reshape(-1), dtype=np.int64)


def share_of_all(
    totals: Counts, records: Counts, groups: Sequence[NDArray[np.bool_]], least: int
) -> Reals | None:
    """Return each value's expected share in each row if all groups have fewer than `least` values.

    `totals` gives the number of records in the class with each value. `records` gives the number of
    records in each row. Each of the `groups` marks some of the rows. The result has the shape
    ``(rows, values)``. The function returns None if no distribution is possible, or if there are
    too many.
    """
    if prod(int(total) + 1 for total in totals) > MOST_WAYS:
        return None
    atoms = atoms_of(groups)
    number = int(atoms.max()) + 1
    sizes = np.bincount(atoms, records, minlength=number).astype(np.int64)
    has = np.array([[bool(group[atoms == atom][0]) for atom in range(number)] for group in groups])
    order = np.argsort(-has.sum(axis=0), kind="stable")
    dealt, weights = np.zeros((1, number, totals.size), dtype=np.int64), np.ones(1)
    for atom in order.tolist():
        found, chances = [], []
        left = totals - dealt.sum(axis=1)
        for state, rest, weight in zip(dealt, left, weights, strict=True):
            ways, likely = divisions(rest, int(sizes[atom]))
            own = np.repeat(state[None], likely.size, axis=0)
            own[:, atom] = ways
            fine = np.ones(likely.size, dtype=np.bool_)
            for members in has[has[:, atom]]:
                fine &= (own[:, members].sum(axis=1) > 0).sum(axis=1) < least
            found.append(own[fine])
            chances.append(weight * likely[fine])
        dealt, weights = np.concatenate(found), np.concatenate(chances)
        if not weights.size or weights.size > _MOST_STATES:
            return None
    shares = np.einsum("s,sav->av", weights, dealt) / (weights.sum() * sizes[:, None])
    return np.asarray(shares[atoms])
