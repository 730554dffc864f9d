"""A policy chosen on a frontier, and how the search found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.reports.frontier.facts import FrontierAxis, FrontierSearchFacts

_MOST_WRITTEN = 10**12
"""For a larger number of policies only the magnitude is given: the number would reveal domain
sizes.
"""


@dataclass(frozen=True, eq=False)
class ChosenPolicy:
    """A policy of a frontier, and how it was found.

    Risk and loss are shares: of the original data's risk, and of the largest possible loss. `sizes`
    are the records of each class as the search counts them, to be compared with those of the rules.
    `cuts` says whether the policy cuts ordered domains, instead of choosing levels of hierarchies.
    `population` describes the population; for an estimate, with its year and its source.
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
        """How the policy was found, for the certificate."""
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
