"""Equivalence classes: the records that a policy makes indistinguishable.

Classes of a more specific policy refine those of a more general one, so they are found from them by
splitting on the attributes that changed, and rows already suppressed need not be looked at. Where a
population is known, some rows have no record: people who are not in the table, who protect the
records that they are alike. A class of such rows alone is left out, as it would be under every more
specific policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import grouping
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels


@dataclass(frozen=True)
class Classes:
    """Rows of the frequency table, each packed as a member with a key, parted into classes.

    `numbers` has the class of each key, `sizes` the records of each class: one at least.
    """

    members: NDArray[np.uint64]
    numbers: NDArray[np.uint32]
    sizes: NDArray[np.int64]

    @cached_property
    def rows(self) -> NDArray[np.uint32]:
        """The rows, as indices into the frequency table."""
        return grouping.rows_of(self.members)

    @cached_property
    def ids(self) -> NDArray[np.uint32]:
        """Class of each row, counted from 0 without gaps."""
        return self.numbers[grouping.keys_of(self.members)]

    @cached_property
    def records(self) -> int:
        """Records in all classes together."""
        return int(np.add.reduce(self.sizes))

    def totals(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add a number of each row of the table up over the rows of each class."""
        return grouping.class_totals(self.members, self.numbers, self.sizes.size, values)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return self.members.nbytes + self.numbers.nbytes + self.sizes.nbytes


_MOST_PACKED = 2**16 - 1


@dataclass(frozen=True)
class Packed:
    """Classes in a quarter of the memory: that of every row, or for none the number of classes."""

    numbers: NDArray[np.uint16]
    sizes: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return self.numbers.nbytes + self.sizes.nbytes


def pack(classes: Classes, rows: int) -> Packed | None:
    """Pack classes of a table of so many rows; None where there are too many classes."""
    number = classes.sizes.size
    if number > _MOST_PACKED:
        return None
    return Packed(
        grouping.pack_members(classes.members, classes.numbers, rows, number), classes.sizes
    )


def unpack(packed: Packed) -> Classes:
    """Give the classes again, numbered without gaps."""
    number = packed.sizes.size
    members = grouping.unpack_members(packed.numbers, number)
    return Classes(members, np.arange(number, dtype=np.uint32), packed.sizes)


def one_class(encoding: Encoding) -> Classes:
    """All rows in one class: what is left when everything is generalized."""
    members = grouping.pack(encoding.counts.size)
    return Classes(members, np.zeros(1, np.uint32), np.array([encoding.records], np.int64))


def no_class() -> Classes:
    """No row in no class."""
    return Classes(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.int64))


def refine(encoding: Encoding, classes: Classes, general: Levels, specific: Levels) -> Classes:
    """Split the classes of `general`, numbered without gaps, into those of `specific` levels.

    Rows that come to be in no class with a record are left out.
    """
    changed = [
        i
        for i, (before, after) in enumerate(zip(general, specific, strict=True))
        # Levels nest: with as many labels as before, the classes are as before.
        if encoding.labels[i][after] > encoding.labels[i][before]
    ]
    if not changed:
        return classes
    *first, last = changed
    members, number = classes.members, classes.sizes.size
    for i in first:
        lookup, labels = encoding.lookups[i][specific[i]], encoding.labels[i][specific[i]]
        members, number = grouping.refine(members, number, encoding.codes[i], lookup, labels)
    column, counts = encoding.codes[last], encoding.counts
    lookup, labels = encoding.lookups[last][specific[last]], encoding.labels[last][specific[last]]
    pairs = number * labels
    if grouping.fits_dense(pairs, members.size):
        members, numbers, sizes = grouping.size_pairs(
            members, column, lookup, labels, pairs, counts
        )
        if encoding.has_empty_rows:
            members = grouping.with_records(members, numbers, sizes.size)
        return Classes(members, numbers, sizes)
    members, number = grouping.refine(members, number, column, lookup, labels)
    sizes = grouping.class_sizes(members, number, counts)
    found = Classes(members, np.arange(number, dtype=np.uint32), sizes)
    return keep(found, sizes > 0)[0] if encoding.has_empty_rows else found


def classes_at(encoding: Encoding, levels: Levels) -> Classes:
    """Classes of all rows under a policy."""
    top = tuple(h - 1 for h in encoding.heights)
    return refine(encoding, one_class(encoding), top, levels)


def keep(classes: Classes, kept: NDArray[np.bool_]) -> tuple[Classes, NDArray[np.uint32]]:
    """Keep the classes marked, numbered without gaps; return them and the rows of the others."""
    members, dropped = grouping.split_members(classes.members, classes.numbers, kept)
    sizes = classes.sizes[kept]
    return Classes(members, np.arange(sizes.size, dtype=np.uint32), sizes), dropped
