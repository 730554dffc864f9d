"""Find the first of many classes that shows all values of a row.

For each value there is a row of bits: one for each class, set where the class shows the value. The
classes of a row are those whose bits are set for all of its values.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Members, Small, Whole, compiled

_WORD = np.uint64(64)


@compiled
def first_classes(codes: Codes, offsets: Whole, admitted: Members) -> Small:
    """Return the first class of each row, -1 without one.

    Arguments are the value codes, shape ``(attributes, rows)``; for each attribute, the row of
    `admitted` for its first value; and the bits, shape ``(values, words)``.
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
