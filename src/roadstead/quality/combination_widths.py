"""Widths of labels for losses that depend on all labels of a record together.

The width of a label is the number of domain values that the label covers. Widths do not fall as the
level rises. So a row's cost under a policy is a lower bound on the row's cost under every more
general policy.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels

Reals = NDArray[np.float64]


class CombinationWidths:
    """The widths of the labels of one table, by attribute and level."""

    def __init__(self, encoding: Encoding) -> None:
        self.codes = encoding.codes
        self.counts = encoding.counts
        self.leaves = encoding.leaves

    @cached_property
    def everything(self) -> tuple[int, ...]:
        """Return the width of each attribute when everything is generalized."""
        return tuple(max(int(own.max()) for own in levels) for levels in self.leaves)

    def of_classes(self, classes: Classes, levels: Levels) -> list[NDArray[np.int64]]:
        """Return the label widths of each class, one array per attribute."""
        one = np.zeros(classes.sizes.size, dtype=np.uint32)
        one[classes.ids] = classes.rows  # any row of the class
        return self.of_rows(one, levels)

    def of_rows(self, rows: NDArray[np.uint32], levels: Levels) -> list[NDArray[np.int64]]:
        """Return the label widths of each row, one array per attribute."""
        return [
            own[level][codes[rows]]
            for own, level, codes in zip(self.leaves, levels, self.codes, strict=True)
        ]

    def by_value(self, attribute: int, rows: NDArray[np.uint32], weights: Reals) -> Reals:
        """Add up the weights of rows for each value of an attribute."""
        values = self.leaves[attribute][0].size
        found: Reals = np.bincount(self.codes[attribute][rows], weights, values).astype(np.float64)
        return found
