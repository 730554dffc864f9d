"""Score how well the children of a specialization predict the class (paper 002, "The algorithm").

* **Max** counts the records that the majority class of each child predicts correctly.
* **InfoGain** is the entropy of the class in the node minus the entropy in its children.
* **MaxGain** is Roadstead's own score: Max minus the correct predictions of the node alone.

Scores are integers, because privacy requires exact comparisons. InfoGain is in units of 2^-20 bits.
Because of rounding, its sensitivity is one unit larger than in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

_UNIT = 1 << 20


class Score:
    """The interface of scores for specializations."""

    name: str  # the name for users
    monotonic: bool  # whether an additional record never lowers a score

    @property
    def within(self) -> Score:
        """The score that compares the split points of one node."""
        return self

    def sensitivity(self, classes: int) -> int:  # noqa: ARG002 - the same for any number
        """Return the largest change that one record can make to a score, in integer units."""
        return 1

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the scores of candidates.

        `children` has the shape ``(candidates, children, classes)`` and counts the records of each
        class under each child.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Max(Score):
    """A score that counts the records in the majority class of their child.

    The score is Max in paper 002.

    An additional record adds 0 or 1 to the score.
    """

    monotonic: bool = True  # False selects the paper's mechanism, which spends twice as much
    name: str = "max"

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of the children's majorities."""
        best: NDArray[np.int64] = children.max(axis=2).sum(axis=1)
        return best


@dataclass(frozen=True)
class MaxGain(Score):
    """A score that counts the records that only the children predict correctly.

    The score is Max minus the majority of the node. Max alone prefers attributes with the most
    records, even if specializing these attributes is useless. An additional record adds 0 or 1 to
    either term, so it changes the gain by at most 1.
    """

    monotonic: bool = False
    name: str = "max-gain"

    @property
    def within(self) -> Max:
        """The score Max, because all split points of one node have the same majority."""
        return Max()

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Subtract the majority of the node from the majorities of its children."""
        gain: NDArray[np.int64] = Max().of(children) - children.sum(axis=1).max(axis=1)
        return gain


@dataclass(frozen=True)
class InfoGain(Score):
    """A score of how much the children reveal about the class, in bits.

    The score is the information gain in paper 002.

    The gain is between 0 and log2 of the number of classes, so one record changes it by at most
    this range.
    """

    monotonic: bool = False
    name: str = "info-gain"

    def sensitivity(self, classes: int) -> int:
        """Return the largest change that one record can make, in units of 2^-20 bits."""
        return ceil(log2(max(classes, 2)) * _UNIT) + 1

    def of(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the information gain in units of 2^-20 bits."""
        whole = children.sum(axis=1)
        size = whole.sum(axis=1)
        shared = _spread(children).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(size > 0, (_spread(whole) - shared) / size, 0.0)
        # Round to units. The true gain is in [0, log2 classes], but floats can exceed an end.
        units = np.rint(np.clip(gain, 0.0, log2(max(children.shape[2], 2))) * _UNIT)
        exact: NDArray[np.int64] = units.astype(np.int64)
        return exact


def _spread(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the entropy times the size over the last axis, in bits."""
    parts: NDArray[np.float64] = _weighted(counts.sum(axis=-1)) - _weighted(counts).sum(axis=-1)
    return parts


def _weighted(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    numbers = counts.astype(np.float64)
    logs = np.log2(numbers, where=numbers > 0, out=np.zeros_like(numbers))
    weighted: NDArray[np.float64] = numbers * logs
    return weighted


SCORES: dict[str, Score] = {one.name: one for one in (Max(), MaxGain(), InfoGain())}
"""The scores, by name."""
