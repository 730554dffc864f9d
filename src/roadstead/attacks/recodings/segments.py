"""Find every table that could have led to the release.

The module implements combinatorial refinement as published by Chhillar, Righi, Sutter and
Kornaropoulos (arXiv:2509.03350, 2025), as far as their text was available. A segment is a set of
values that a combination of levels shows. A local recoding processes the segments in ascending
order of loss. If at least k of the remaining records are in a segment, they become a class. So if a
segment is not a class, fewer than k records remained in the segment when the recoding processed it.
These records are suppressed, or are in classes with a higher loss.

The paper uses one integer program for each class, and one for the suppressed records. If a program
has only one solution, the attacker knows all values in the class. A single program for all classes
leads to tighter bounds. If the attacker knows the order of the segments, the solutions are exactly
the tables that lead to this release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.bounds import CountBounds, extremes
from roadstead.attacks.recodings.regions import Cells, box_of, grid
from roadstead.attacks.recodings.view import PublishedView
from roadstead.search.recoding.protocol import OUT

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]
Order = Callable[[tuple[int, ...]], Any]
"""A function that maps a segment's numbers of values to the position of the segment's turn."""

MOST_VARIABLES = 100
MOST_SEGMENTS = 1_000
MOST_STEPS = 50_000


@dataclass(frozen=True)
class SegmentProgram:
    """An integer program. Each variable counts the records with one combination in one class.

    `in_class` gives the class of each variable, or `OUT` for suppressed records. Each row of
    `limits` marks variables that add up to less than k. The variables of a class add up to the
    entry of the class in `records`.
    """

    cells: Cells = field(repr=False)
    in_class: NDArray[np.int64] = field(repr=False)
    records: dict[int, int]
    limits: Flags = field(repr=False)
    k: int

    @property
    def sums(self) -> Flags:
        """Return flags that mark the variables of each class."""
        return np.array([self.in_class == number for number in self.records])


def program_of_class(view: PublishedView, number: int) -> SegmentProgram:
    """Return the program of one class, from its remaining combinations and its halves."""
    codes = grid(box_of(view, number))
    left = codes[:, view.place(codes) == number]
    limits = []
    for at, own in enumerate(left):
        halves = view.children[at][view.numbers[number, at], own]
        labels = np.unique(halves)
        limits += [halves == label for label in labels] if labels.size > 1 else []
    flags = np.array(limits, dtype=np.bool_).reshape(len(limits), left.shape[1])
    in_class = np.full(left.shape[1], number, dtype=np.int64)
    return SegmentProgram(left, in_class, {number: int(view.sizes[number])}, flags, view.k)


def program_of_all(
    view: PublishedView, suppressed: int, *, order: Order | None = None
) -> SegmentProgram | None:
    """Return one program for all classes and suppressed records, or None if it is too large.

    Without an `order`, the program assumes only that a segment comes before the classes that
    contain the segment.
    """
    nodes = [_nodes(view, at) for at in range(len(view.attributes))]
    every = np.prod([float(own.shape[1]) for own in nodes])
    segments = np.prod([float(own.shape[0]) for own in nodes])
    if every > MOST_VARIABLES or segments > MOST_SEGMENTS or view.intervals:
        return None
    universe = grid([np.arange(own.shape[1], dtype=np.int64) for own in nodes])
    first = view.place(universe)
    variables: list[tuple[Cells, int]] = []
    records: dict[int, int] = {}
    for number in range(view.classes):
        variables.append((universe[:, first == number], number))
        records[number] = int(view.sizes[number])
    if suppressed:
        variables.append((universe[:, first == OUT], OUT))
        records[OUT] = suppressed
    cells = np.concatenate([own for own, _ in variables], axis=1)
    in_class = np.repeat([number for _, number in variables], [c.shape[1] for c, _ in variables])
    rows = _limits(view, nodes, cells, in_class, order)
    limits = np.unique(np.array(list(rows), dtype=np.bool_).reshape(-1, in_class.size), axis=0)
    return SegmentProgram(cells, in_class.astype(np.int64), records, limits, view.k)


def _nodes(view: PublishedView, at: int) -> Flags:
    """Return a ``(sets, values)`` array of the sets of values that a segment can show."""
    shown = view.shows[at].T
    groups = [
        own & (below == label)
        for own, below in zip(shown, view.children[at], strict=True)
        for label in np.unique(below[own])
    ]
    return np.unique(np.concatenate([shown, np.array(groups)]), axis=0)


def _limits(
    view: PublishedView,
    nodes: Sequence[Flags],
    cells: Cells,
    in_class: NDArray[np.int64],
    order: Order | None,
) -> Iterator[Flags]:
    """For each segment that is not a class, yield the variables that remain when its turn comes."""
    boxes = [view.shows[at][:, view.numbers[:, at]].T for at in range(len(nodes))]
    turns = None if order is None else [order(tuple(own)) for own in view.widths.tolist()]
    for segment in product(*nodes):
        within = np.ones(cells.shape[1], dtype=np.bool_)
        same = np.ones(view.classes, dtype=np.bool_)
        dearer = np.ones(view.classes, dtype=np.bool_)
        for own, box, codes in zip(segment, boxes, cells, strict=True):
            within &= own[codes]
            same &= (box == own).all(axis=1)
            dearer &= (box | ~own).all(axis=1)
        # A segment that shows all values in every column equals suppression, and has no turn.
        if same.any() or all(own.all() for own in segment):
            continue
        if order is not None and turns is not None:
            turn = order(tuple(int(own.sum()) for own in segment))
            dearer = np.array([turn < other for other in turns], dtype=np.bool_)
        yield within & np.append(dearer, True)[in_class]


def solutions(
    program: SegmentProgram, most: int, *, steps: int = MOST_STEPS
) -> list[Counts] | None:
    """Return all solutions, or None if there are more than `most` or if `steps` are not enough.

    The search assigns values to the variables one after another. In each step, the remaining
    variables must be able to supply what is still missing in each sum.
    """
    found: list[Counts] = []
    sums, limits = program.sums, program.limits
    room = np.full(limits.shape[0], program.k - 1, dtype=np.int64)
    left = np.array(list(program.records.values()), dtype=np.int64)
    number = program.in_class.size
    to_come = np.array([sums[:, at:].any(axis=1) for at in range(number + 1)])
    counts = np.zeros(number, dtype=np.int64)
    taken = 0

    def fits(at: int) -> bool:
        # Each remaining variable is bounded by the smallest room in its segments.
        if (left[~to_come[at]] > 0).any():
            return False
        bounded = limits[:, at:]
        least = np.where(bounded, room[:, None], np.iinfo(np.int64).max)
        each = least.min(axis=0, initial=int(left.sum()))
        return bool(((sums[:, at:] * each).sum(axis=1) >= left).all())

    def going_on(at: int) -> bool:
        nonlocal taken, room, left
        taken += 1
        if taken > steps:
            return False
        if at == number:
            if left.any():
                return True
            found.append(counts.copy())
            return len(found) <= most
        if not fits(at):
            return True
        own = limits[:, at]
        highest = min(int(left[sums[:, at]].min()), int(room[own].min(initial=int(left.max()))))
        for value in range(highest, -1, -1):
            counts[at] = value
            room[own] -= value
            left[sums[:, at]] -= value
            more = going_on(at + 1)
            room[own] += value
            left[sums[:, at]] += value
            if not more:
                return False
        counts[at] = 0
        return True

    return found if going_on(0) else None


def bounds_of(program: SegmentProgram, sums: Flags) -> CountBounds | None:
    """Return bounds on some sums of the variables, or None if there is no solution."""
    totals = np.array(list(program.records.values()), dtype=np.float64)
    rows = np.concatenate([program.sums, program.limits]).astype(np.float64)
    low = np.concatenate([totals, np.zeros(program.limits.shape[0])])
    high = np.concatenate([totals, np.full(program.limits.shape[0], float(program.k - 1))])
    most = totals[np.argmax(program.sums, axis=0)]
    return extremes(sums.astype(np.float64), rows, low, high, most)
