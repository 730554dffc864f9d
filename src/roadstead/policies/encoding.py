"""Encode a frequency table and its hierarchies as integer arrays for the kernels.

Each distinct combination of values is one row of integer codes. For every attribute and level, a
lookup array maps the code of a value to the code of its label. A table can therefore be generalized
by array indexing alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import kept_of, whole_of


@dataclass(frozen=True)
class Encoding:
    """A table and its hierarchies as integer arrays.

    Each hierarchy covers the values of one attribute. `codes` contains the value codes in an array
    with the shape ``(attributes, distinct)``, and `counts` gives the number of records in each row.
    The other arrays are indexed by attribute and level. `lookups` gives the label code of every
    value code. `labels` gives the number of labels that occur. `leaves` gives the number of domain
    values that the label of each value code covers.
    """

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    codes: NDArray[np.uint32]
    counts: NDArray[np.int64]
    lookups: tuple[tuple[NDArray[np.uint32], ...], ...]
    labels: tuple[tuple[int, ...], ...]
    leaves: tuple[tuple[NDArray[np.int64], ...], ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers in order."""
        return self.table.attributes

    @cached_property
    def records(self) -> int:
        """The number of records."""
        return self.table.records

    @cached_property
    def few(self) -> NDArray[np.uint32] | None:
        """The numbers of records per row as 32-bit integers, or None if they may not fit."""
        return None if self.records >= 1 << 32 else self.counts.astype(np.uint32)

    @cached_property
    def flat_lookups(self) -> NDArray[np.uint32]:
        """All arrays of `lookups` in one flat array."""
        return np.concatenate([own for levels in self.lookups for own in levels])

    @cached_property
    def runs(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each attribute and level, its index in `flat_lookups` and its number of labels."""
        ends = iter(accumulate((own.size for levels in self.lookups for own in levels), initial=0))
        return tuple(tuple((next(ends), one) for one in own) for own in self.labels)

    @cached_property
    def has_empty_rows(self) -> bool:
        """Return whether some rows represent only people who are not in the table."""
        return bool((self.counts == 0).any())

    @cached_property
    def kept_bits(self) -> tuple[tuple[NDArray[np.int64], ...], ...]:
        """For each attribute and level, the number of bits that each value code's label keeps."""
        pairs = zip(self.leaves, self.hierarchies, strict=True)
        return tuple(tuple(kept_of(own, h.domain_size) for own in levels) for levels, h in pairs)

    @cached_property
    def whole_bits(self) -> int:
        """The total number of bits that a record can reveal, which is above 0."""
        return whole_of([h.domain_size for h in self.hierarchies])

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """The number of levels of each hierarchy."""
        return tuple(h.height for h in self.hierarchies)


def encode(table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Encoding:
    """Encode a table and its hierarchies. Only labels that occur in the table get a code."""
    covering = tuple(h.covering(d) for h, d in zip(hierarchies, table.domains, strict=True))
    lookups, labels, leaves = [], [], []
    for h, domain in zip(covering, table.domains, strict=True):
        levels = h.codes_of(domain)
        present = [np.unique(codes, return_inverse=True) for codes in levels]
        lookups.append(tuple(inverse.astype(np.uint32) for _, inverse in present))
        labels.append(tuple(len(unique) for unique, _ in present))
        leaves.append(tuple(lv.leaves[c] for lv, c in zip(h.levels, levels, strict=True)))
    return Encoding(
        table,
        covering,
        np.ascontiguousarray(np.stack(table.codes), dtype=np.uint32),
        np.ascontiguousarray(table.counts, dtype=np.int64),
        tuple(lookups),
        tuple(labels),
        tuple(leaves),
    )
