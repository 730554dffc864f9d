"""What a specialization is worth to whoever predicts the class.

A node's records are distinguished by its children; the better the children know the class, the
better the specialization (paper 002, "The algorithm"):

* **Max** counts the records that the majority class of each child gets right.
* **InfoGain** is the entropy of the class in the node less that in its children.
* **MaxGain**, which is ours, is Max less what the node alone gets right.

Scores are integers. Sums of logarithms in floating point differ in their last bits, and a score is
compared exactly where privacy depends on it; so InfoGain is measured in units of 2^-20 bits, and
its sensitivity is one unit larger than on paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

_UNIT = 1 << 20


class Score:
    """What a search for cuts asks of a score."""

    name: str  # what users call it
    monotonic: bool  # whether one record more lowers no score

    @property
    def within(self) -> Score:
        """The score by which the split points of one node are compared."""
        return self

    def sensitivity(self, classes: int) -> int:  # noqa: ARG002 - the same for any number
        """Give by how much one record can change a score, in the score's integer units."""
        return 1

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Score candidates.

        `children` has the shape ``(candidates, children, classes)``: the records of each class
        under each child. The scores have the shape ``(candidates,)``.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Max(Score):
    """Records in the majority class of their child (paper 002, equation for Max).

    One record more adds 1 to one count of one child, and so 0 or 1 to the score.
    """

    monotonic: bool = True  # False gives the paper's mechanism, which spends twice what it needs to
    name: str = "max"

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up the majorities of the children."""
        best: NDArray[np.int64] = children.max(axis=2).sum(axis=1)
        return best


@dataclass(frozen=True)
class MaxGain(Score):
    """Records that the children get right and their node does not: Max less the node's majority.

    Max alone prefers whatever has the most records under it, specialized or not: an attribute that
    is not yet specialized has all of them. The gain is what a specialization adds. One record more
    adds 0 or 1 to either term, and so at most 1, up or down.
    """

    monotonic: bool = False
    name: str = "max-gain"

    @property
    def within(self) -> Max:
        """Compare the split points of one node: they share the node's majority, so Max will do."""
        return Max()

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Subtract the majority of the node from those of its children."""
        gain: NDArray[np.int64] = Max().of(children) - children.sum(axis=1).max(axis=1)
        return gain


@dataclass(frozen=True)
class InfoGain(Score):
    """Bits that the children say about the class (paper 002, equation for information gain).

    Between 0 and log2 of the number of classes, whatever the records; so one record changes it by
    no more than that.
    """

    monotonic: bool = False
    name: str = "info-gain"

    def sensitivity(self, classes: int) -> int:
        """Give by how much one record can change it, in units of 2^-20 bits."""
        return ceil(log2(max(classes, 2)) * _UNIT) + 1

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the information gain in units of 2^-20 bits."""
        whole = children.sum(axis=1)
        size = whole.sum(axis=1)
        shared = _spread(children).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(size > 0, (_spread(whole) - shared) / size, 0.0)
        # Rounding to units: the true gain lies in [0, log2 classes]; floats may step over an end.
        units = np.rint(np.clip(gain, 0.0, log2(max(children.shape[2], 2))) * _UNIT)
        exact: NDArray[np.int64] = units.astype(np.int64)
        return exact


def _spread(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Entropy times size, over the last axis, in bits: n log n less the sum of its parts."""
    parts: NDArray[np.float64] = _weighted(counts.sum(axis=-1)) - _weighted(counts).sum(axis=-1)
    return parts


def _weighted(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    numbers = counts.astype(np.float64)
    logs = np.log2(numbers, where=numbers > 0, out=np.zeros_like(numbers))
    weighted: NDArray[np.float64] = numbers * logs
    return weighted


SCORES: dict[str, Score] = {one.name: one for one in (Max(), MaxGain(), InfoGain())}
"""The scores, by the names users call them."""
