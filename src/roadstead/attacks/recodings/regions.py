"""Find the combinations that a class can have, without the combinations of earlier classes.

A record is in the first class that shows its values. So the region of a class is its box without
all earlier boxes. Small boxes are examined cell by cell. In a larger box, cells are drawn with the
chances that the attacker assumes. If no drawn cell has a value, the attack makes no claim about the
value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.view import PublishedView, Reals

Cells = NDArray[np.uint32]
"""Combinations of value codes, shape ``(attributes, cells)``."""

MOST_CELLS = 4_096
_MOST_AT_ONCE = 400_000


@dataclass(frozen=True)
class Region:
    """The remaining combinations of a class.

    `share` is the remaining part of the box, by the attacker's weights. `volume` is the number of
    remaining cells. If `exact` is false, both are estimates from drawn cells. For each attribute,
    `likely` has the chance of each value of the table. `best` has the most likely cells, which are
    equally likely. `ties` is the number of all such cells, and can exceed the number in `best`.
    """

    number: int
    share: float
    volume: float
    exact: bool
    likely: tuple[Reals, ...] = field(repr=False)
    best: Cells = field(repr=False)
    ties: float


def weights_of(view: PublishedView, *, uniform: bool) -> tuple[Reals, ...]:
    """Return the chances of the values of each attribute before the attacker uses the classes."""
    return tuple(np.ones_like(m) if uniform else m / m.sum() for m in view.margins)


def box_of(view: PublishedView, number: int) -> list[NDArray[np.int64]]:
    """Return the value codes that a class shows, by attribute."""
    return [view.values(number, at) for at in range(len(view.attributes))]


def grid(values: Sequence[NDArray[np.int64]]) -> Cells:
    """Return all combinations of values."""
    axes = np.meshgrid(*values, indexing="ij")
    return np.stack([axis.reshape(-1) for axis in axes]).astype(np.uint32)


def regions(
    view: PublishedView,
    weights: Sequence[Reals],
    chosen: Sequence[int],
    *,
    cells: int = MOST_CELLS,
    seed: int = 0,
) -> Iterator[Region]:
    """Yield the region of each chosen class, in order."""
    pending: list[tuple[int, bool, Cells]] = []
    waiting = 0
    for number in chosen:
        values = box_of(view, number)
        exact = int(np.prod([float(own.size) for own in values])) <= cells
        codes = grid(values) if exact else _drawn(values, weights, cells, (seed, number))
        pending.append((number, exact, codes))
        waiting += codes.shape[1]
        if waiting >= _MOST_AT_ONCE:
            yield from _placed(view, weights, pending)
            pending, waiting = [], 0
    yield from _placed(view, weights, pending)


def _drawn(
    values: Sequence[NDArray[np.int64]], weights: Sequence[Reals], cells: int, seed: Sequence[int]
) -> Cells:
    """Draw cells of a box with a fixed seed. The last cell is the most likely cell."""
    chance = np.random.default_rng(seed)
    drawn = []
    for own, weight in zip(values, weights, strict=True):
        steps = np.cumsum(weight[own])
        places = np.searchsorted(steps, chance.random(cells) * steps[-1], side="right")
        places = np.minimum(places, own.size - 1)
        drawn.append(own[np.append(places, np.argmax(weight[own]))])
    return np.stack(drawn).astype(np.uint32)


def _placed(
    view: PublishedView, weights: Sequence[Reals], pending: Sequence[tuple[int, bool, Cells]]
) -> Iterator[Region]:
    if not pending:
        return
    first = view.place(np.concatenate([codes for _, _, codes in pending], axis=1))
    start = 0
    for number, exact, codes in pending:
        left = first[start : start + codes.shape[1]] == number
        start += codes.shape[1]
        yield _region(view, weights, number, codes, left, exact=exact)


def _region(
    view: PublishedView,
    weights: Sequence[Reals],
    number: int,
    codes: Cells,
    left: NDArray[np.bool_],
    *,
    exact: bool,
) -> Region:
    """Weight the remaining cells, or all cells if no cell remains."""
    by_attribute = [weight[own] for weight, own in zip(weights, codes, strict=True)]
    weight = np.prod(by_attribute, axis=0)
    measure = weight
    if not exact:
        measure = np.ones(codes.shape[1])
        measure[-1] = 0.0  # The last cell is the most likely cell, which was not drawn.
    share = float(measure[left].sum() / measure.sum())
    width = float(np.prod(view.widths[number].astype(np.float64)))
    volume = float(left.sum()) if exact else share * width
    if share <= 0.0:
        left, share, volume = np.ones_like(left), 1.0, width
        exact, measure = False, np.ones(codes.shape[1])
    likely = []
    for at, (own, weight_of) in enumerate(zip(codes, weights, strict=True)):
        chance = np.bincount(own[left], measure[left], minlength=weight_of.size)
        if not exact:
            # The weight of each value times its remaining part. If nothing is removed, this is the
            # whole weight.
            drawn = np.bincount(own, measure, minlength=weight_of.size)
            shown = view.shows[at][:, view.numbers[number, at]]
            part = np.where(drawn > 0.0, chance / np.maximum(drawn, 1.0), share)
            chance = np.where(shown, weight_of * part, 0.0)
        likely.append(chance / chance.sum())
    own_weight = weight[left]
    top = own_weight >= own_weight.max() * (1.0 - 1e-9)
    best = np.unique(codes[:, left][:, top], axis=1)
    flat = bool(np.ptp(weight) <= weight.max() * 1e-9)
    return Region(
        number, share, volume, exact, tuple(likely), best, volume if flat else float(best.shape[1])
    )
