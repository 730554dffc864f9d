"""A mark for each policy of a lattice, for searches that predict from all they know.

Where a property passes from a policy to everything above or below it, it is written down there at
once (predictive tagging; paper 003, Search strategies, type 1). To ask is then a look-up. The price
is memory for every policy, so lattices of more than `MOST_POLICIES` are refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.ledger import Ledger

MOST_POLICIES = 1 << 22
_CHUNK = 4096
_MOST_DIMENSIONS = 64
"""Of a NumPy array."""

SUFFICES = 1
"""The monotone part of the privacy model suppresses at most the limit; passes up."""
HOPELESS = 2
"""It suppresses more than the limit; passes down."""
INSUFFICIENT = 4
"""Not better than a policy that was looked at; passes up."""
VISITED = 8
"""The search went on from here."""


def too_many(space: FullDomain) -> str | None:
    """Why a lattice is too large to be marked; None where it is not."""
    if space.size > MOST_POLICIES:
        return (
            f"it keeps a mark for every policy, and there are {space.size:,}, more than the "
            f"{MOST_POLICIES:,} it takes"
        )
    if len(space.attributes) > _MOST_DIMENSIONS:
        return (
            f"it takes {_MOST_DIMENSIONS} quasi-identifiers at most, and there are "
            f"{len(space.attributes)}"
        )
    return None


class Tags:
    """Marks of the policies of a space, any of the four together; none at first."""

    def __init__(self, space: FullDomain) -> None:
        self._bottom = space.bottom
        self._marks: NDArray[np.uint8] = np.zeros(shape(space), dtype=np.uint8)

    def __getitem__(self, levels: Levels) -> int:
        """Marks of a policy."""
        return int(self._marks[self._place(levels)])

    def mark(self, levels: Levels, mark: int) -> None:
        """Mark one policy."""
        self._marks[self._place(levels)] |= mark

    def mark_up(self, levels: Levels, mark: int) -> None:
        """Mark a policy and everything above it."""
        self._marks[tuple(slice(at, None) for at in self._place(levels))] |= mark

    def mark_down(self, levels: Levels, mark: int) -> None:
        """Mark a policy and everything below it."""
        self._marks[tuple(slice(at + 1) for at in self._place(levels))] |= mark

    def unmarked(self, lower: Levels, upper: Levels) -> bool:
        """Whether a policy between two has no mark."""
        pairs = zip(self._place(lower), self._place(upper), strict=True)
        return not self._marks[tuple(slice(low, high + 1) for low, high in pairs)].all()

    def _place(self, levels: Levels) -> Levels:
        return tuple(level - low for level, low in zip(levels, self._bottom, strict=True))


def shape(space: FullDomain) -> tuple[int, ...]:
    """How many levels of each attribute a space has."""
    return tuple(high - low + 1 for low, high in zip(space.bottom, space.top, strict=True))


def levels_of(space: FullDomain, numbers: NDArray[np.intp]) -> list[Levels]:
    """Policies by their numbers in lexicographic order."""
    columns = np.unravel_index(numbers, shape(space))
    table = np.stack(columns, axis=1) + np.array(space.bottom)
    return [tuple(row) for row in table.tolist()]


def each_in_order(ledger: Ledger, numbers: NDArray[np.intp]) -> Iterator[Levels]:
    """Policies by their numbers; it can be stopped between, though no policy is looked at."""
    for at in range(0, numbers.size, _CHUNK):
        ledger.go_on()
        ledger.open = numbers.size - at
        yield from levels_of(ledger.problem.space, numbers[at : at + _CHUNK])


def sums(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Add up, for every policy in lexicographic order, a value that each of its levels has."""
    total = np.zeros(1)
    for own in values:
        total = np.add.outer(total, own).ravel()
    return total
