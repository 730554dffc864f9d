"""Records at risk: those that share their quasi-identifiers with fewer than k people.

The share of records whose risk is above a threshold is what regulators ask for besides the average
(paper 001, Re-identification risk); 0 means k-map. A record among at least k people stays among
them when classes are merged, so the number never rises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import PartitionClasses
from roadstead.risk.protocol import Weights

_LARGEST = 1 << 20


@dataclass(frozen=True)
class RecordsAtRisk:
    """Records among fewer than k people, for a k from 2 to about a million."""

    k: int = 5
    name: str = "at-risk"

    def __post_init__(self) -> None:
        if not 2 <= self.k <= _LARGEST:  # noqa: PLR2004 - nobody is alone among two
            raise SettingError(
                f"k is {self.k}, and must be from 2 to {_LARGEST:,}",
                where=option("risk_measure"),
                fix="5 counts the records whose risk is above 0.2",
            )

    @property
    def meaning(self) -> str:
        """What it measures."""
        return f"number of records that fewer than {self.k} people are like"

    def of(self, classes: PartitionClasses) -> float:
        """Risk of a partition."""
        return float(classes.records[classes.people < self.k].sum())

    def weights(self) -> Weights:
        """Give the weights."""
        return Weights(np.array([*[1.0] * self.k, 0.0]), 0.0, 1.0)

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name, "k": self.k}
