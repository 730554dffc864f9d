"""Local recoding by first fit, which gives the initial classes of local search.

The search visits vectors of levels in ascending order of their loss on the whole table. At each
vector, it groups the records that have no class yet, and keeps the classes that satisfy the privacy
model. A heap generates the vectors as needed, because a lattice may have too many vectors to list.
After `VECTORS` vectors, the search generalizes one attribute at a time by one level, starting with
the lowest added loss, until the remaining records also have classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes, keep, one_class, refine
from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.protocol import (
    Parts,
    RecodingOutcome,
    RecodingProblem,
    opened,
    settled,
)

VECTORS = 20_000


def first_fit_classes(problem: RecodingProblem, control: Control) -> RecodingOutcome:
    """Assign each record to the first vector of levels that fits, by ascending mean cost."""
    control.begin()
    encoding = problem.encoding
    top = tuple(height - 1 for height in encoding.heights)
    left = one_class(encoding)
    parts: list[Parts] = []
    ending: Ending | None = None
    tried = 0
    for levels in _vectors(problem):
        classes = refine(encoding, left, top, levels)
        kept = problem.privacy.satisfied(classes)
        tried += 1
        if kept.any():
            stay, dropped = keep(classes, kept)
            rows = stay.rows[np.unique(stay.ids, return_index=True)[1]]
            parts.append(_shown(problem, levels, rows))
            left = _one_class_of(dropped, encoding.counts)
            if not left.records:
                break
        if (ending := control.ending(tried)) is not None:
            break
    end: Ending = ending or "complete"
    if not parts:
        return RecodingOutcome(None, 1.0, 0.0, control.seconds, end, tried)
    proposed = np.concatenate(parts)
    # In the order of the search, each record is in the class proposed for it. In the
    # order of class losses, a record may be in a cheaper class if that class still exists after
    # other records have left it.
    found = min(
        (make(problem, proposed) for make in (opened, settled)),
        key=lambda recoded: recoded.loss(problem),
    )
    best = found if found.parts.shape[0] else None
    loss = 1.0 if best is None else best.loss(problem)
    return RecodingOutcome(best, loss, 0.0, control.seconds, end, tried)


def _vectors(problem: RecodingProblem) -> Iterator[Levels]:
    """Yield vectors of levels by ascending mean cost, and after the limit, a path to the top."""
    costs = _mean_costs(problem)
    last = problem.space.bottom
    for levels in islice(ascending(problem.space.bottom, costs), VECTORS):
        last = levels
        yield levels
    yield from _path(last, problem.space.top, problem.space.bottom, costs)


def _mean_costs(problem: RecodingProblem) -> list[list[float]]:
    """Return the mean loss at each allowed level of each attribute."""
    encoding, space = problem.encoding, problem.space
    return [
        [
            float(encoding.counts @ (leaves[codes] - 1)) * share / max(h.domain_size - 1, 1)
            for leaves in levels[low : high + 1]
        ]
        for levels, codes, share, h, low, high in zip(
            encoding.leaves,
            encoding.codes,
            problem.shares,
            encoding.hierarchies,
            space.bottom,
            space.top,
            strict=True,
        )
    ]


def ascending(bottom: Levels, costs: Sequence[Sequence[float]]) -> Iterator[Levels]:
    """Yield the vectors in ascending order of their cost.

    The costs of each attribute's levels must be in ascending order. Each vector has exactly one
    predecessor. To obtain this predecessor, the last level above the bottom is lowered by one.
    """
    size = len(costs)
    heap: list[tuple[float, Levels, int]] = []

    def push(steps: Levels, moved: int) -> None:
        cost = sum(own[step] for own, step in zip(costs, steps, strict=True))
        heappush(heap, (cost, steps, moved))

    push((0,) * size, 0)
    while heap:
        _, steps, moved = heappop(heap)
        yield tuple(low + step for low, step in zip(bottom, steps, strict=True))
        for at in range(moved, size):
            if steps[at] + 1 < len(costs[at]):
                push(with_level(steps, at, steps[at] + 1), at)


def _path(
    levels: Levels, top: Levels, bottom: Levels, costs: Sequence[Sequence[float]]
) -> Iterator[Levels]:
    """Go up level by level to the top, each time in the attribute with the lowest added loss."""
    while levels != top:
        rises = (
            (costs[at][step + 1 - low] - costs[at][step - low], at)
            for at, (step, low, high) in enumerate(zip(levels, bottom, top, strict=True))
            if step < high
        )
        _, at = min(rises)
        levels = with_level(levels, at, levels[at] + 1)
        yield levels


def _shown(problem: RecodingProblem, levels: Levels, rows: NDArray[np.uint32]) -> Parts:
    """Return the parts of the given rows at the given levels."""
    encoding = problem.encoding
    labels = [
        lookups[level][codes[rows]]
        for lookups, codes, level in zip(encoding.lookups, encoding.codes, levels, strict=True)
    ]
    vector = np.tile(np.array(levels, dtype=np.int32), (rows.size, 1))
    return np.stack([vector, np.stack(labels, axis=1).astype(np.int32)], axis=2)


def _one_class_of(rows: NDArray[np.uint32], counts: NDArray[np.int64]) -> Classes:
    members = rows.astype(np.uint64) << np.uint64(32)
    return Classes(members, np.zeros(1, np.uint32), np.array([int(counts[rows].sum())], np.int64))
