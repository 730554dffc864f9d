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
"""Numbers of policies below this limit are reported exactly."""


@dataclass(frozen=True, eq=False)
class ChosenPolicy:
    """A policy on a frontier, with facts about the search.

    `risk` is a fraction of the original data's risk, and `loss` is a fraction of the largest
    possible loss. `sizes` lists the class sizes that the search computed, which must equal the
    class sizes in the release. `cuts` is true if the policy divides ordered domains into intervals,
    and false if the policy consists of hierarchy levels. `population` describes the population,
    including the year and the source of an estimate.
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
        """Return the facts about the search that the certificate contains."""
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
