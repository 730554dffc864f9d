"""Describe a policy that was chosen on a frontier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.reports.frontier.facts import FrontierAxis, FrontierSearchFacts

_MOST_WRITTEN = 10**12
"""Only the magnitude of a larger number is given, because the number reveals domain sizes."""


@dataclass(frozen=True, eq=False)
class ChosenPolicy:
    """A policy of a frontier, and how the search found the policy.

    `risk` is a share of the original data's risk, and `loss` is a share of the largest possible
    loss. `sizes` are the class sizes in the search, which must equal the class sizes in the
    release. `cuts` is true if the policy cuts ordered domains, and false if it has levels of
    hierarchies. `population` describes the population, with the year and the source of an estimate.
    """

    risk: float
    loss: float
    axes: tuple[FrontierAxis, FrontierAxis]
    search: FrontierSearchFacts
    members: int
    area: float
    lattice_size: int
    sizes: NDArray[np.int64] = field(repr=False)
    loss_by_attribute: dict[str, float]
    cuts: bool = True
    origins: Mapping[str, str] = field(default_factory=dict)
    population: str | None = None

    @property
    def search_certified(self) -> dict[str, Any]:
        """Return how the search found the policy, for the certificate."""
        return {
            "name": self.search.name,
            "evaluated": self.search.evaluated,
            "lattice_size": self.lattice_size
            if self.lattice_size < _MOST_WRITTEN
            else f"about 10 to the power of {round(log10(2) * self.lattice_size.bit_length())}",
            "ending": self.search.ending,
            "members": self.members,
            "area": self.area,
            "risk": self.risk,
            "risk_measure": dict(self.axes[0].settings),
        }
