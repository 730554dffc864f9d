"""From a policy chosen on a frontier to its release.

The search knows a policy as boundaries kept; what is released is made by its rules alone, so that
anybody can apply them. No record is suppressed: a policy whose release does not keep the promise
as a whole is refused, and the promise is a bound on the risk against the population (paper 004's
threshold), not k-anonymity, unless that is asked for too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from roadstead.policies.cells import PartitionClasses
from roadstead.policies.document import AttributePolicy, Policy, Suppression, to_json
from roadstead.policies.partition import Partition
from roadstead.privacy.population_risk import AveragePopulationRisk
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalized import Generalized, every_row_a_class, generalize
from roadstead.release.limit import require_limit
from roadstead.release.publish import Draft, publish
from roadstead.release.verify import Verification
from roadstead.search.frontiers.frontier import Member
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.protocol import FrontierOutcome
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.roles import Roles
from roadstead.tables.sources import Source
from roadstead.verbs.columns import columns_of_release, withheld_columns
from roadstead.verbs.question import Strategy
from roadstead.verbs.words import counted, listed, percent

RARE = 5
"""Values of columns without a role that fewer records have are rare."""


@dataclass(frozen=True)
class Chosen:
    """A policy of a frontier, and how that was found.

    Attributes
    ----------
    problem, search, outcome
        What was searched, how, and what was found.
    member
        The policy, with its shares of risk and loss.
    seed, time_limit
        As asked for.
    origins
        For each quasi-identifier, where its order comes from.
    population
        What the population is, in words, where that is to be told; for an estimate, of what year
        and made from what.
    """

    problem: FrontierProblem
    search: Strategy
    outcome: FrontierOutcome
    member: Member[Partition]
    seed: int | None = None
    time_limit: float | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    population: str | None = None

    @cached_property
    def classes(self) -> PartitionClasses:
        """The classes of the policy as the search counts them."""
        return self.problem.cells.classes(self.member.policy)

    @property
    def loss_by_attribute(self) -> dict[str, float]:
        """Iyengar's loss: the mean share of its domain that a record's interval takes in."""
        domains, records = self.problem.domains, self.problem.cells.total
        return {
            name: float(np.dot(held, widths - 1)) / (records * max(size - 1, 1))
            for name, size, (widths, held) in zip(
                domains.attributes, domains.sizes, self.classes.intervals, strict=True
            )
        }

    @property
    def facts(self) -> dict[str, Any]:
        """How the policy was found, for the certificate."""
        return {
            "name": self.search.name,
            "evaluated": self.outcome.evaluated,
            "boundaries": self.problem.domains.boundaries,
            "ending": self.outcome.ending,
            "members": len(self.outcome.frontier),
            "area": self.outcome.frontier.area,
            "risk": self.member.risk,
            "risk_measure": self.problem.risk.settings(),
        }

    @property
    def loss(self) -> dict[str, Any]:
        """What the policy loses, for the certificate: a share of the most that can be lost."""
        return {
            **self.problem.loss.settings(),
            "loss": self.member.loss,
            "by_attribute": self.loss_by_attribute,
        }


@dataclass(frozen=True)
class FrontierRelease:
    """A policy of a frontier, applied to the table that it was found for.

    Attributes
    ----------
    source, roles
        The table and its columns' roles.
    policy, models, generalized
        The policy, its privacy models, and the one applied to the table's summary.
    chosen
        What the search knows of it.
    withheld
        Columns without a role that are not released, because they single people out by themselves,
        with the share of records whose value is rare.
    """

    source: Source
    roles: Roles
    policy: Policy
    models: tuple[PrivacyModel, ...]
    generalized: Generalized
    chosen: Chosen
    withheld: dict[str, float]

    @property
    def draft(self) -> Draft:
        """All that the release is made of, but for the report."""
        return Draft(
            source=self.source,
            policy=self.policy,
            models=self.models,
            generalized=self.generalized,
            loss=self.chosen.loss,
            search=self.chosen.facts,
            settings=self.settings,
            seed=self.chosen.seed,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for."""
        label = self.chosen.population
        return {
            "quasi": list(self.roles.quasi),
            "privacy": [model.settings() for model in self.models],
            "suppression": self.policy.suppression.limit,
            "suppressed_records": self.policy.suppression.records,
            "quality": self.chosen.problem.loss.settings(),
            "search": self.chosen.search.name,
            "time_limit": self.chosen.time_limit,
            **({} if label is None else {"population": label}),
        }

    @property
    def population_risk(self) -> list[dict[str, float]]:
        """For each bound on it, the risk of the release, as the mean and the sum over records."""
        table = self.generalized.released(mask=False)
        classes, found = every_row_a_class(table), []
        for model in self.models:
            if isinstance(model, AveragePopulationRisk):
                mean = model.bind(table).risk(classes)
                bounds = {"maximum": model.maximum, "gamma": model.gamma}
                found.append({"mean": mean, "sum": mean * table.records, **bounds})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Give what was released as JSON holds it."""
        counts, risk = self.draft.counts, self.draft.risk
        return {
            "policy": to_json(self.policy),
            "models": [model.name for model in self.models],
            "levels": self.policy.levels,
            "loss": self.chosen.member.loss,
            "loss_by_attribute": self.chosen.loss_by_attribute,
            "records": counts.records,
            "released": counts.released,
            "suppressed": counts.suppressed,
            "population_risk": self.population_risk,
            "population": self.chosen.population,
            "risk": {
                "maximum": risk.maximum,
                "average": risk.average,
                "maximum_before": risk.maximum_before,
                "average_before": risk.average_before,
            },
            "hierarchies": dict(self.chosen.origins),
            "withheld": self.withheld,
        }

    def write(self, out: str | Path, *, force: bool = False) -> Verification:
        """Write the release, verified, into a new folder; as `Anonymization.write`."""
        return publish(replace(self.draft, report=self._report), Path(out), force=force)

    def _report(self) -> str:
        from roadstead.verbs.reporting import (  # noqa: PLC0415 - charts are heavy
            report_of_frontier_release,
        )

        return report_of_frontier_release(self)

    def __str__(self) -> str:
        attributes, losses = self.policy.attributes, self.chosen.loss_by_attribute
        width = max(len(a.name) for a in attributes)
        risk, member = self.draft.risk, self.chosen.member
        lines = [
            f"{counted(self.draft.counts.records)} of {self.source.name}, none suppressed.",
            *(
                f"  {a.name:<{width}}  {a.does}  (level {a.level} of 0-{a.levels - 1}, "
                f"loss {percent(losses[a.name])})"
                for a in attributes
            ),
            f"On the frontier: risk {percent(member.risk)} of the original data's, "
            f"{self.chosen.problem.loss.name} {percent(member.loss)} of the most.",
            *(f"{told[:1].upper()}{told[1:]}" for told in self.draft.told),
            f"Whoever knows that a person is in the table finds the right record with a "
            f"probability of at most {percent(risk.maximum)}, {percent(risk.average)} on average.",
        ]
        if self.chosen.population is not None:
            lines.append(f"The population is {self.chosen.population}.")
        if self.withheld:
            lines.append(
                "Withheld, because too many of its values are rare: "
                f"{listed(tuple(self.withheld))}. Declare it --insensitive or --identifying."
            )
        return "\n".join(lines)


def release_of(
    source: Source,
    roles: Roles,
    attributes: Sequence[AttributePolicy],
    table: FrequencyTable,
    models: Sequence[PrivacyModel],
    chosen: Chosen,
) -> FrontierRelease:
    """Apply a policy of a frontier to its table.

    Parameters
    ----------
    source, roles
        The table, and the roles of its columns.
    attributes
        What the policy does to each quasi-identifier, in the order of `table`. A rule that lists
        values of the table writes them into the policy: whoever makes it sees to it that these
        identify nobody.
    table
        The frequency table of the quasi-identifiers, with the population if one is known.
    models
        The promise: a bound on the risk against the population, and whatever else is asked for.
    chosen
        What the search knows of the policy.

    Raises
    ------
    Refusal
        When the release would not keep the promise with all records in it.
    PolicyError
        When a rule does not cover a value.
    """
    withheld = withheld_columns(source, roles, RARE, table.records)
    policy = Policy(
        attributes=tuple(attributes),
        privacy=tuple(model.settings() for model in models),
        suppression=Suppression(0.0),
        columns=columns_of_release(source, roles, withheld),
    )
    generalized = generalize(table, policy, models, where=source.name)
    sizes = generalized.merged.counts
    if not np.array_equal(np.sort(sizes[sizes > 0]), np.sort(chosen.classes.records)):
        raise RuntimeError("the rules make other classes than the search had")
    require_limit(
        generalized,
        policy.suppression,
        models,
        where=source.name,
        mend="choose a policy of less risk, or allow more",
    )
    return FrontierRelease(source, roles, policy, tuple(models), generalized, chosen, withheld)
