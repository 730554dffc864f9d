"""What a search for the frontier asks of a risk measure.

A risk is *monotone* when merging classes never raises it: more people alike, less risk (paper 000,
definition 3.7; paper 004, theorem 2.1). That is all that dominance and pruning need.

Many risks are sums over records of a weight that falls with the number of people alike. These are
`SummedRisk`: when two classes become one, only their own terms change, so a search need not count
all the others again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.cells import PartitionClasses


class Risk(Protocol):
    """A monotone measure of how likely records are re-identified."""

    @property
    def name(self) -> str:
        """The name used on the command line."""
        ...

    @property
    def meaning(self) -> str:
        """What it measures, in words."""
        ...

    def of(self, classes: PartitionClasses) -> float:
        """Risk of a partition, 0 or more, in units of its own."""
        ...

    def settings(self) -> dict[str, Any]:
        """Parameters for documents, with the measure's kind under ``kind``."""
        ...


@dataclass(frozen=True, eq=False)
class Weights:
    """What a record weighs among so many people alike: a table, and a power law beyond it.

    `small` has the weight among g people at place g (the first is of nobody and not used); among g
    people beyond it is ``scale * g ** -power``.
    """

    small: NDArray[np.float64] = field(repr=False)
    scale: float
    power: float

    def of(self, people: NDArray[np.int64]) -> NDArray[np.float64]:
        """Look up the weights."""
        found: NDArray[np.float64] = self.small[np.minimum(people, self.small.size - 1)]
        many = np.flatnonzero(people >= self.small.size)
        found[many] = self.scale * people[many].astype(np.float64) ** -self.power
        return found


class SummedRisk(Risk, Protocol):
    """A risk that is a sum of the records' weights."""

    def weights(self) -> Weights:
        """Give the weights."""
        ...
