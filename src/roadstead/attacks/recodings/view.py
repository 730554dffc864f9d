"""Compute what an attacker sees of a recoding: the classes, their order, and their sizes.

The attacker also knows the frequency of each value of each attribute, because such margins are
often public, for example, in a census. The judge compares the guesses with the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.axes import Axis
from roadstead.policies.placement import placed
from roadstead.search.recoding.protocol import OUT, Parts, Recoded, RecodingProblem

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class PublishedView:
    """The classes in order, and the parts that each class shows.

    For each attribute, `shows` is a ``(values, parts)`` array that marks the values of each part.
    `numbers` is a ``(classes, attributes)`` array that gives the part that each class shows for
    each attribute. For each attribute, `children` is a ``(parts, values)`` array that gives the
    group of each value one step below a part. For a node of a hierarchy, the group is a child of
    the node. For an interval, the group is a position on the axis. `sizes` gives the number of
    records in each class. `margins` gives the frequency of each value.
    """

    attributes: tuple[str, ...]
    intervals: bool
    k: int
    shows: tuple[NDArray[np.bool_], ...] = field(repr=False)
    children: tuple[NDArray[np.int64], ...] = field(repr=False)
    numbers: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    margins: tuple[Reals, ...] = field(repr=False)

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return int(self.numbers.shape[0])

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """Return how many values each class shows, in shape ``(classes, attributes)``."""
        return np.stack(
            [shown.sum(axis=0)[self.numbers[:, at]] for at, shown in enumerate(self.shows)], axis=1
        ).astype(np.int64)

    def values(self, number: int, attribute: int) -> NDArray[np.int64]:
        """Return the value codes that a class shows for an attribute."""
        return np.flatnonzero(self.shows[attribute][:, self.numbers[number, attribute]])

    def place(self, codes: NDArray[np.uint32]) -> NDArray[np.int32]:
        """For each combination, return the first class that shows the combination.

        `codes` has shape ``(attributes, combinations)``.
        """
        return placed(codes, self.shows, self.numbers)


@dataclass(frozen=True)
class Truth:
    """The original table: the value codes, the number of records, and the class of each row."""

    codes: NDArray[np.uint32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    rows: NDArray[np.int32] = field(repr=False)

    def members(self, classes: int) -> list[NDArray[np.int64]]:
        """Return the rows of each class."""
        order = np.argsort(self.rows, kind="stable")
        bounds = np.searchsorted(self.rows[order], np.arange(classes + 1))
        return [order[a:b] for a, b in pairwise(bounds)]


def drawn_classes(candidates: NDArray[np.int64], most: int, seed: int) -> list[int]:
    """Draw at most `most` of the given classes at random, with a fixed seed."""
    if candidates.size > most:
        chance = np.random.default_rng((seed, candidates.size))
        candidates = np.sort(chance.choice(candidates, size=most, replace=False))
    return [int(number) for number in candidates]


def view_of(problem: RecodingProblem, recoded: Recoded, *, k: int | None = None) -> PublishedView:
    """Return the view of a recoding. `k` is the published k. The default is the problem's k."""
    encoding, numbers, shows, children = problem.encoding, [], [], []
    for at, own in enumerate(np.moveaxis(recoded.parts, 1, 0)):
        unique, inverse = np.unique(own, axis=0, return_inverse=True)
        numbers.append(inverse.reshape(-1).astype(np.int32))
        if problem.axes:
            shown, below = _of_intervals(problem.axes[at], unique)
        else:
            shown, below = _of_nodes(encoding.lookups[at], unique)
        shows.append(shown)
        children.append(below)
    inside = recoded.rows != OUT
    sizes = np.bincount(
        recoded.rows[inside], encoding.counts[inside], minlength=recoded.parts.shape[0]
    )
    margins = [
        np.bincount(codes, encoding.counts, minlength=len(domain)).astype(np.float64)
        for codes, domain in zip(encoding.codes, encoding.table.domains, strict=True)
    ]
    return PublishedView(
        encoding.attributes,
        bool(problem.axes),
        problem.k if k is None else k,
        tuple(shows),
        tuple(children),
        np.ascontiguousarray(np.stack(numbers, axis=1)),
        sizes.astype(np.int64),
        tuple(margins),
    )


def truth_of(problem: RecodingProblem, recoded: Recoded) -> Truth:
    """Return the table that the view hides."""
    return Truth(problem.encoding.codes, problem.encoding.counts, recoded.rows)


def _of_intervals(axis: Axis, parts: Parts) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    places = axis.places[:, None]
    shown = np.asarray((parts[:, 0] <= places) & (places <= parts[:, 1]))
    return shown, np.tile(axis.places.astype(np.int64), (parts.shape[0], 1))


def _of_nodes(
    lookups: tuple[NDArray[np.uint32], ...], parts: Parts
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the values and children of nodes. The children are the labels one level lower."""
    codes = np.stack(lookups, axis=1)
    shown = np.asarray(codes[:, parts[:, 0]] == parts[:, 1])
    return shown, codes[:, np.maximum(parts[:, 0] - 1, 0)].T.astype(np.int64)
