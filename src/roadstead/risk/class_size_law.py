"""Estimate the class sizes of a population from the classes of a sample.

Every person in the population is in the sample with probability p. So a class of h people has f
records in the sample with binomial probability B(f; h, p). An empirical Bayes estimate derives the
distribution G of the class sizes in the population from the class sizes in the sample:

1. G(h) is proportional to h^a exp(-b h). The parameters `a` and `b` are estimated by maximum
   likelihood from the observed sizes. If the sizes contain almost no information about `a`, a
   Cauchy prior determines `a`. This family includes geometric sizes (`a` = 0), the logarithmic
   series (`a` = -1), power laws (`b` = 0), and sizes near one value (large `a` and `b`).
2. If this distribution does not fit, steps of the EM algorithm move it toward the distribution with
   the maximum likelihood among all distributions (Laird 1978). The algorithm stops as soon as the
   fit is as good as the expected fit of the true distribution, because more steps would fit noise.

Given f, a class has h people with a probability proportional to G(h) B(f; h, p). The sum over h < k
is the probability that a class of f records has fewer than k people.

If p is small, the sample contains little information about small h. `class_size_range` computes the
resulting range, which is valid for any class sizes. Let M(h) be the number of classes with h people
in the population. The expected number of classes of f records in a sample is

    N(f) = sum over h of M(h) B(f; h, p)

and the expected number of released records in classes with fewer than k people is

    T = sum over h < k of M(h) times the sum over f released of f B(f; h, p)

Two linear programs compute the smallest and the largest T among all M >= 0 for which every N(f) is
within two standard deviations of the observed number. Small cells are merged first. The range is
extended by two standard deviations of T, whose variance grows by f^2 B(f; h, p) for each class
(docs/methods/k-map-expectation.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

_ONE_BY_ONE = 200
"""The largest size with a cell of its own. Larger sizes within 2% of each other share a cell."""
_STEP = 1.02
_TIMES_K, _AT_LEAST = 4, 50
"""The largest sample class size in the grid is 4 k or 50, whichever is larger."""
_STARTS = ((0.0, -1.0), (-1.0, -0.3), (-2.0, 0.0))
_SPREAD = 10.0
"""The scale of the Cauchy prior of a."""
_FLAT = 1e-9
"""A slope of the likelihood, per class, up to which a point counts as a maximum."""
_MOST_STEPS = 1_000


@dataclass(frozen=True, eq=False)
class SizeGrid:
    """Class sizes in the sample and in the population, and the probabilities that link them.

    `seen` contains the smallest size of each cell of sample sizes, and then the first size after
    the last cell. `people` contains a representative size for each cell of the population, and
    `width` gives the number of sizes in each of these cells. `small` marks cells below k. `chances`
    contains the probability of each sample cell (rows), given each size in `people` (columns).
    """

    fraction: float
    seen: Whole = field(repr=False)
    people: Whole = field(repr=False)
    width: Reals = field(repr=False)
    chances: Reals = field(repr=False)
    small: NDArray[np.bool_] = field(repr=False)

    def cell_of(self, sizes: Whole) -> NDArray[np.intp]:
        """Return the cell of each sample size, or the number of cells if a size is too large."""
        return np.searchsorted(self.seen, sizes, side="right") - 1

    def cells(self, sizes: Whole, weights: Whole) -> Reals:
        """Add up the weights in each cell, excluding sizes above the last cell."""
        at = self.cell_of(sizes)
        inside = at < self.seen.size - 1
        total = np.bincount(at[inside], weights[inside], minlength=self.seen.size - 1)
        return total.astype(np.float64)


def size_grid(fraction: float, k: int) -> SizeGrid:
    """Return the grid for a sampling fraction below 1."""
    most = max(_TIMES_K * k, _AT_LEAST)
    seen = _edges(most, k)
    people = _edges(ceil((most + 6.0 * sqrt(most) + 20.0) / fraction), k)
    middle = np.rint(np.sqrt(people[:-1] * (people[1:] - 1.0))).astype(np.int64)
    rows = [_chance(int(low), int(past), middle, fraction) for low, past in pairwise(seen)]
    return SizeGrid(
        fraction, seen, middle, np.diff(people).astype(np.float64), np.array(rows), people[:-1] < k
    )


def _edges(most: int, k: int) -> Whole:
    """Return the first size of each cell from 1 to `most`, and the end of the last cell."""
    edges = list(range(1, min(most, _ONE_BY_ONE) + 1))
    while edges[-1] < most:
        edges.append(max(edges[-1] + 1, int(edges[-1] * _STEP)))
    return np.array(sorted({*edges, k, edges[-1] + 1}), dtype=np.int64)


def _chance(low: int, past: int, people: Whole, fraction: float) -> Reals:
    """Return the probability that `low` to `past` - 1 of these people are sampled."""
    from scipy.special import betainc, gammaln  # noqa: PLC0415 - heavy

    def at_least(size: int) -> Reals:
        own = np.maximum(people, size).astype(np.float64)
        found = betainc(float(size), own - size + 1.0, fraction)
        return np.asarray(np.where(people >= size, found, 0.0), dtype=np.float64)

    if past - low > 1:
        return np.maximum(at_least(low) - at_least(past), 0.0)
    enough = people >= low
    own = np.where(enough, people, low).astype(np.float64)
    ways = gammaln(own + 1.0) - gammaln(low + 1.0) - gammaln(own - low + 1.0)
    found = np.exp(ways + low * log(fraction) + (own - low) * log1p(-fraction))
    return np.asarray(np.where(enough, found, 0.0), dtype=np.float64)


def fit_sizes(grid: SizeGrid, classes: Reals) -> Reals:
    """Estimate the probability of each cell of class sizes in the population.

    `classes` contains the number of sample classes in each cell. There must be at least one class
    in total.
    """
    return _until_it_fits(grid, classes, _two_parameters(grid, classes))


def below(grid: SizeGrid, law: Reals) -> Reals:
    """For each cell of the sample, return the probability that a class has fewer than k people."""
    joint = grid.chances * law
    whole = joint.sum(axis=1)
    few = joint[:, grid.small].sum(axis=1)
    found = np.divide(few, whole, out=np.zeros_like(few), where=whole > 0.0)
    return np.asarray(found, dtype=np.float64)


def _two_parameters(grid: SizeGrid, classes: Reals) -> Reals:
    """Return the distribution h^a exp(-b h) that has the maximum likelihood."""
    from scipy.optimize import minimize  # noqa: PLC0415 - heavy

    shown, total = grid.chances.sum(axis=0), classes.sum()
    usual = float(classes @ grid.seen[:-1]) / total / grid.fraction
    basis = np.column_stack([np.log(grid.people), grid.people / usual])
    seen = classes > 0

    def law_of(parameters: Reals) -> Reals:
        logs = basis @ parameters + np.log(grid.width)
        law: Reals = np.exp(logs - logs.max())
        return law

    def unlikely(parameters: Reals) -> tuple[float, Reals]:
        law = law_of(parameters)
        cells, whole = np.maximum(grid.chances @ law, 1e-300), float(shown @ law)
        slope = (classes / cells) @ grid.chances - (total / whole) * shown
        a = float(parameters[0])
        held = np.array([2.0 * a / (_SPREAD**2 + a**2), 0.0])
        value = total * log(whole) - float(classes[seen] @ np.log(cells[seen]))
        return value + log1p((a / _SPREAD) ** 2), held - basis.T @ (slope * law)

    found = [
        minimize(unlikely, start, jac=True, method="BFGS", options={"gtol": _FLAT * total})
        for start in _STARTS
    ]
    law = law_of(min(found, key=lambda one: float(one.fun)).x)
    return np.asarray(law / law.sum(), dtype=np.float64)


def _until_it_fits(grid: SizeGrid, classes: Reals, law: Reals) -> Reals:
    """Repeat EM steps until the deviance is as low as expected for the true distribution."""
    shown, total = grid.chances.sum(axis=0), classes.sum()
    parts = grid.chances / np.maximum(shown, 1e-300)
    weights = law * shown
    weights = weights / weights.sum()
    seen = classes > 0
    for _ in range(_MOST_STEPS):
        cells = np.maximum(parts @ weights, 1e-300)
        deviance = 2.0 * float(classes[seen] @ np.log(classes[seen] / (total * cells[seen])))
        if deviance <= np.count_nonzero(total * cells >= 1.0):
            break
        weights = weights * ((classes / (total * cells)) @ parts)
    found = np.divide(weights, shown, out=np.zeros_like(weights), where=shown > 0.0)
    return np.asarray(found / found.sum(), dtype=np.float64)


_DEVIATIONS = (2.0, 3.0, 4.0)
"""The allowed numbers of standard deviations, tried in turn until some M is close enough."""
_ENOUGH = 25
"""The number of classes that a cell needs. A cell with fewer is merged with the next cell."""


def class_size_range(grid: SizeGrid, classes: Reals, records: Reals) -> tuple[float, float] | None:
    """Bound the number of released records in classes with fewer than k people.

    `classes` contains the number of sample classes in each cell of the grid, and `records` is the
    number of released records. The function returns None if no class sizes are close to the
    observations.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - heavy

    each = np.divide(records, classes, out=np.zeros_like(records), where=classes > 0)
    gain = np.where(grid.small, each @ grid.chances, 0.0)
    pooled, seen = _pooled(grid.chances, classes)
    scale = np.maximum(pooled.max(axis=0), 1e-300)
    rows = np.vstack([pooled, -pooled]) / scale
    squares = np.where(grid.small, (each * grid.seen[:-1]) @ grid.chances, 0.0)
    for deviations in _DEVIATIONS:
        slack = deviations * np.sqrt(seen + 1.0)
        limits = np.concatenate([seen + slack, -np.maximum(seen - slack, 0.0)])
        ends = []
        for sign in (1.0, -1.0):
            answer = linprog(sign * gain / scale, A_ub=rows, b_ub=limits, method="highs")
            if answer.status != 0:
                break
            numbers = np.maximum(answer.x, 0.0) / scale
            chance = deviations * sqrt(float(squares @ numbers))
            ends.append(max(float(gain @ numbers) - sign * chance, 0.0))
        else:
            return ends[0], ends[1]
    return None


def _pooled(chances: Reals, classes: Reals) -> tuple[Reals, Reals]:
    """Merge each cell that has few classes with the next cells."""
    ends, held = [], 0.0
    for place, number in enumerate(classes):
        held += number
        if held >= _ENOUGH:
            ends.append(place + 1)
            held = 0.0
    ends = [*ends[:-1], classes.size] if ends and held else ends or [classes.size]
    starts = [0, *ends[:-1]]
    if ends[-1] != classes.size:  # a size beyond the last cell would be detected as an empty cell
        starts.append(ends[-1])
    return np.add.reduceat(chances, starts), np.add.reduceat(classes, starts)
