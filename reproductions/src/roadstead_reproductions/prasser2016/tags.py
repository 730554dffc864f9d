"""Implicit and explicit marks of a lattice, for the same search.

Paper 003 compares two ways to store predictions about policies. The explicit way materializes the
lattice, which has a node for each policy and links between neighbors. A property is passed on along
these links. The implicit way has an antichain for each property. Flash accesses both stores through
the marks of `search.ledger`, so Flash takes the same steps, and only memory and time differ.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain, Levels, with_level
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.protocol import Control, Outcome
from roadstead_reproductions.predictive_stores import Operation
from roadstead_reproductions.searches.antichain import Antichain, inherited_down, inherited_up
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.ledger import (
    HOPELESS,
    INSUFFICIENT,
    SUFFICES,
    VISITED,
    Tags,
    shape,
)


class Recorder(Antichain):
    """An antichain that records its updates and queries in `trace`."""

    __slots__ = ("trace",)

    def __init__(self, *, mirrored: bool) -> None:
        super().__init__(mirrored=mirrored)
        self.trace: list[Operation] = []

    def add(self, levels: Levels) -> None:
        """Store that a policy has the property."""
        self.trace.append(("add", levels))
        super().add(levels)

    def __contains__(self, levels: Levels) -> bool:
        self.trace.append(("ask", levels))
        return super().__contains__(levels)


class ImplicitTags(Tags):
    """Marks that are stored in antichains, with no entries for policies that were not evaluated.

    Too much suppression is checked first, as in the paper, because such a policy does not need
    other marks.
    """

    def __init__(self, hopeless: Antichain, insufficient: Antichain, suffices: Antichain) -> None:
        self._hopeless = hopeless
        self._up = {INSUFFICIENT: insufficient, SUFFICES: suffices}
        self._visited: set[Levels] = set()

    def __getitem__(self, levels: Levels) -> int:
        """Return the marks of a policy."""
        if levels in self._hopeless:
            return HOPELESS
        found = VISITED if levels in self._visited else 0
        for mark, store in self._up.items():
            if levels in store:
                found |= mark
        return found

    def mark(self, levels: Levels, mark: int) -> None:
        """Mark one policy as visited."""
        if mark != VISITED:
            raise ValueError(f"mark {mark} passes on")
        self._visited.add(levels)

    def mark_up(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more general policies."""
        self._up[mark].add(levels)

    def mark_down(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more specific policies as suppressing too much."""
        if mark != HOPELESS:
            raise ValueError(f"mark {mark} does not pass down")
        self._hopeless.add(levels)

    def copy(self) -> ImplicitTags:
        """Copy the marks. As in a search, each policy is a new tuple."""
        up = self._up
        made = ImplicitTags(
            _filled(inherited_down(), self._hopeless),
            _filled(inherited_up(), up[INSUFFICIENT]),
            _filled(inherited_up(), up[SUFFICES]),
        )
        made._visited = {(*levels[:-1], levels[-1]) for levels in self._visited}
        return made


class RecordedTags(ImplicitTags):
    """Implicit marks that record their updates and queries.

    `hopeless` and `insufficient` record the operations on the two properties. `needless` counts
    queries about a policy directly above the last policy that was marked as insufficient.
    """

    def __init__(self) -> None:
        self.hopeless = Recorder(mirrored=True)
        self.insufficient = Recorder(mirrored=False)
        super().__init__(self.hopeless, self.insufficient, inherited_up())
        self.needless = 0
        self._right_above: frozenset[Levels] = frozenset()

    def __getitem__(self, levels: Levels) -> int:
        """Return the marks of a policy."""
        self.needless += levels in self._right_above
        return super().__getitem__(levels)

    def mark_up(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more general policies."""
        super().mark_up(levels, mark)
        if mark == INSUFFICIENT:
            self._right_above = frozenset(
                with_level(levels, i, level + 1) for i, level in enumerate(levels)
            )


def _filled(store: Antichain, kept: Antichain) -> Antichain:
    for levels in kept:
        store.add(levels)
    return store


class ExplicitTags(Tags):
    """Marks on a materialized lattice, in which every policy has levels, neighbors, and marks.

    A mark is passed on along the links, and stops where it already exists. The lattice is stored in
    arrays with one row per policy, which is the most compact way to store links.
    """

    def __init__(self, space: FullDomain) -> None:
        sizes = shape(space)
        count = prod(sizes)
        strides = [prod(sizes[i + 1 :]) for i in range(len(sizes))]
        self._bottom = space.bottom
        self._strides = strides
        self._tags = np.zeros(count, dtype=np.uint8)
        self._levels = np.empty((count, len(sizes)), dtype=np.uint8)
        self._above = np.full((count, len(sizes)), -1, dtype=np.int32)
        self._below = np.full((count, len(sizes)), -1, dtype=np.int32)
        numbers = np.arange(count, dtype=np.int32)
        for i, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
            own = (numbers // np.int32(stride)) % np.int32(size)
            self._levels[:, i] = own
            raisable, lowerable = own < size - 1, own > 0
            self._above[raisable, i] = numbers[raisable] + np.int32(stride)
            self._below[lowerable, i] = numbers[lowerable] - np.int32(stride)

    def __getitem__(self, levels: Levels) -> int:
        """Return the marks of a policy."""
        return int(self._tags[self._number(levels)])

    def mark(self, levels: Levels, mark: int) -> None:
        """Mark one policy."""
        self._tags[self._number(levels)] |= mark

    def mark_up(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more general policies."""
        self._pass_on(levels, mark, self._above)

    def mark_down(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more specific policies."""
        self._pass_on(levels, mark, self._below)

    def _pass_on(self, levels: Levels, mark: int, links: NDArray[np.int32]) -> None:
        front = np.array([self._number(levels)], dtype=np.int32)
        while front.size:
            front = front[(self._tags[front] & mark) == 0]
            self._tags[front] |= mark
            beyond = links[front].ravel()
            front = np.unique(beyond[beyond >= 0])

    def _number(self, levels: Levels) -> int:
        pairs = zip(levels, self._bottom, self._strides, strict=True)
        return sum((level - low) * stride for level, low, stride in pairs)


def flash_with(tags: Tags, problem: FullDomainProblem, control: Control) -> Outcome[Levels]:
    """Run Flash with given marks."""
    return flash(tags=lambda _space: tags).run(problem, control)
