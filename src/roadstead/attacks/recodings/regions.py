"""Find the combinations that can occur in a class but not in any earlier class.

A record belongs to the first class that shows its values. So the region of a class is the box of
the class minus the boxes of all earlier classes. Small boxes are examined cell by cell. In a larger
box, cells are drawn with the probabilities that the attacker assumes. If a value does not occur in
any drawn cell, the attack does not make a claim about this value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.view import PublishedView, Reals

Cells = NDArray[np.uint32]
"""Combinations of value codes, in an array of shape ``(attributes, cells)``."""

MOST_CELLS = 4_096
_MOST_AT_ONCE = 400_000


@dataclass(frozen=True)
class Region:
    """The combinations that remain possible in a class.

    `share` is the remaining share of the box, weighted by the attacker's probabilities. `volume` is
    the number of remaining cells. If `exact` is false, both are estimates from drawn cells. For
    each attribute, `likely` gives the probability of each value in the table. `best` lists some or
    all of the most likely cells. `ties` is the number of all most likely cells.
    """

    number: int
    share: float
    volume: float
    exact: bool
    likely: tuple[Reals, ...] = field(repr=False)
    best: Cells = field(repr=False)
    ties: float


def weights_of(view: PublishedView) -> tuple[Reals, ...]:
    """Return the probabilities of the values before the attacker considers the classes."""
    return tuple(margin / margin.sum() for margin in view.margins)


def box_of(view: PublishedView, number: int) -> list[NDArray[np.int64]]:
    """Return the value codes that a class shows for each attribute."""
    return [view.values(number, at) for at in range(len(view.attributes))]


def grid(values: Sequence[NDArray[np.int64]]) -> Cells:
    """Return all combinations of values."""
    axes = np.meshgrid(*values, indexing="ij")
    return np.stack([axis.reshape(-1) for axis in axes]).astype(np.uint32)


def regions(
    view: PublishedView, weights: Sequence[Reals], chosen: Sequence[int], *, seed: int = 0
) -> Iterator[Region]:
    """Yield the region of each chosen class, in the order of the classes."""
    boxes = ((number, _cells(view, weights, number, seed)) for number in chosen)
    for number, codes, left in remaining(view, boxes):
        exact = _is_small(view, number)
        yield _region(view, weights, number, codes, left, exact=exact)


def remaining(
    view: PublishedView, boxes: Iterable[tuple[int, Cells]]
) -> Iterator[tuple[int, Cells, NDArray[np.bool_]]]:
    """For each class and its cells, also yield which cells do not belong to an earlier class."""
    pending: list[tuple[int, Cells]] = []
    waiting = 0
    for number, codes in boxes:
        pending.append((number, codes))
        waiting += codes.shape[1]
        if waiting >= _MOST_AT_ONCE:
            yield from _placed(view, pending)
            pending, waiting = [], 0
    yield from _placed(view, pending)


def _placed(
    view: PublishedView, pending: Sequence[tuple[int, Cells]]
) -> Iterator[tuple[int, Cells, NDArray[np.bool_]]]:
    if not pending:
        return
    first = view.place(np.concatenate([codes for _, codes in pending], axis=1))
    start = 0
    for number, codes in pending:
        yield number, codes, first[start : start + codes.shape[1]] == number
        start += codes.shape[1]


def _is_small(view: PublishedView, number: int) -> bool:
    """Return whether the box of a class is examined cell by cell."""
    return bool(np.prod(view.widths[number].astype(np.float64)) <= MOST_CELLS)


def _cells(view: PublishedView, weights: Sequence[Reals], number: int, seed: int) -> Cells:
    """Return all cells of a class, or drawn cells if the box is large."""
    values = box_of(view, number)
    return grid(values) if _is_small(view, number) else _drawn(values, weights, (seed, number))


def _drawn(
    values: Sequence[NDArray[np.int64]], weights: Sequence[Reals], seed: Sequence[int]
) -> Cells:
    """Draw cells in a box with a fixed seed, and append the most likely cell."""
    chance = np.random.default_rng(seed)
    drawn = []
    for own, weight in zip(values, weights, strict=True):
        steps = np.cumsum(weight[own])
        places = np.searchsorted(steps, chance.random(MOST_CELLS) * steps[-1], side="right")
        places = np.minimum(places, own.size - 1)
        drawn.append(own[np.append(places, np.argmax(weight[own]))])
    return np.stack(drawn).astype(np.uint32)


def _region(
    view: PublishedView,
    weights: Sequence[Reals],
    number: int,
    codes: Cells,
    left: NDArray[np.bool_],
    *,
    exact: bool,
) -> Region:
    """Compute the region from the remaining cells, or from all cells if none remains."""
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
            # Multiply the weight of each value by its remaining share. If nothing is removed, the
            # weight does not change.
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
