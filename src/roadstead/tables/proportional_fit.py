"""Iterative proportional fitting: a table of real numbers that has given margins.

Start from a table, scale it so that its first margin is right, then its second, and so on, and
begin again until all are right at once (Deming and Stephan 1940). Of all tables with these margins
the result is the one nearest to the start by Kullback-Leibler divergence. From a uniform start it
assumes nothing that the margins do not say. A box that is empty at the start, or in a margin, stays
empty.

Source: W. E. Deming and F. F. Stephan, On a least squares adjustment of a sampled frequency table
when the expected marginal totals are known, Annals of Mathematical Statistics 11 (1940), 427-444.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Margin: TypeAlias = tuple[tuple[int, ...], NDArray[np.int64]]
"""The axes that a margin keeps, ascending, and its counts with these axes."""

_CYCLES = 500
_CLOSE = 1e-10
"""Largest miss of a margin's count, as a share of all people."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted table.

    `expected`: people in each box, real numbers; the shape of the start. `cycles`: how often every
    margin was scaled. `deviation`: largest difference between a count of a margin and the table's,
    in people. It is large where no table has all these margins, or none with the empty boxes of the
    start.
    """

    expected: Floats = field(repr=False)
    cycles: int
    deviation: float


def proportional_fit(start: Floats, margins: Sequence[Margin]) -> Fit:
    """Scale a table until it has the margins, or no longer comes closer in time.

    `start`: no entry negative; one axis for each attribute. `margins`: what the table is to add up
    to.
    """
    fit = np.array(start, dtype=np.float64)
    close = _CLOSE * max(float(counts.sum()) for _, counts in margins)
    for cycle in range(_CYCLES + 1):
        deviation = max(
            float(np.abs(counts - _added(fit, axes)).max(initial=0.0)) for axes, counts in margins
        )
        if deviation <= close or cycle == _CYCLES:
            break
        for axes, counts in margins:
            now = _added(fit, axes)
            ratio = np.divide(counts, now, out=np.zeros_like(now), where=now > 0)
            fit *= np.expand_dims(ratio, _others(fit.ndim, axes))
    return Fit(fit, cycle, deviation)


def _added(table: Floats, axes: tuple[int, ...]) -> Floats:
    return np.asarray(table.sum(axis=_others(table.ndim, axes)))


def _others(number: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(number) if axis not in axes)
