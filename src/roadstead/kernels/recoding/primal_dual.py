"""Use a primal-dual first-order method to solve the linear program of lower bounds on recodings.

Each constraint belongs to a set of records that could form a class. The constraint requires that
the sum of the prices of these records is at most their loss in the class. The program maximizes the
sum of all prices. It has too many constraints for a simplex method. The method is primal-dual
hybrid gradient (Chambolle and Pock, J. Math. Imaging Vis. 2011) with the diagonal step lengths of
Pock and Chambolle (ICCV 2011, lemma 2, alpha = 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled


class PriceProgram(NamedTuple):
    """Maximize the sum of counts times prices under the constraints, with losses from 0 to 1."""

    counts: Whole  # number of records in each row
    lowest: Real  # lowest price of a record in each row
    highest: Real  # highest price of a record in each row
    ends: Whole  # end of each constraint's entries in `rows` and `many`
    costs: Real  # loss of each record of a constraint's set
    rows: Small  # rows of all constraints, one constraint after another
    many: Small  # number of the row's records in the set
    weights: Real  # dual of each constraint, at least 0; improved in place


@compiled
def improve_prices(
    program: PriceProgram, prices: Real, iterations: int, scale: float
) -> tuple[Real, Real]:
    """Improve the prices and the weights in place; return means over the second half of iterations.

    After each iteration, prices are within their bounds, but the constraints are met only
    approximately. `scale` is a typical price. It balances the primal and the dual steps, because
    weights are about 1.

    The function returns two means for each row over the second half of the iterations. The first is
    the mean price, which is nearer to the optimum than the last price. The second is the mean
    number of records that no constraint covers.
    """
    counts, many, weights = program.counts, program.many, program.weights
    rows = program.rows.view(
        np.uint32
    )  # unsigned, because Numba checks numbers that could be negative
    ends = program.ends.view(np.uint64)
    ahead = prices.copy()
    load, pull = np.zeros(prices.size), np.zeros(prices.size)
    mean, unmet = np.zeros(prices.size), np.zeros(prices.size)
    sizes = np.zeros(ends.size)
    begin = np.uint64(0)
    for constraint in range(ends.size):
        for entry in range(begin, ends[constraint]):
            load[rows[entry]] += many[entry]
            sizes[constraint] += many[entry]
            pull[rows[entry]] += many[entry] * weights[constraint]
        begin = ends[constraint]
    later = max(iterations // 2, 1)
    for iteration in range(iterations):
        for row in range(prices.size):
            before, missing = prices[row], counts[row] - pull[row]
            after = before + scale / max(load[row], 1.0) * missing
            after = min(max(after, program.lowest[row]), program.highest[row])
            # The dual step uses extrapolated prices. Without them, the iterates would circle.
            prices[row], ahead[row], pull[row] = after, 2.0 * after - before, 0.0
            if iteration >= iterations - later:
                mean[row] += after / later
                unmet[row] += missing / later
        begin = np.uint64(0)
        for constraint in range(ends.size):
            total = -sizes[constraint] * program.costs[constraint]
            for entry in range(begin, ends[constraint]):
                total += many[entry] * ahead[rows[entry]]
            weight = max(weights[constraint] + total / (scale * sizes[constraint]), 0.0)
            weights[constraint] = weight
            if weight > 0.0:
                for entry in range(begin, ends[constraint]):
                    pull[rows[entry]] += many[entry] * weight
            begin = ends[constraint]
    return mean, unmet
