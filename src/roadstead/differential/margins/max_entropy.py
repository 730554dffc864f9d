"""Find the distribution with the highest entropy that agrees with noisy margins within their noise.

If `y` is the noisy share of a cell and `s` is the standard deviation of its noise, the distribution
`p` maximizes

  entropy(p) - sum over the cells of (p(cell) - y)**2 / (2 * slack),    slack = s**2 / (m * v)

Here, `m` is the share that the cell would have if the variables were independent, and `v` is the
variation of the noisy shares around `m`, without the noise and divided by `m`. The maximum is a
product of one factor per margin. The logarithms `t` of the factors minimize a convex function (Chen
and Rosenfeld 2000, "A survey of smoothing techniques for maximum entropy models"; Dudik, Phillips
and Schapire 2007, "Maximum entropy density estimation with generalized regularization"):

  log sum exp(t) - t . y + slack . t**2 / 2

docs/methods/private-tables-for-every-use.md explains the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.margins.junction_tree import (
    Beliefs,
    Clique,
    JunctionTree,
    calibrated,
)
from roadstead.differential.margins.variables import Grouping

Floats = NDArray[np.float64]

_LEAST_TIE, _MOST_TIE = 0.02, 4.0
_HARDLY_ANY = 1e-9


@dataclass(frozen=True, eq=False)
class Constraint:
    """A margin with which the model should agree."""

    variables: Clique
    groupings: tuple[Grouping, ...] = field(repr=False)  # of the model's values, per variable
    shares: Floats = field(repr=False)  # the shares of the cells; noisy shares can be below 0
    slack: Floats = field(repr=False)  # the slack of the cells, in the same shape
    expected: Floats = field(repr=False)  # the shares if there were no association, above 0

    @property
    def curvature(self) -> Floats:
        """The approximate second derivative of the objective with respect to each factor."""
        return self.expected + self.slack

    def summed(self, margin: Floats) -> Floats:
        """Sum the cells of the variables' margin by group."""
        return summed(margin, self.groupings)

    def laid_out(self, values: Floats) -> Floats:
        """For each cell of the margin, return the value of the cell's group."""
        return np.asarray(values[np.ix_(*self.groupings)])


def summed(margin: NDArray[np.float64], groupings: Sequence[Grouping]) -> Floats:
    """Sum the cells of a margin by groups of its variables."""
    for axis, grouping in enumerate(groupings):
        adds = grouping == np.arange(int(grouping.max()) + 1)[:, None]
        margin = np.moveaxis(np.tensordot(adds.astype(np.float64), margin, (1, axis)), 0, axis)
    return margin


def of_one(variable: int, shares: Floats, records: float) -> Constraint:
    """Return the constraint that a variable has the given shares."""
    kept = np.maximum(shares, _HARDLY_ANY)
    slack = np.full(shares.size, 1e-4 / max(records, 1.0))
    kept = kept / kept.sum()
    return Constraint((variable,), (np.arange(shares.size),), kept, slack, kept)


def of_pair(
    variables: Clique,
    groupings: tuple[Grouping, Grouping],
    noisy: Floats,
    independent: Floats,
    variance: float,
    records: float,
) -> Constraint:
    """Return the constraint of a noisy pair of variables.

    `noisy` contains the noisy shares of the margin. `independent` contains the shares that the
    margin would have if the variables were independent. `variance` is the variance of the noise in
    a share. Each cell counts as at least one record.
    """
    beyond = float(((noisy - independent) ** 2 - variance).sum())
    tie = beyond / max(float((independent**2).sum()), _HARDLY_ANY)
    bounded = min(max(tie, _LEAST_TIE), _MOST_TIE)
    expected = np.maximum(independent, 1 / max(records, 1.0))
    slack = variance / (expected * bounded)
    return Constraint(variables, groupings, noisy, slack, expected)


def fitted(
    tree: JunctionTree, constraints: Sequence[Constraint], start: Floats, steps: int
) -> tuple[Floats, Beliefs]:
    """Fit the model in a given number of optimization steps from a starting point.

    Return the factors and the distribution.

    `start` and the returned factors are logarithms for all cells of all constraints, in order.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - heavy

    goal = _Goal(tree, constraints)
    # L-BFGS needs far fewer steps if the second derivatives are about 1.
    units = 1 / np.sqrt(np.concatenate([one.curvature.ravel() for one in constraints]))

    def scaled(at: Floats) -> tuple[float, Floats]:
        value, gradient = goal(at * units)
        return value, gradient * units

    options = {"maxiter": steps, "maxcor": 10}
    found = minimize(scaled, start / units, jac=True, method="L-BFGS-B", options=options)
    factors = np.asarray(found.x * units, dtype=np.float64)
    return factors, goal.beliefs(factors)


def start_of(constraint: Constraint) -> Floats:
    """Return the initial factors of a new constraint, based on its shares or on no association."""
    if len(constraint.variables) == 1:
        return np.log(constraint.shares)
    return np.zeros(constraint.shares.size)


class _Goal:
    """The function to minimize, and its gradient."""

    def __init__(self, tree: JunctionTree, constraints: Sequence[Constraint]) -> None:
        self._tree, self._constraints = tree, constraints
        self._ends = np.cumsum([0, *(one.shares.size for one in constraints)]).tolist()
        self._shares = np.concatenate([one.shares.ravel() for one in constraints])
        self._slack = np.concatenate([one.slack.ravel() for one in constraints])

    def beliefs(self, factors: Floats) -> Beliefs:
        tree = self._tree
        weights = [np.zeros(tree.shape(place)) for place in range(len(tree.cliques))]
        for at, one in enumerate(self._constraints):
            own = factors[self._ends[at] : self._ends[at + 1]].reshape(one.shares.shape)
            place = tree.home[one.variables]
            weights[place] += tree.spread(one.laid_out(own), one.variables, place)
        return calibrated(tree, weights)

    def __call__(self, factors: Floats) -> tuple[float, Floats]:
        found = self.beliefs(factors)
        cache: dict[Clique, Floats] = {}
        gradient = np.empty_like(factors)
        for at, one in enumerate(self._constraints):
            if one.variables not in cache:
                cache[one.variables] = found.margin(one.variables)
            own = one.summed(cache[one.variables])
            gradient[self._ends[at] : self._ends[at + 1]] = own.ravel()
        gradient += self._slack * factors - self._shares
        value = found.log_total - float(factors @ self._shares)
        return value + 0.5 * float(self._slack @ factors**2), gradient
