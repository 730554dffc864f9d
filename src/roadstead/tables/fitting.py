"""Fit a table to margins by iterative proportional fitting, and round it to whole people.

The method scales a start table so that its first margin is correct, then its second margin, and so
on. It repeats these steps until all margins are correct at the same time (Deming and Stephan 1940).
Among all tables with these margins, the result is the closest to the start table by
Kullback-Leibler divergence. With a uniform start table, the result assumes nothing beyond the
margins. A cell that is empty in the start table or in a margin stays empty.

Source: W. E. Deming and F. F. Stephan, On a least squares adjustment of a sampled frequency table
when the expected marginal totals are known, Annals of Mathematical Statistics 11 (1940), 427-444.

A fitted table has fractions of people. Rounding is random and unbiased. It adds up the cells from
the first to the last, shifts the sum by one random fraction, and counts the whole numbers that the
sum passes in each cell. Each cell gets the whole number below or above its value; the average is
the value. After that, each margin is wrong by a few people, and a random walk repairs the margins.
A step picks a wrong count of a margin. Then it adds a person to a cell of this count, or removes a
person, preferably if other margins improve, too. The walk continues until all margins are correct
or the steps are used. Deciding whether whole numbers with given overlapping margins exist is
NP-complete from three dimensions on (R. W. Irving and M. R. Jerrum, SIAM Journal on Computing 23
(1994), 1170-1184). So the walk does not guarantee a result, and the remaining error is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Margin: TypeAlias = tuple[tuple[int, ...], NDArray[np.int64]]
"""The axes that a margin keeps, in ascending order, and its counts over these axes."""

_CYCLES = 500
_CLOSE = 1e-10
"""The largest allowed error of a margin's count, as a share of all people."""
_STEPS = 20_000
_EAGER = 2.5
"""The preference for steps that repair one more margin, as a power of e."""


def proportional_fit(start: Floats, margins: Sequence[Margin]) -> tuple[Floats, int]:
    """Scale a table until it has the margins, or until the highest number of cycles is reached.

    The table has one axis for each attribute. If the margins are not reached, no table has all
    margins, or no table with the empty cells of the start has them. Returns the people in each cell
    as real numbers, and the number of cycles.
    """
    fit = np.array(start, dtype=np.float64)
    close = _CLOSE * max(float(counts.sum()) for _, counts in margins)
    for cycle in range(_CYCLES + 1):
        if cycle == _CYCLES or all(
            np.abs(counts - _added(fit, axes)).max(initial=0.0) <= close for axes, counts in margins
        ):
            break
        for axes, counts in margins:
            now = _added(fit, axes)
            ratio = np.divide(counts, now, out=np.zeros_like(now), where=now > 0)
            fit *= np.expand_dims(ratio, _others(fit.ndim, axes))
    return fit, cycle


def _added(table: Floats, axes: tuple[int, ...]) -> Floats:
    return np.asarray(table.sum(axis=_others(table.ndim, axes)))


def _others(number: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(number) if axis not in axes)


def whole_people(
    expected: Floats, margins: Sequence[Margin], chance: np.random.Generator
) -> tuple[Integers, tuple[int, ...]]:
    """Round a fitted table and repair its margins.

    Returns the people in each cell, which is 0 if the fit is 0. Also returns, for each margin, the
    sum of the errors of its counts, in people.
    """
    boxes = np.flatnonzero(expected)
    passed = np.floor(np.cumsum(expected.ravel()[boxes]) + chance.random()).astype(np.int64)
    fair = np.diff(passed, prepend=0)
    walk = _Walk(expected, boxes, fair, margins)
    walk.repair(chance)
    counts = np.zeros(expected.shape, dtype=np.int64)
    counts.ravel()[boxes] = walk.counts
    ends = np.cumsum([target.size for _, target in margins])
    off = [int(np.abs(part).sum()) for part in np.split(walk.missing, ends[:-1])]
    return counts, tuple(off)


class _Walk:
    """Counts of the cells that may have people, and the errors of the margins."""

    def __init__(
        self, expected: Floats, boxes: Integers, counts: Integers, margins: Sequence[Margin]
    ) -> None:
        self.counts = counts
        self._expected = expected.ravel()[boxes]
        places = np.unravel_index(boxes, expected.shape)
        parts, first, misses = [], 0, []
        for axes, target in margins:
            part = np.zeros(boxes.size, dtype=np.int64)
            for axis in axes:
                part *= expected.shape[axis]
                part += places[axis]
            now = np.bincount(part, weights=counts, minlength=target.size).astype(np.int64)
            misses.append(target.ravel() - now)
            parts.append(part + first)
            first += target.size
        self.missing = np.concatenate(misses)
        """The number of people that each count of each margin lacks; negative if it has too many.
        """
        self._parts = np.stack(parts)
        """For each margin and cell, the place in `missing` of the count that includes the cell."""
        order = [np.argsort(part, kind="stable") for part in parts]
        self._members = np.concatenate(order)
        self._ends = np.cumsum(np.bincount(self._parts.ravel(), minlength=first))

    def repair(self, chance: np.random.Generator) -> None:
        """Walk, and keep the best counts that the walk reaches."""
        off = least = int(np.abs(self.missing).sum())
        since: list[tuple[int, int]] = []
        for _ in range(_STEPS):
            if not off:
                break
            step = self._step(chance.random(), chance.random())
            if step is None:
                continue
            off -= self._take(*step)
            since.append(step)
            if off < least:
                least = off
                since.clear()
        for box, people in reversed(since):
            self._take(box, -people)

    def _step(self, which: float, where: float) -> tuple[int, int] | None:
        """Choose a cell for one more person or one fewer."""
        wrong = np.flatnonzero(self.missing)
        place = int(wrong[int(which * wrong.size)])
        people = 1 if self.missing[place] > 0 else -1
        boxes = self._members[self._ends[place - 1] if place else 0 : self._ends[place]]
        chances = self._expected[boxes] if people > 0 else self.counts[boxes].astype(np.float64)
        fixed = (self.missing[self._parts[:, boxes]] * people > 0).sum(axis=0)
        edges = np.cumsum(chances * np.exp(_EAGER * 2 * fixed))
        if not edges.size or edges[-1] <= 0:
            return None
        at = min(int(np.searchsorted(edges, where * edges[-1], side="right")), edges.size - 1)
        return int(boxes[at]), people

    def _take(self, box: int, people: int) -> int:
        """Move people into a cell; return the decrease of the errors of the margins."""
        places = self._parts[:, box]
        before = np.abs(self.missing[places]).sum()
        self.missing[places] -= people
        self.counts[box] += people
        return int(before - np.abs(self.missing[places]).sum())
