"""Find bounds on the loss of the second halves of a sublattice's splits; choose the best split.

A split consists of an attribute and the level at which the second half begins. The bound of a split
is the bound of the lower end with this level raised. Arrays of splits have shape ``(attributes,
levels)``, and losses are from 0 to 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Real, Whole, compiled

WEIGHT_OF_WORSE_HALF = 3.0
RealArray = NDArray[np.float64]


@compiled
def raised_means(
    losses: RealArray, lower: Whole, upper: Whole, mean: float, shares: Real, geometric: int
) -> RealArray:
    """Return the mean loss for each way to raise one level of `lower` up to `upper`.

    All other entries are infinite. `losses` contains the losses of the attributes by level. `mean`
    is the mean loss at `lower`. `shares` contains weights that add up to 1. If `geometric` is 0,
    the mean is arithmetic.
    """
    found = np.full(losses.shape, np.inf)
    for i in range(lower.size):
        before, share = losses[i, lower[i]], shares[i]
        for level in range(lower[i] + 1, upper[i] + 1):
            if geometric:
                ratio = (1.0 + losses[i, level]) / (1.0 + before)
                found[i, level] = (1.0 + mean) * ratio**share - 1.0
            else:
                found[i, level] = mean + share * (losses[i, level] - before)
    return found


@compiled
def open_levels(
    raised: RealArray, lower: Whole, upper: Whole, surely: float, barely: float
) -> tuple[Whole, bool]:
    """For each attribute, return the highest level with a bound below `barely`.

    A higher level never has a smaller bound. The second result indicates whether the first bound
    that is not below `barely` is at most `surely`, and must therefore be computed exactly.
    """
    top = lower.copy()
    close = False
    for i in range(lower.size):
        for level in range(lower[i] + 1, upper[i] + 1):
            if raised[i, level] >= barely:
                close |= raised[i, level] <= surely
                break
            top[i] = level
    return top, close


@compiled
def choose(raised: RealArray, means: RealArray, bound: float, best: float) -> tuple[int, int]:
    """Return the attribute and the level of the split with the best score.

    `means` contains the expected gains of first halves. A gain is a share of the distance from the
    bound to the best loss. The score is three times the smaller gain plus the larger gain.
    """
    highest, attribute, chosen = -np.inf, -1, -1
    distance = best - bound
    for i in range(raised.shape[0]):
        for level in range(raised.shape[1]):
            if raised[i, level] == np.inf:
                continue
            first, second = means[i, level], raised[i, level] - bound
            second = 1.0 if distance <= 0.0 or second >= distance else second / distance
            second = max(second, 0.0)
            worse, better = min(first, second), max(first, second)
            score = WEIGHT_OF_WORSE_HALF * worse + better
            if score > highest:
                highest, attribute, chosen = score, i, level
    return attribute, chosen
