"""Fit a table to margins by iterative proportional fitting, and round it to whole people.

Among all tables with the given margins, the fitted table has the smallest Kullback-Leibler
divergence from the start table. A cell that is empty in the start table or in a margin stays empty.
Source: W. E. Deming and F. F. Stephan, On a least squares adjustment of a sampled frequency table
when the expected marginal totals are known, Annals of Mathematical Statistics 11 (1940), 427-444.

Rounding is random and unbiased. The running sum of the cells starts at a random fraction. The count
of a cell is the number of whole numbers that the sum passes when the cell is added. After rounding,
the margins are wrong by a few people, and a random walk repairs the margins. Each step selects an
incorrect count in a margin. The step then adds or removes a person in one of the cells that the
count includes. A step prefers cells that also improve other margins. The walk may fail. In three or
more dimensions, it is NP-complete to decide whether there are whole numbers with given overlapping
margins (R. W. Irving and M. R. Jerrum, SIAM Journal on Computing 23 (1994), 1170-1184).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Margin: TypeAlias = tuple[tuple[int, ...], NDArray[np.int64]]
"""The axes that a margin keeps, in ascending order, and the counts over these axes."""

_CYCLES = 500
_CLOSE = 1e-10
"""The largest allowed error of a count in a margin, as a share of all people."""
_STEPS = 20_000
_EAGER = 2.5
"""The preference, as a power of e, for each further margin that a step repairs."""


def proportional_fit(start: Floats, margins: Sequence[Margin]) -> tuple[Floats, int]:
    """Scale a table until it has the margins or a maximum number of cycles is reached.

    The table has one axis for each attribute. If the fit does not reach the margins, no table that
    is empty in the same cells as the start table has all of the margins. Returns the people in each
    cell as real numbers, and the number of cycles.
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

    Returns the people in each cell, and the total error of each margin, in people. A cell stays 0
    if its fitted value is 0.
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
    """A random walk that changes the counts of cells to reduce the errors of the margins."""

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
        """The number of people that each count of a margin lacks, or a negative excess."""
        self._parts = np.stack(parts)
        """For each margin and cell, the index in `missing` of the count that includes the cell."""
        order = [np.argsort(part, kind="stable") for part in parts]
        self._members = np.concatenate(order)
        self._ends = np.cumsum(np.bincount(self._parts.ravel(), minlength=first))

    def repair(self, chance: np.random.Generator) -> None:
        """Take steps until there are no errors or no steps left, and keep the best counts."""
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
        """Choose a cell, and decide whether to add or remove a person."""
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
        """Add people to a cell, and return the decrease in the errors of the margins."""
        places = self._parts[:, box]
        before = np.abs(self.missing[places]).sum()
        self.missing[places] -= people
        self.counts[box] += people
        return int(before - np.abs(self.missing[places]).sum())
