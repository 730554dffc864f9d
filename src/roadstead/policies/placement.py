"""Assign each row of a table to the first class that includes all values of the row.

A class includes a set of values for every attribute, and the classes are ordered. The class of a
row depends only on the row and the classes. Therefore, the result is the same for this table, for
the next table, and for a reader of the policy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.placement import first_classes

_BITS = 64
_MANY_ROWS = 50_000
"""The number of rows per thread, because threads do not save time for smaller tables."""
_AT_ONCE = 1000
"""The number of values to pack at a time; an unpacked value takes one byte per class."""


def placed(
    codes: NDArray[np.uint32], shows: Sequence[NDArray[np.bool_]], classes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """For each row, find the first class that includes its values, or -1 if no class does.

    `codes` has the shape ``(attributes, rows)`` and contains the value codes. For each attribute,
    `shows` has the shape ``(values, parts)`` and marks the values in each part. `classes` has the
    shape ``(classes, attributes)`` and gives the parts of each class.
    """
    number = classes.shape[0]
    words = max(-(-number // _BITS), 1)
    offsets = np.cumsum([0, *(own.shape[0] for own in shows)]).astype(np.int64)
    # The lowest bit of the first word represents the first class.
    bits = np.zeros((offsets[-1], words * 8), dtype=np.uint8)
    for at, own in enumerate(shows):
        for value in range(0, own.shape[0], _AT_ONCE):
            flags = own[value : value + _AT_ONCE, classes[:, at]]
            packed = np.packbits(flags, axis=1, bitorder="little")
            row = offsets[at] + value
            bits[row : row + packed.shape[0], : packed.shape[1]] = packed
    admitted = bits.view("<u8").astype(np.uint64, copy=False)
    rows = codes.shape[1]
    if rows < _MANY_ROWS:
        return first_classes(np.ascontiguousarray(codes), offsets[:-1], admitted)

    def some(first: int) -> NDArray[np.int32]:
        own = np.ascontiguousarray(codes[:, first : first + _MANY_ROWS])
        return first_classes(own, offsets[:-1], admitted)

    with ThreadPoolExecutor(os.cpu_count()) as cores:
        return np.concatenate([*cores.map(some, range(0, rows, _MANY_ROWS))])
