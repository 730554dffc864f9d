"""Find the first class that includes all values of a row.

The kernel uses a row of bits for each value, with one bit per class. The bit is set if the class
includes the value. A row can be in a class if the bit of this class is set for all values of the
row.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Members, Small, Whole, compiled

_WORD = np.uint64(64)


@compiled
def first_classes(codes: Codes, offsets: Whole, admitted: Members) -> Small:
    """Return the first class of each row, or -1 if there is none.

    `codes` contains the value codes, with the shape ``(attributes, rows)``. `offsets` gives, for
    each attribute, the row of `admitted` that belongs to its first value. `admitted` contains the
    bits, with the shape ``(values, words)``.
    """
    attributes, rows = codes.shape
    words = admitted.shape[1]
    found = np.full(rows, -1, dtype=np.int32)
    for row in range(rows):
        for word in range(words):
            left = admitted[offsets[0] + codes[0, row], word]
            for at in range(1, attributes):
                if left == 0:
                    break
                left &= admitted[offsets[at] + codes[at, row], word]
            if left:
                bit = 0
                while not left & np.uint64(1):
                    left >>= np.uint64(1)
                    bit += 1
                found[row] = word * 64 + bit
                break
    return found
