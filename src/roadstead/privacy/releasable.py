"""Find bounds on the records that more specific policies can release from each class.

The models are applied in turn: if one model excludes rows, the part gets smaller, and the next
model may then exclude more rows. See docs/methods/bounds-of-models.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import grouping
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.combination import AllOf
from roadstead.privacy.conditions import SLACK
from roadstead.privacy.protocol import (
    BarsRows,
    BoundPrivacy,
    BoundsBlocks,
    BoundsClasses,
    BoundsReleases,
    BoundsTogether,
)


@dataclass(frozen=True)
class Releasable:
    """Limits on what lower policies can release from some classes.

    Lower policies do not release the `barred` rows. They release at most `records` records in
    total, at most `of_each` records from each class, and at most `classes` classes if `classes` is
    not None.
    """

    barred: NDArray[np.uint32]
    records: int
    of_each: NDArray[np.int64]
    classes: int | None = None


@dataclass(frozen=True)
class ReleaseBounds:
    """The models of a combination that can limit what lower policies release."""

    by_part: tuple[BoundsReleases, ...]
    by_block: tuple[BoundsBlocks, ...]
    together: tuple[BoundsTogether, ...]
    by_class: tuple[BoundsClasses, ...] = ()
    least: int = 1  # the smallest size of any released class

    def __bool__(self) -> bool:
        return bool(self.by_part or self.together)

    def below(
        self, classes: Classes, failing: NDArray[np.bool_], counts: NDArray[np.int64]
    ) -> Releasable:
        """Find bounds on what lower policies can release from classes numbered without gaps.

        The method examines only the failing classes, because the policy itself releases all other
        classes. `counts` is the number of records in each row of the table.
        """
        barred = np.zeros(classes.members.size, dtype=np.bool_)
        most = classes.sizes.copy()
        if self.by_part and failing.any():
            looked_at = failing[classes.ids]
            number = (np.cumsum(failing) - 1).astype(np.uint32)[classes.numbers]
            parts = Classes(classes.members[looked_at], number, most[failing])
            most[failing], barred[looked_at] = self._by_part(parts, counts)
        return self._in_all(classes, most, classes.rows[barred])

    def between(self, classes: Classes, failing: NDArray[np.bool_], blocks: Classes) -> Releasable:
        """Find bounds on what policies between two given policies can release.

        The `blocks` are the classes of the more specific policy. Both `classes` and `blocks` are
        numbered without gaps and have the same rows.
        """
        parts, _ = keep(classes, failing)
        whole = _holding(classes, blocks)
        inside = failing[whole]
        looked_at, _ = keep(blocks, inside)
        part = (np.cumsum(failing) - 1)[whole[inside]]
        released, before = parts.sizes, parts.sizes + 1
        never = np.zeros(part.size, dtype=np.bool_)
        others = [one for one in self.by_part if not _has_blocks(one)]
        while (released < before).any():
            before = released
            for block in self.by_block:
                released, out = block.blocks_released(looked_at, part, released)
                never |= out
            for one in others:
                released = np.minimum(released, one.most_released(parts, released))
        never |= (released == 0)[part]
        most = classes.sizes.copy()
        most[failing] = released
        return self._in_all(classes, most, looked_at.rows[never[looked_at.ids]])

    def fewer(self, room: Releasable, classes: Classes, blocks: Classes) -> Releasable:
        """Find a bound on the classes that the policies in between can release within `room`.

        The shares of all blocks in a class add up to 1. If the class has at least `least` records,
        the share of a block is at most its size divided by `least`. So the number of classes inside
        a class of the more general policy is at most the sum of these quotients.
        """
        whole, sizes = _holding(classes, blocks), blocks.sizes
        least = np.maximum(sizes, self.least).astype(np.float64)
        for one in self.by_class:
            least = np.maximum(least, one.least_containing(blocks))
        least = np.ceil(least * (1.0 - SLACK))
        never = np.zeros(int(blocks.rows.max(initial=0)) + 1, dtype=np.bool_)
        never[room.barred[room.barred < never.size]] = True
        shares = np.where(least > room.of_each[whole], 0.0, sizes / least)
        shares[blocks.ids[never[blocks.rows]]] = 0.0
        summed = np.bincount(whole, weights=shares, minlength=classes.sizes.size)
        number = int(np.floor(summed * (1.0 + SLACK) + SLACK).sum())
        return replace(room, classes=number if room.classes is None else min(number, room.classes))

    def _in_all(
        self, classes: Classes, most: NDArray[np.int64], rows: NDArray[np.uint32]
    ) -> Releasable:
        records = int(np.add.reduce(most))
        for one in self.together:
            records = min(records, one.most_together(classes, most))
        few = [n for one in self.together if (n := one.most_classes(records)) is not None]
        return Releasable(rows, records, most, min(few, default=None))

    def _by_part(
        self, parts: Classes, counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return an upper bound on the number of records in each part, and mark members to exclude.

        Excluded rows make a part smaller, so more rows may be excluded. One repetition without
        these rows is enough; further repetitions cost more time than they save.
        """
        most = self._lowered(parts, parts.sizes)
        barred = (most == 0)[parts.ids]
        for one in self.by_part:
            if isinstance(one, BarsRows):
                barred |= one.barred(parts, most)
        if not barred.any():
            return most, barred
        left = parts.members[~barred]
        sizes = grouping.class_totals(left, parts.numbers, most.size, counts)
        most = self._lowered(Classes(left, parts.numbers, sizes), np.minimum(most, sizes))
        return most, barred | (most == 0)[parts.ids]

    def _lowered(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        for one in self.by_part:
            most = np.minimum(most, one.most_released(parts, most))
        return most


def release_bounds(model: BoundPrivacy) -> ReleaseBounds:
    """Collect the models that can limit what lower policies release."""
    parts = model.parts if isinstance(model, AllOf) else (model,)
    return ReleaseBounds(
        tuple(one for one in parts if isinstance(one, BoundsReleases)),
        tuple(one for one in parts if isinstance(one, BoundsBlocks) and _has_blocks(one)),
        tuple(one for one in parts if isinstance(one, BoundsTogether)),
        tuple(one for one in parts if isinstance(one, BoundsClasses)),
        getattr(model.monotone_part, "least_records", 1),
    )


def _holding(classes: Classes, blocks: Classes) -> NDArray[np.int64]:
    """Return the class that contains each block."""
    of_row = np.zeros(int(classes.rows.max(initial=0)) + 1, dtype=np.int64)
    of_row[classes.rows] = classes.ids
    whole = np.zeros(blocks.sizes.size, dtype=np.int64)
    whole[blocks.ids] = of_row[blocks.rows]
    return whole


def _has_blocks(one: object) -> bool:
    return isinstance(one, BoundsBlocks) and one.bounds_blocks
