"""Risk against a population: how many records can be expected to be re-identified.

Of a record that shares its quasi-identifiers with g people of the population, an attacker who
guesses is right with probability 1/g. The sum over the records is the expected number of records
re-identified (paper 004, equation 1; paper 000, equations 2 and 3, divides it by that of the
original data). An exponent gamma on g says how much a group dampens the risk.

Merging intervals only adds people to a record's group, so the risk never rises (paper 004,
theorem 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import PartitionClasses
from roadstead.risk.protocol import Weights

_TABLE = 1 << 16


@dataclass(frozen=True)
class PopulationRisk:
    """Sum over records of 1 / g ** gamma, for g people alike and a gamma above 0."""

    gamma: float = 1.0
    name: str = "population"

    def __post_init__(self) -> None:
        if not (isfinite(self.gamma) and self.gamma > 0):
            raise SettingError(
                f"gamma is {self.gamma:g}, and must be above 0",
                where=option("risk_measure"),
                fix="1 gives the expected number of records re-identified",
            )

    @property
    def meaning(self) -> str:
        """What it measures."""
        if self.gamma == 1.0:
            return "expected number of records re-identified"
        return f"sum over records of 1 / people alike ** {self.gamma:g}"

    def of(self, classes: PartitionClasses) -> float:
        """Risk of a partition."""
        return float(np.sum(classes.records * self.weights().of(classes.people)))

    def weights(self) -> Weights:
        """Give the weights."""
        return _weights(self.gamma)

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name, "gamma": self.gamma}


@lru_cache(maxsize=8)
def _weights(gamma: float) -> Weights:
    small = np.ones(_TABLE)
    small[1:] = np.arange(1, _TABLE, dtype=np.float64) ** -gamma
    return Weights(small, 1.0, gamma)
