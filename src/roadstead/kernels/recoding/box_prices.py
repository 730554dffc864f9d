"""Prices that records can pay at most, where some sets of them may not pay more than a cost.

The linear program is solved by the primal-dual method of Chambolle and Pock (J. Math. Imaging Vis.
2011) with their diagonal step lengths (ICCV 2011): a few hundred rounds come near the optimum.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Whole, compiled


@compiled
def raise_prices(
    sets: Whole, costs: Real, counts: Whole, caps: Real, prices: Real, duals: Real, rounds: int
) -> None:
    """Raise the sum of prices times counts; `prices` and `duals` are changed in place.

    Each of the `sets`, one a row, should pay at most its cost, and each price be from 0 to its
    cap; the latter is kept, the former is only approached.
    """
    number, k = sets.shape
    weight = 1e-6
    for row in range(counts.size):
        weight += prices[row] / counts.size
    degrees = np.zeros(counts.size)
    load = np.zeros(counts.size)  # the duals of the sets that a point is in
    for one in range(number):
        for at in range(k):
            degrees[sets[one, at]] += 1.0
            load[sets[one, at]] += duals[one]
    ahead = np.empty(counts.size)
    for _ in range(rounds):
        for row in range(counts.size):
            step = weight / max(degrees[row], 1.0)
            new = min(max(prices[row] + step * (counts[row] - load[row]), 0.0), caps[row])
            ahead[row] = 2.0 * new - prices[row]
            prices[row] = new
            load[row] = 0.0
        for one in range(number):
            excess = -costs[one]
            for at in range(k):
                excess += ahead[sets[one, at]]
            dual = max(duals[one] + excess / (k * weight), 0.0)
            duals[one] = dual
            if dual > 0.0:
                for at in range(k):
                    load[sets[one, at]] += dual


@compiled
def highest_in_nodes(first: Whole, last: Whole, left: Whole, prices: Real) -> Real:
    """Highest price in each node of a tree of points."""
    found = np.empty(first.size)
    for node in range(first.size - 1, -1, -1):
        if left[node]:
            found[node] = max(found[left[node]], found[left[node] + 1])
        else:
            found[node] = prices[first[node] : last[node]].max()
    return found
