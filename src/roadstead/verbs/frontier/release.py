"""Create a release with a policy that was chosen on a frontier.

The release depends only on the rules of the policy, so anyone can apply the same rules to other
data. No record is suppressed. If the release does not meet the requirements, the policy is
rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.front_end import option
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, Suppression, to_json
from roadstead.policies.person_rules import PersonRules
from roadstead.printable import printable_lines
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.below_promise import BelowPromise
from roadstead.release.draft import Draft
from roadstead.release.generalization import generalize
from roadstead.release.generalized import every_row_a_class, require_limit
from roadstead.release.written import rewritten
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import also_rounded
from roadstead.reports.runnable import runnable_document, runnable_warnings
from roadstead.reports.shared_values import (
    shared_values_document,
    shared_values_notes,
    shared_values_warnings,
)
from roadstead.reports.terminal.release import added, terms
from roadstead.reports.wording import counted
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.words import KNOWING, counted_of, risk_left
from roadstead.verbs.examined_table import examined_columns, examined_table
from roadstead.verbs.frames import brief
from roadstead.verbs.frontier.chosen import ChosenPolicy
from roadstead.verbs.release_words import alarms, columns
from roadstead.verbs.released import ReleaseResult

if TYPE_CHECKING:
    from roadstead.reports.content import ReportContent

RARE = 5
"""The number of records below which a value is rare."""


@dataclass(frozen=True, eq=False)
class FrontierRelease(ReleaseResult):
    """The release that a policy on a frontier produces from the searched table.

    `chosen` contains what the search found out about the policy.
    """

    roles: Roles
    chosen: ChosenPolicy
    below: BelowPromise | None = None  # the unmet part of the declared minimum, and the reason

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        from roadstead.verbs.frontier.report import content_of  # noqa: PLC0415 - heavy

        warnings = (
            *shared_values_notes(self.shared_values),
            *runnable_warnings(self.runnable),
        )
        return content_of(
            self.draft, self.chosen, self.decided, self.added, warnings, self.promised
        )

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

    @property
    def promised(self) -> str:
        """Return a sentence about the risk and the privacy requirements that the release meets.

        A bound on the mean risk applies to all records together, and does not limit the risk of a
        single record.
        """
        means = [m for m in self.models if isinstance(m, AveragePopulationRisk)]
        kept = "; this does not limit the risk of an individual record"
        if self.draft.threshold < 1.0:
            kept = ""
        elif means and min(model.maximum for model in means) >= 1.0:
            kept = ", which does not limit any risk"
        elif means:
            kept = ", a mean over all records; this does not limit the risk of an individual record"
        return (
            f"Privacy requirements met: {' and '.join(model.name for model in self.models)}{kept}. "
            f"Re-identification risk: {risk_left(self.draft)}, {KNOWING}."
        )

    @property
    def warning(self) -> str | None:
        """Return a warning about unique records, or None if no record is unique."""
        alone = prosecutor_risk(self.draft.generalized.sizes, self.draft.threshold).uniques
        if not alone:
            return None
        models = option("threshold", "models")
        k_anonymity = option("privacy", {"kind": "k-anonymity", "k": 5})
        return (
            f"In this release, {counted(alone, 'record')} {'is' if alone == 1 else 'are'} unique "
            "in the quasi-identifiers. An attacker who knows that such a person is in the table "
            "finds the record with certainty (risk 100%). To limit the risk of each record, "
            f"choose a policy with less risk, or search with {models} and {k_anonymity}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts about the release as a dictionary that can be converted to JSON."""
        counts, risk = self.draft.counts, self.draft.risk
        return {
            "policy": to_json(self.policy),
            "models": [model.name for model in self.models],
            "levels": self.policy.levels,
            "loss": self.chosen.loss,
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
            **({} if self.below is None else {"below_promise": asdict(self.below)}),
            **self.decided.to_dict(),
            "released_columns_add": self.added.to_dict(),
            **shared_values_document(self.shared_values),
            **runnable_document(self.runnable),
            "columns_withheld": self.withheld_document,
        }

    def __repr__(self) -> str:
        return brief(
            self,
            self.source.name,
            counted(self.draft.counts.records, "record"),
            f"{len(self.policy.quasi)} quasi-identifiers",
            f"risk {percent(self.chosen.risk)} of the original data's risk",
            f"loss {percent(self.chosen.loss)}",
        )

    def __str__(self) -> str:
        return printable_lines([*self.lines, *self.ending()])

    @property
    def lines(self) -> list[str]:
        """Return the lines about the release, except the last block of the output."""
        attributes, losses = self.policy.attributes, self.chosen.loss_by_attribute
        width = max(len(a.name) for a in attributes)
        chosen, words = self.chosen, self.draft.words
        lines = [
            f"Read {counted_of(self.draft)} of {self.source.name}. None are suppressed.",
            self.promised,
            *terms(self.models),
            *(
                f"  {a.name:<{width}}  {words[a.name]}  (level {a.level} of 0-{a.levels - 1}, "
                f"loss {percent(losses[a.name])})"
                for a in attributes
            ),
            f"Chosen from the frontier: risk {percent(chosen.risk)} of the original data's risk, "
            f"{chosen.axes[1].name} {percent(chosen.loss)} of the maximum.",
            *also_rounded(chosen.loss),
            *(f"{one[:1].upper()}{one[1:]}" for one in self.draft.figures),
        ]
        if self.chosen.population is not None:
            lines.append(f"Population: {self.chosen.population}.")
        return [
            *self._less,
            *alarms(self.decided),
            *added(self.added, rounds=False),
            *shared_values_warnings(self.shared_values),
            *runnable_warnings(self.runnable),
            *lines,
            *columns(self.decided),
            *rewritten(self.draft.source),
        ]

    @property
    def _less(self) -> list[str]:
        if self.below is None:
            return []
        declared = " and ".join(self.below.names)
        return [
            f"Warning: {declared} was declared, but this release does not meet it. Reason given: "
            f"{self.below.reason}"
        ]


def release_of(
    source: Source,
    roles: Roles,
    attributes: Sequence[AttributePolicy],
    table: FrequencyTable,
    models: Sequence[PrivacyModel],
    chosen: ChosenPolicy,
) -> FrontierRelease:
    """Apply a policy on a frontier to its table. Reject a policy that does not meet the models.

    If a rule lists values from the table, the policy contains these values, so the caller must make
    sure that the values do not identify anyone. `models` contains a bound on the risk and other
    requested models.
    """
    examined = examined_table(source, roles, examined_columns(source, roles), k=RARE)
    decided = examined.decided(table.records)
    policy = Policy(
        attributes=tuple(attributes),
        privacy=tuple(model.settings() for model in models),
        suppression=Suppression(0.0, "mask" if roles.person is None else "drop"),
        columns=decided.columns,
        persons=None if roles.person is None else PersonRules(roles.person),
    )
    generalized = generalize(table, policy, models, where=source.name)
    sizes = generalized.merged.counts
    if not np.array_equal(np.sort(sizes[sizes > 0]), np.sort(chosen.sizes)):
        raise RuntimeError("the groups of the policy differ from the groups that the search found")
    require_limit(
        generalized,
        policy.suppression,
        models,
        where=source.name,
        fix="choose a policy with less risk",
    )
    applied = examined.released(policy, generalized, decided)
    result = FrontierRelease(
        source=source,
        policy=applied.policy,
        models=tuple(models),
        generalized=applied.generalized,
        decided=applied.decided,
        roles=roles,
        chosen=chosen,
    )
    result.count()  # computed while the source is open, because the result may outlive the source
    return result
