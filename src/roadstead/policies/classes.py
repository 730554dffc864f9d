"""Compute equivalence classes: sets of records that a policy makes indistinguishable.

The classes of a more specific policy refine the classes of a more general policy. Therefore,
Roadstead splits the classes of the more general policy by the changed attributes to compute the
classes of the more specific policy. Rows that are already suppressed are skipped. If a population
is known, some rows have no records. Such rows represent people who are not in the table. These
people protect the records with the same values. A class that consists only of such rows is omitted
under the policy and under every more specific policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import grouping, parting
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels


@dataclass(frozen=True)
class Together:
    """An order of the classes, and the index of each class's first member in the sorted members."""

    begins: NDArray[np.int64]
    order: NDArray[np.uint32]


@dataclass(frozen=True)
class Classes:
    """Rows of the frequency table, split into classes.

    A member packs a row and a key into one number. `numbers` gives the class of each key. `sizes`
    gives the number of records in each class, which is at least 1. If `together` is given, the
    members are sorted by class, and each key is the number of a class. Then `part` can split the
    classes faster.
    """

    members: NDArray[np.uint64]
    numbers: NDArray[np.uint32]
    sizes: NDArray[np.int64]
    together: Together | None = None

    @cached_property
    def rows(self) -> NDArray[np.uint32]:
        """The rows as indices into the frequency table."""
        return grouping.rows_of(self.members)

    @cached_property
    def ids(self) -> NDArray[np.uint32]:
        """The class of each row, counted from 0 without gaps."""
        return self.numbers[grouping.keys_of(self.members)]

    @cached_property
    def records(self) -> int:
        """The total number of records in all classes."""
        return int(np.add.reduce(self.sizes))

    def totals(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum the values of the rows in each class."""
        return grouping.class_totals(self.members, self.numbers, self.sizes.size, values)

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        return self.members.nbytes + self.numbers.nbytes + self.sizes.nbytes


_MOST_PACKED = 2**16 - 1


@dataclass(frozen=True)
class Packed:
    """Classes that need a quarter of the memory of `Classes`.

    `numbers` gives the class of each row. For a row without a class, `numbers` gives the number of
    classes.
    """

    numbers: NDArray[np.uint16]
    sizes: NDArray[np.int64]
    together: bool = False

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        return self.numbers.nbytes + self.sizes.nbytes


def pack(classes: Classes, rows: int) -> Packed | None:
    """Pack the classes of a table with `rows` rows. If there are too many classes, return None."""
    number = classes.sizes.size
    if number > _MOST_PACKED:
        return None
    numbers = grouping.pack_members(classes.members, classes.numbers, rows, number)
    return Packed(numbers, classes.sizes, classes.together is not None)


def unpack(packed: Packed) -> Classes:
    """Return the original classes, numbered without gaps."""
    number = packed.sizes.size
    members = grouping.unpack_members(packed.numbers, number)
    found = Classes(members, np.arange(number, dtype=np.uint32), packed.sizes)
    return make_contiguous(found) if packed.together else found


def one_class(encoding: Encoding) -> Classes:
    """Return a single class that contains all rows."""
    members = grouping.pack(encoding.counts.size)
    return Classes(members, np.zeros(1, np.uint32), np.array([encoding.records], np.int64))


def no_class() -> Classes:
    """Return classes without any rows."""
    return Classes(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.int64))


def make_contiguous(classes: Classes) -> Classes:
    """Sort the members by their classes."""
    number = classes.sizes.size
    members, begins = parting.make_contiguous(classes.members, classes.numbers, number)
    return _together(members, begins, classes.sizes)


def _together(
    members: NDArray[np.uint64], begins: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Classes:
    numbers = np.arange(sizes.size, dtype=np.uint32)
    return Classes(members, numbers, sizes, Together(begins, parting.smallest_first(sizes)))


def refine(encoding: Encoding, classes: Classes, general: Levels, specific: Levels) -> Classes:
    """Split the classes of `general` into the classes of `specific`.

    The classes must be numbered without gaps. Rows whose new class has no records are omitted.
    """
    changed = _changed(encoding, general, specific)
    if not changed:
        return classes
    members, number = classes.members, classes.sizes.size
    columns = [_Column.of(encoding, i, specific[i]) for i in changed]
    while len(columns) > _LAST:
        members, number = _split(members, number, columns)
    return _sized(encoding, members, number, columns)


def records_below(
    encoding: Encoding, classes: Classes, general: Levels, specific: Levels, least: int
) -> int:
    """Count the records in new classes with fewer than `least` records, if one pass is enough.

    One pass is enough if only one attribute with few labels becomes more specific. Otherwise, the
    function returns 0.
    """
    changed = _changed(encoding, general, specific)
    if len(changed) != 1 or encoding.few is None:
        return 0
    column = _Column.of(encoding, changed[0], specific[changed[0]])
    pairs = classes.sizes.size * column.labels
    if not grouping.fits_dense(pairs, classes.members.size):
        return 0
    members, few = classes.members, encoding.few
    return grouping.records_in_small(
        members, column.codes, column.lookup, column.labels, pairs, few, least
    )


def part(
    encoding: Encoding, classes: Classes, changes: tuple[Levels, Levels], least: int, most: int
) -> tuple[Classes, NDArray[np.uint32]] | int | None:
    """Split contiguous classes into the classes of a more specific policy, and drop small classes.

    Classes with fewer than `least` records are dropped. The function returns the kept classes and
    the dropped rows. If more than `most` records are dropped, the function returns only the number
    of these records. The result is None if there is nothing to split, or if there are too many
    labels. All rows must have records.
    """
    few, gone, left = encoding.few, [], most
    columns = [(i, *encoding.runs[i][changes[1][i]]) for i in _changed(encoding, *changes)]
    while columns and few is not None and (together := classes.together) is not None:
        labels, some = 1, []
        while columns and labels * columns[-1][-1] <= _MOST_LABELS:
            some.append(columns.pop())
            labels *= some[-1][-1]
        if not some:
            return None
        dropped, members, begins, sizes, rows = parting.part(
            classes.members,
            together.begins,
            together.order,
            encoding.codes,
            encoding.flat_lookups,
            np.array(some, dtype=np.int64),
            few,
            least,
            left,
        )
        left -= dropped
        if left < 0:
            return most - left
        classes = _together(members, begins, sizes)
        gone.append(rows)
    return (classes, np.concatenate(gone)) if gone else None


_MOST_LABELS = 1 << 12
"""The largest number of label combinations to split in one pass."""


def _changed(encoding: Encoding, general: Levels, specific: Levels) -> list[int]:
    """Find the attributes that split classes, because the specific level has more labels."""
    return [
        i
        for i, (before, after) in enumerate(zip(general, specific, strict=True))
        if before != after and encoding.labels[i][after] > encoding.labels[i][before]
    ]


_LAST = 2
"""The number of columns in the last pass, which also counts records."""


@dataclass(frozen=True, slots=True)
class _Column:
    """An attribute at one level: the code of each row, and the label of each code."""

    codes: NDArray[np.uint32]
    lookup: NDArray[np.uint32]
    labels: int

    @classmethod
    def of(cls, encoding: Encoding, place: int, level: int) -> _Column:
        """Return the column of an attribute at the given level."""
        lookup, labels = encoding.lookups[place][level], encoding.labels[place][level]
        return cls(encoding.codes[place], lookup, labels)


def _split(
    members: NDArray[np.uint64], number: int, columns: list[_Column]
) -> tuple[NDArray[np.uint64], int]:
    """Split classes by the next one or two columns, and remove these columns from the list."""
    one, other = columns[:2]
    pairs = number * one.labels * other.labels
    if grouping.fits_dense(pairs, members.size):
        del columns[:2]
        both = (one.labels, other.labels, pairs)
        return grouping.refine_twice(
            members, one.codes, one.lookup, other.codes, other.lookup, both
        )
    del columns[0]
    return grouping.refine(members, number, one.codes, one.lookup, one.labels)


def _sized(
    encoding: Encoding, members: NDArray[np.uint64], number: int, columns: list[_Column]
) -> Classes:
    """Split classes by the last one or two columns, and count the records in each class."""
    counts = encoding.counts
    if len(columns) == _LAST:
        one, last = columns
        pairs = number * one.labels * last.labels
        if grouping.fits_dense(pairs, members.size):
            both = (one.labels, last.labels, pairs)
            return _with_records(
                encoding,
                *grouping.size_twice(
                    members, one.codes, one.lookup, last.codes, last.lookup, both, counts
                ),
            )
        members, number = grouping.refine(members, number, one.codes, one.lookup, one.labels)
    last = columns[-1]
    pairs = number * last.labels
    if grouping.fits_dense(pairs, members.size):
        sized = grouping.size_pairs(members, last.codes, last.lookup, last.labels, pairs, counts)
        return _with_records(encoding, *sized)
    members, number = grouping.refine(members, number, last.codes, last.lookup, last.labels)
    sizes = grouping.class_sizes(members, number, counts)
    found = Classes(members, np.arange(number, dtype=np.uint32), sizes)
    return keep(found, sizes > 0)[0] if encoding.has_empty_rows else found


def _with_records(
    encoding: Encoding,
    members: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
    sizes: NDArray[np.int64],
) -> Classes:
    """Remove the rows of classes without records."""
    if encoding.has_empty_rows:
        members = grouping.with_records(members, numbers, sizes.size)
    return Classes(members, numbers, sizes)


def classes_at(encoding: Encoding, levels: Levels) -> Classes:
    """Return the classes of all rows under a policy."""
    top = tuple(h - 1 for h in encoding.heights)
    return refine(encoding, one_class(encoding), top, levels)


def inside(fine: Classes, classes: Classes) -> Classes:
    """Return the classes of a more specific policy that lie inside the given classes."""
    some = np.zeros(1 + max(int(own.rows.max(initial=0)) for own in (fine, classes)), np.bool_)
    some[classes.rows] = True
    kept = np.zeros(fine.sizes.size, dtype=np.bool_)
    kept[fine.ids[some[fine.rows]]] = True
    return fine if kept.all() else keep(fine, kept)[0]


def keep(classes: Classes, kept: NDArray[np.bool_]) -> tuple[Classes, NDArray[np.uint32]]:
    """Keep and renumber the marked classes. Also return the rows in all other classes."""
    members, dropped = grouping.split_members(classes.members, classes.numbers, kept)
    sizes = classes.sizes[kept]
    return Classes(members, np.arange(sizes.size, dtype=np.uint32), sizes), dropped
