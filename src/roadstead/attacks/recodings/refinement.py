"""Use integer bounds to exclude values with certainty (combinatorial refinement).

The attacker assumes that the search found the best recoding. This assumption may be wrong, so the
module also counts wrong bounds, and classes for which the assumptions contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.bounds import (
    CountBounds,
    Counts,
    bounds_of_values,
)
from roadstead.attacks.recodings.regions import box_of, grid
from roadstead.attacks.recodings.segments import (
    bounds_of,
    program_of_all,
    program_of_class,
    solutions,
)
from roadstead.attacks.recodings.view import PublishedView, Truth, drawn_classes
from roadstead.search.recoding.protocol import OUT

MOST_CELLS = 200
"""The largest number of variables in an integer program."""
MOST_CLASSES = 100
FEW = 5
"""An attacker draws a composition only if a class has at most this many compositions."""
_STEPS = 500
"""The largest number of steps per class for counting the possible compositions."""


@dataclass
class Refinement:
    """The numbers of bounded values in some classes.

    Values are counted for each class, or for each record whose quasi-identifiers are known.

    Attributes
    ----------
    classes
        The number of classes for which bounds were computed.
    contradictory
        The number of these classes for which the assumptions contradict each other.
    bounds
        The number of values that are bounded.
    ruled_out
        The number of values that the bounds exclude.
    certain
        The number of values that must occur.
    wrong
        The number of bounds that do not contain the true number.
    absent
        The number of values that are absent from the table.
    rightly_out
        The number of excluded values that are absent.
    rightly_in
        The number of certain values that are present.
    """

    classes: int = 0
    contradictory: int = 0
    bounds: int = 0
    ruled_out: int = 0
    certain: int = 0
    wrong: int = 0
    absent: int = 0
    rightly_out: int = 0
    rightly_in: int = 0

    @property
    def present(self) -> int:
        """Return the number of values that are present in the table."""
        return self.bounds - self.absent

    def share(self, number: int) -> float:
        """Return a number as a share of all bounded values."""
        return number / max(self.bounds, 1)

    def add(self, bounds: CountBounds, has: Counts) -> None:
        """Count the values that the bounds exclude, and compare the bounds with the table."""
        self.bounds += has.size
        out, sure, absent = bounds.high == 0, bounds.low > 0, has == 0
        self.ruled_out += int(np.count_nonzero(out))
        self.certain += int(np.count_nonzero(sure))
        self.absent += int(np.count_nonzero(absent))
        self.rightly_out += int(np.count_nonzero(out & absent))
        self.rightly_in += int(np.count_nonzero(sure & ~absent))
        self.wrong += int(np.count_nonzero((has < bounds.low) | (has > bounds.high)))


def refine_values(
    view: PublishedView, truth: Truth, *, most_classes: int = MOST_CLASSES, seed: int = 0
) -> Refinement:
    """Find bounds on the generalized values in random classes that have few combinations."""
    found = Refinement()
    for number in _few_combinations(view, most_classes, seed):
        codes = grid(box_of(view, number))
        left = codes[:, view.place(codes) == number]
        rows = np.flatnonzero(truth.rows == number)
        groups = [view.children[at][view.numbers[number, at], own] for at, own in enumerate(left)]
        found.classes += 1
        for at in np.flatnonzero(view.widths[number] > 1).tolist():
            size = int(view.sizes[number])
            bounds = (
                bounds_of_values(left, at, groups, size, view.k, intervals=view.intervals)
                if left.size
                else None
            )
            if bounds is None:
                found.contradictory += 1
                break
            values = np.unique(left[at])
            has = _has(view, truth, at, rows)
            missing = np.setdiff1d(view.values(number, at), values)
            found.add(bounds, has[values])
            none = np.zeros(missing.size, dtype=np.int64)
            found.add(CountBounds(none, none), has[missing])
    return found


def refine_together(
    view: PublishedView, truth: Truth, *, most_classes: int = MOST_CLASSES, seed: int = 0
) -> Refinement | None:
    """Use one integer program to find bounds for all classes and suppressed records.

    Return None if the program is too large, or if its constraints contradict each other.
    """
    suppressed = int(truth.counts[truth.rows == OUT].sum())
    program = program_of_all(view, suppressed)
    if program is None:
        return None
    found = Refinement()
    chosen = _few_combinations(view, most_classes, seed)
    for number in [*chosen, *([OUT] if suppressed else [])]:
        rows = np.flatnonzero(truth.rows == number)
        found.classes += 1
        for at in range(len(view.attributes)):
            everything = np.arange(view.margins[at].size)
            values = everything if number == OUT else view.values(number, at)
            if values.size < 2:  # noqa: PLR2004 - one alone is shown
                continue
            sums = (program.in_class == number) & (program.cells[at] == values[:, None])
            bounds = bounds_of(program, sums)
            if bounds is None:
                return None
            found.add(bounds, _has(view, truth, at, rows)[values])
    return found


@dataclass(frozen=True)
class ClassSolutions:
    """The number of classes that have few possible compositions, and the number of correct claims.

    Attributes
    ----------
    classes
        The number of classes that were examined.
    exact
        The number of classes with exactly one composition.
    few
        The number of classes with 2 to `FEW` compositions.
    right
        The number of exact classes whose only possible composition is the true composition.
    by_chance
        The expected number of exact classes for which a randomly drawn composition is correct.
    """

    classes: int
    exact: int
    few: int
    right: int
    by_chance: float


def solve_classes(
    view: PublishedView, truth: Truth, *, most_classes: int = MOST_CLASSES, seed: int = 0
) -> ClassSolutions:
    """Count the possible compositions of classes that have few combinations."""
    classes = exact = few = right = 0
    by_chance = 0.0
    for number in [] if view.intervals else _few_combinations(view, most_classes, seed):
        program = program_of_class(view, number)
        found = solutions(program, FEW, steps=_STEPS)
        classes += 1
        if not found:
            continue
        few += len(found) > 1
        if len(found) > 1:
            continue
        exact += 1
        rows = np.flatnonzero(truth.rows == number)
        same = (program.cells[:, :, None] == truth.codes[:, rows][:, None]).all(axis=0)
        has = (same * truth.counts[rows]).sum(axis=1)
        right += bool((has == found[0]).all())
        cells = int(np.prod(view.widths[number]))
        by_chance += 1.0 / comb(int(view.sizes[number]) + cells - 1, cells - 1)
    return ClassSolutions(classes, exact, few, right, by_chance)


def _few_combinations(view: PublishedView, most_classes: int, seed: int) -> Sequence[int]:
    cells = np.prod(view.widths.astype(np.float64), axis=1)
    return drawn_classes(np.flatnonzero((cells > 1) & (cells <= MOST_CELLS)), most_classes, seed)


def _has(view: PublishedView, truth: Truth, at: int, rows: NDArray[np.int64]) -> Counts:
    size = view.margins[at].size
    return np.bincount(truth.codes[at, rows], truth.counts[rows], minlength=size).astype(np.int64)
