"""Define partitions of ordered domains, which cut each attribute into consecutive intervals.

An ordered domain of n values has n - 1 boundaries between neighbors. Each boundary is a bit: 1
keeps the boundary, and 0 puts both neighbors into one interval. A policy is the string of the bits
of all attributes (paper 004, Policies as bit strings). Bayardo and Agrawal (2005) describe the same
objects by the first value of each interval. A string of ones represents the unchanged data (the
bottom), and a string of zeros represents the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError

Interval: TypeAlias = tuple[int, int]
"""The codes of the first and the last value in an interval."""


@dataclass(frozen=True)
class Partition:
    """The set of kept boundaries. Bit b of `kept` is 1 if boundary b is kept."""

    kept: int

    @property
    def rank(self) -> int:
        """The number of kept boundaries."""
        return self.kept.bit_count()

    def __contains__(self, boundary: int) -> bool:
        return bool(self.kept >> boundary & 1)

    def without(self, boundary: int | np.integer) -> Partition:
        """Return the partition without one of the boundaries that it keeps."""
        number = int(boundary)
        if number < 0 or number not in self:
            raise SettingError(
                f"boundary {number} is not in the partition", fix="remove each boundary once"
            )
        return Partition(self.kept ^ (1 << number))


def is_below(specific: Partition, general: Partition) -> bool:
    """Return whether `specific` keeps all boundaries that `general` keeps."""
    return general.kept & specific.kept == general.kept


@dataclass(frozen=True)
class OrderedDomains:
    """Attributes whose values are totally ordered, and the partitions of their values."""

    attributes: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.attributes) != len(self.sizes):
            raise SettingError(
                f"{len(self.attributes)} attributes have {len(self.sizes)} domain sizes",
                fix="give one size for each attribute",
            )
        for name, size in zip(self.attributes, self.sizes, strict=True):
            if size < 1:
                raise SettingError(
                    f"the domain of {name!r} has {size} values", fix="give it at least one"
                )

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The first boundary of each attribute, followed by the number of boundaries."""
        ends = np.cumsum([0, *(size - 1 for size in self.sizes)])
        return tuple(int(end) for end in ends)

    @property
    def boundaries(self) -> int:
        """The number of boundaries, which is the length of a policy's bit string."""
        return self.offsets[-1]

    @property
    def most_general(self) -> Partition:
        """The partition that has one interval per attribute."""
        return Partition(0)

    @property
    def most_specific(self) -> Partition:
        """The partition that puts every value into its own interval."""
        return Partition((1 << self.boundaries) - 1)

    def boundary(self, attribute: int, first: int) -> int:
        """Return the index of the boundary before the value with the code `first` (at least 1)."""
        if not 0 < first < self.sizes[attribute]:
            raise SettingError(
                f"no boundary of {self.attributes[attribute]!r} is before value {first}",
                fix=f"use 1 to {self.sizes[attribute] - 1}",
            )
        return self.offsets[attribute] + first - 1

    def place(self, boundary: int) -> tuple[int, int]:
        """Return the attribute of a boundary, and the code of the value after the boundary."""
        if not 0 <= boundary < self.boundaries:
            raise SettingError(
                f"there is no boundary {boundary}", fix=f"use 0 to {self.boundaries - 1}"
            )
        attribute = int(np.searchsorted(self.offsets, boundary, side="right")) - 1
        return attribute, boundary - self.offsets[attribute] + 1

    def of_boundaries(self, kept: Iterable[int]) -> Partition:
        """Return the partition that keeps the given boundaries."""
        number = 0
        for boundary in kept:
            self.place(boundary)
            number |= 1 << boundary
        return Partition(number)

    def of_bits(self, bits: Sequence[int | bool] | NDArray[np.bool_]) -> Partition:
        """Return the partition that a bit string represents."""
        if len(bits) != self.boundaries:
            raise SettingError(
                f"a bit string has {len(bits)} bits", fix=f"these domains require {self.boundaries}"
            )
        packed = np.packbits(np.asarray(bits, dtype=np.bool_), bitorder="little")
        return Partition(int.from_bytes(packed.tobytes(), "little"))

    def bits(self, partition: Partition) -> NDArray[np.bool_]:
        """Return the bit string of a partition, or raise a SettingError for an unknown boundary."""
        if partition.kept < 0 or partition.kept >> self.boundaries:
            raise SettingError(
                "a partition has boundaries that the domains do not have",
                fix=f"use 0 to {self.boundaries - 1}",
            )
        packed = partition.kept.to_bytes((self.boundaries + 7) // 8, "little")
        flags = np.unpackbits(
            np.frombuffer(packed, np.uint8), count=self.boundaries, bitorder="little"
        )
        return flags.astype(np.bool_)

    def labels(self, partition: Partition) -> tuple[NDArray[np.uint32], ...]:
        """For each attribute, return the index of the interval that contains each value code."""
        bits = self.bits(partition)
        return tuple(
            np.concatenate([[0], np.cumsum(bits[begin:end])]).astype(np.uint32)
            for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)
        )

    def intervals(self, partition: Partition) -> tuple[tuple[Interval, ...], ...]:
        """Return the intervals of each attribute in order."""
        bits = self.bits(partition)
        found = []
        for begin, end, size in zip(self.offsets[:-1], self.offsets[1:], self.sizes, strict=True):
            firsts = [0, *(int(b) + 1 for b in np.flatnonzero(bits[begin:end]))]
            lasts = [*(first - 1 for first in firsts[1:]), size - 1]
            found.append(tuple(zip(firsts, lasts, strict=True)))
        return tuple(found)

    def firsts(self, partition: Partition, attribute: int) -> NDArray[np.int64]:
        """Return the first value of each interval of one attribute."""
        begin, end = self.offsets[attribute : attribute + 2]
        bits = self.bits(partition)[begin:end]
        return np.concatenate([[0], np.flatnonzero(bits) + 1]).astype(np.int64)

    def with_firsts(
        self, partition: Partition, attribute: int, firsts: NDArray[np.int64]
    ) -> Partition:
        """Replace the intervals of one attribute with intervals that begin at `firsts`.

        The first interval begins at 0.
        """
        begin, end = self.offsets[attribute : attribute + 2]
        kept = partition.kept & ~((1 << end) - (1 << begin))
        for first in firsts[1:]:
            kept |= 1 << (begin + int(first) - 1)
        return Partition(kept)
