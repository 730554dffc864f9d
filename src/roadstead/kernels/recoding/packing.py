"""A packing problem by a first-order method: prices that add up to much and exceed no column.

The sum of counts times prices is to be large. Each price has a lowest and a highest value, and for
each column, a set of rows with how many of each, the prices add up to at most its size times its
cost. Primal-dual hybrid gradient (Chambolle and Pock 2011) with the diagonal steps of Pock and
Chambolle (ICCV 2011, lemma 2, alpha = 1). What the later half of the turns come to on average is
nearer to the optimum than the last turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled


class Packing(NamedTuple):
    """Counts and limits of prices, and columns: ends, costs, rows and how many of each row.

    `weights` are the columns' multipliers: how often each is taken in the problem that this one
    bounds. They are improved in place.
    """

    counts: Whole
    lowest: Real
    highest: Real
    ends: Whole
    costs: Real
    rows: Small
    many: Small
    weights: Real


@compiled
def ascend(packing: Packing, prices: Real, turns: int, scale: float) -> tuple[Real, Real]:
    """Improve prices; gives the mean prices and the mean share of each row's records in no column.

    `scale` is how large prices are; the weights of columns are about 1.
    """
    counts, rows, many, weights = packing.counts, packing.rows, packing.many, packing.weights
    prices, ahead = prices.copy(), prices.copy()
    load, pull = np.zeros(prices.size), np.zeros(prices.size)
    mean, unmet = np.zeros(prices.size), np.zeros(prices.size)
    sizes = np.zeros(packing.ends.size)
    begin = 0
    for column in range(packing.ends.size):
        for entry in range(begin, packing.ends[column]):
            load[rows[entry]] += many[entry]
            sizes[column] += many[entry]
            pull[rows[entry]] += many[entry] * weights[column]
        begin = packing.ends[column]
    counted = max(turns // 2, 1)
    for turn in range(turns):
        for row in range(prices.size):
            before, missing = prices[row], counts[row] - pull[row]
            after = before + scale / max(load[row], 1.0) * missing
            after = min(max(after, packing.lowest[row]), packing.highest[row])
            prices[row], ahead[row], pull[row] = after, 2.0 * after - before, 0.0
            if turn >= turns - counted:
                mean[row] += after / counted
                unmet[row] += missing / counted
        begin = 0
        for column in range(packing.ends.size):
            total = -sizes[column] * packing.costs[column]
            for entry in range(begin, packing.ends[column]):
                total += many[entry] * ahead[rows[entry]]
            weights[column] = max(weights[column] + total / (scale * sizes[column]), 0.0)
            if weights[column] > 0.0:
                for entry in range(begin, packing.ends[column]):
                    pull[rows[entry]] += many[entry] * weights[column]
            begin = packing.ends[column]
    return mean, unmet
