"""Rows of a table put into classes that each show a set of values of every attribute.

Classes stand in an order, and a row is in the first that shows all of its values. So a row's class
follows from the row and the classes alone: this month's table, the next one and a reader of the
policy come to the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.placement import first_classes

_BITS = 64


def placed(
    codes: NDArray[np.uint32], shows: Sequence[NDArray[np.bool_]], classes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Find the first class of each row that shows its values; -1 where none does.

    `codes` are the value codes, shape ``(attributes, rows)``. For each attribute `shows` says which
    values each of its parts has, shape ``(values, parts)``, and `classes` the part that each class
    shows, shape ``(classes, attributes)``.
    """
    number = classes.shape[0]
    words = max(-(-number // _BITS), 1)
    bits = [_bits(own[:, classes[:, at]], words) for at, own in enumerate(shows)]
    offsets = np.cumsum([0, *(one.shape[0] for one in bits[:-1])]).astype(np.int64)
    return first_classes(np.ascontiguousarray(codes), offsets, np.concatenate(bits))


def _bits(flags: NDArray[np.bool_], words: int) -> NDArray[np.uint64]:
    """Pack flags of classes, the first in the lowest bit of the first word."""
    packed = np.packbits(flags, axis=1, bitorder="little")
    padded = np.zeros((flags.shape[0], words * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)
