"""Risk measures for a frontier: the interface that a search needs, and two measures.

A risk is *monotone* if merging classes never raises it (paper 000, definition 3.7; paper 004,
theorem 2.1). Dominance and pruning require no other property. If people are counted, the sums are
over people. The matching people are then the people who match an attacker's knowledge about a
person.

- *Population risk* is the expected number of re-identified records (paper 004, equation 1; paper
  000, equations 2 and 3, divide it by the value for the original data).
- *Records at risk* is the number of records with fewer than k matching people (paper 001,
  Re-identification risk). If this number is 0, the release satisfies k-map.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import PartitionClasses


class Risk(Protocol):
    """A monotone measure of the re-identification risk of records."""

    @property
    def name(self) -> str:
        """Return the name in settings."""

    @property
    def meaning(self) -> str:
        """Return the meaning of the risk in words."""

    def of(self, classes: PartitionClasses) -> float:
        """Return the risk of a partition in the units of the measure. The risk is at least 0."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents. The key ``kind`` has the name of the measure."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The weight of a record for each number of matching people: a table, then a power law.

    `small` contains the weight for g people at index g (the first entry is not used). For more
    people, the weight is ``scale * g ** -power``.
    """

    small: NDArray[np.float64] = field(repr=False)
    scale: float
    power: float

    def of(self, people: NDArray[np.int64]) -> NDArray[np.float64]:
        """Look up the weight for each number of matching people."""
        found: NDArray[np.float64] = self.small[np.minimum(people, self.small.size - 1)]
        many = np.flatnonzero(people >= self.small.size)
        found[many] = self.scale * people[many].astype(np.float64) ** -self.power
        return found


class SummedRisk(Risk, Protocol):
    """A risk that is the sum of the records' weights.

    When two classes are merged, only the terms of these classes change.
    """

    @property
    def meaning_of_persons(self) -> str:
        """Return the meaning of the risk in words, if people are counted."""

    def weights(self) -> Weights:
        """Return the weight of a record for each number of matching people."""


_TABLE = 1 << 16


@dataclass(frozen=True)
class PopulationRisk:
    """The sum over all records of 1 / g ** gamma, where g is the number of matching people."""

    gamma: float = 1.0
    name: str = "population"

    def __post_init__(self) -> None:
        if not (isfinite(self.gamma) and self.gamma > 0):
            raise SettingError(
                f"gamma is {self.gamma:g}, but must be above 0",
                where=option("risk_measure"),
                fix="gamma = 1 gives the expected number of re-identified records",
            )

    @property
    def meaning(self) -> str:
        """Return the meaning of the risk in words."""
        if self.gamma == 1.0:
            return "expected number of re-identified records"
        return f"sum over records of 1 / (number of matching people) ** {self.gamma:g}"

    @property
    def meaning_of_persons(self) -> str:
        """Return the meaning of the risk for people, in words."""
        if self.gamma == 1.0:
            return "expected number of re-identified people"
        return f"sum over people of 1 / (number of matching people) ** {self.gamma:g}"

    def of(self, classes: PartitionClasses) -> float:
        """Return the risk of a partition."""
        return float(np.sum(classes.records * self.weights().of(classes.people)))

    def weights(self) -> Weights:
        """Return the weight of a record for each number of matching people."""
        return _weights(self.gamma)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents."""
        return {"kind": self.name, "gamma": self.gamma}


@lru_cache(maxsize=8)
def _weights(gamma: float) -> Weights:
    small = np.ones(_TABLE)
    small[1:] = np.arange(1, _TABLE, dtype=np.float64) ** -gamma
    return Weights(small, 1.0, gamma)


_LARGEST = 1 << 20


@dataclass(frozen=True)
class RecordsAtRisk:
    """The number of records with fewer than k matching people, for k from 2 to about a million."""

    k: int = 5
    name: str = "at-risk"

    def __post_init__(self) -> None:
        if not 2 <= self.k <= _LARGEST:  # noqa: PLR2004 - nobody is alone among two
            raise SettingError(
                f"k is {self.k}, but must be from 2 to {_LARGEST:,}",
                where=option("risk_measure"),
                fix="k = 5 counts the records with a risk above 0.2",
            )

    @property
    def meaning(self) -> str:
        """Return the meaning of the risk in words."""
        return f"number of records with fewer than {self.k} matching people"

    @property
    def meaning_of_persons(self) -> str:
        """Return the meaning of the risk for people, in words."""
        return f"number of people with fewer than {self.k} matching people"

    def of(self, classes: PartitionClasses) -> float:
        """Return the risk of a partition."""
        return float(classes.records[classes.people < self.k].sum())

    def weights(self) -> Weights:
        """Return the weight of a record for each number of matching people."""
        return Weights(np.array([*[1.0] * self.k, 0.0]), 0.0, 1.0)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents."""
        return {"kind": self.name, "k": self.k}
