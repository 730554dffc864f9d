"""Find the first class that includes all values of a row.

Each value has a row of bits, with one bit per class. The bit is set if the class includes the
value. A row can be in a class if the bit of this class is set for all values of the row.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Members, Small, Whole, compiled

_WORD = np.uint64(64)


@compiled
def first_classes(codes: Codes, offsets: Whole, admitted: Members) -> Small:
    """Return the first class of each row, or -1 if there is none.

    `codes` has the value codes, shape ``(attributes, rows)``. `offsets` has, for each attribute,
    the row of `admitted` for its first value. `admitted` has the bits, shape ``(values, words)``.
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
