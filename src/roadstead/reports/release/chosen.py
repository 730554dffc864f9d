"""Hold the facts about a release with a policy that was chosen on a frontier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.release.below_promise import BelowPromise
from roadstead.release.draft import Draft
from roadstead.release.generalized import every_row_a_class
from roadstead.reports.frontier.facts import FrontierAxis, FrontierSearchFacts
from roadstead.reports.release.facts import ReleasedTable
from roadstead.tables.roles import Roles

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


@dataclass(frozen=True, eq=False)
class ChosenReleaseFacts(ReleasedTable):
    """The facts about a release that a policy on a frontier produces from the searched table.

    `chosen` contains what the search found out about the policy.
    """

    roles: Roles
    chosen: ChosenPolicy
    below: BelowPromise | None = None  # the unmet part of the declared minimum, and the reason

    @cached_property
    def draft(self) -> Draft:
        """Return all parts of the release, except the report."""
        label = self.chosen.population
        return self.drafted(
            loss={
                **self.chosen.axes[1].settings,
                "loss": self.chosen.loss,
                "by_attribute": self.chosen.loss_by_attribute,
            },
            search=self.chosen.search_certified,
            settings={
                "quasi": list(self.roles.quasi),
                "privacy": [model.settings() for model in self.models],
                "suppression": self.policy.suppression.limit,
                "suppressed_records": self.policy.suppression.records,
                "quality": dict(self.chosen.axes[1].settings),
                "search": self.chosen.search.name,
                "time_limit": self.chosen.search.time_limit,
                **({} if label is None else {"population": label}),
            },
            seed=self.chosen.search.seed,
            below_promise=self.below,
        )

    @property
    def population_risk(self) -> list[dict[str, float]]:
        """Return the mean and the sum of the release's risk for each bound on the mean risk."""
        table = self.generalized.released(mask=False)
        classes, found = every_row_a_class(table), []
        for model in self.models:
            if isinstance(model, AveragePopulationRisk):
                mean = model.bind(table).risk(classes)
                bounds = {"maximum": model.maximum, "gamma": model.gamma}
                found.append({"mean": mean, "sum": mean * table.records, **bounds})
        return found
