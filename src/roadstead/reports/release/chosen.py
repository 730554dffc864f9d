"""Store the facts about a release with a policy from a frontier, and build the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.release.below_promise import BelowPromise
from roadstead.release.draft import Draft
from roadstead.release.generalized import every_row_a_class
from roadstead.reports.content import ReportContent, ReportedLoss, ReportedSearch, Setting
from roadstead.reports.frontier.facts import FrontierAxis, FrontierSearchFacts
from roadstead.reports.numbers import percent
from roadstead.reports.release.content import content_of_release, limits, settings_of
from roadstead.reports.release.facts import TableReleaseFacts
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.shared_values import shared_values_notes
from roadstead.reports.terminal.release import KNOWING, risk_left
from roadstead.reports.wording import counted
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
class ChosenReleaseFacts(TableReleaseFacts):
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
    def noticed(self) -> tuple[str, ...]:
        """Return sentences about unusual values in the released columns."""
        return (*self.shared_ids, *self.codes_not_listed, *self.noticed_in_columns())

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


def promised(result: ChosenReleaseFacts) -> str:
    """Return a sentence about the risk and the privacy requirements that the release meets.

    A bound on the mean risk applies to all records together, and does not limit the risk of a
    single record.
    """
    means = [m for m in result.models if isinstance(m, AveragePopulationRisk)]
    kept = "; this does not limit the risk of an individual record"
    if result.draft.threshold < 1.0:
        kept = ""
    elif means and min(model.maximum for model in means) >= 1.0:
        kept = ", which does not limit any risk"
    elif means:
        kept = ", a mean over all records; this does not limit the risk of an individual record"
    return (
        f"Privacy requirements met: {' and '.join(model.name for model in result.models)}{kept}. "
        f"Re-identification risk: {risk_left(result.draft)}, {KNOWING}."
    )


def content_of(result: ChosenReleaseFacts) -> ReportContent:
    """Return the complete content of the report."""
    draft, chosen = result.draft, result.chosen
    content = content_of_release(result, limit=0, losses=chosen.loss_by_attribute)
    risk, loss = chosen.axes
    search = chosen.search
    label = chosen.population
    kind = loss.name  # or its unit, if the report cannot name it
    if kind not in {"divergence", "loss"}:
        kind = f"{loss.meaning}, as a share of the largest possible loss"
    members = counted(chosen.members, "policy", "policies")
    return replace(
        content,
        loss=ReportedLoss(None, chosen.loss, kind=kind),
        search=ReportedSearch(
            name=search.name,
            guarantee=search.guarantee,
            evaluated=search.evaluated,
            lattice_size=chosen.lattice_size,
            ending=search.ending,
            seconds=search.seconds,
            cuts=chosen.cuts,
            frontier=True,
        ),
        settings=_settings_of_frontier(draft, chosen),
        assumptions=(*content.assumptions, *_on_the_population(draft, label)),
        notes=(
            promised(result),
            f"The policy was chosen from the {members} of a frontier. No policy on the frontier "
            "has both less risk and less loss than another policy. The risk of the chosen policy "
            f"is {percent(chosen.risk)} of the original data's risk ({risk.meaning}).",
            *draft.figures,
            *([] if label is None else [f"Population: {label}."]),
            *result.shared_ids_for_sharing,
            *result.noticed_in_columns(advice=False),
            *shared_values_notes(result.shared_values),
            *runnable_warnings(result.runnable),
        ),
    )


def _on_the_population(draft: Draft, label: str | None) -> tuple[str, ...]:
    """Return sentences about the assumptions on which the risk is based."""
    if draft.generalized.table.population is None:
        return (
            "No population is given, so the risk assumes an attacker who knows that the person is "
            "in the data. This is the easiest case for an attacker.",
        )
    known = "" if label is None else f": {label}"
    return (
        f"The attacker must guess which person of the population a record describes{known}. If the "
        "given population is larger than the real one, the risk is larger than stated. An "
        "attacker who knows that a person is in the data has fewer people to choose from. The "
        "prosecutor risk above describes this attacker. The limit does not apply to the "
        "prosecutor risk.",
    )


def _settings_of_frontier(draft: Draft, chosen: ChosenPolicy) -> tuple[Setting, ...]:
    settings = [
        *settings_of(draft),
        Setting("Risk measure", chosen.axes[0].name, chosen.axes[0].meaning),
        Setting("Loss measure", chosen.axes[1].name, chosen.axes[1].meaning),
        Setting("Search", chosen.search.name, chosen.search.guarantee),
    ]
    if chosen.population is not None:
        settings.append(
            Setting("Population", chosen.population, "the people that a record may describe")
        )
    return (
        *settings,
        *limits(chosen.search.time_limit, chosen.search.seed),
        *(
            Setting(
                f"Order of {name}" if chosen.cuts else f"Hierarchy of {name}",
                how,
                "its values are cut into intervals" if chosen.cuts else "the levels of its values",
            )
            for name, how in chosen.origins.items()
        ),
    )
