"""A policy applied to new data: what it did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from roadstead.policies.document import Policy
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.generalized import Generalized
from roadstead.release.publish import Draft
from roadstead.tables.sources import Source
from roadstead.verbs.column_words import added, alarms
from roadstead.verbs.columns import ColumnDecisions
from roadstead.verbs.words import counted, listed, masked, percent


@dataclass(frozen=True)
class Applied:
    """A policy on new data.

    Attributes
    ----------
    source, policy, models, generalized
        The new table, the policy, its models, and the one applied to the other.
    unknown_columns
        Columns the policy does not speak of; they are not released.
    decided
        What becomes of the columns that the policy speaks of.
    """

    source: Source
    policy: Policy
    models: tuple[PrivacyModel, ...]
    generalized: Generalized
    unknown_columns: tuple[str, ...]
    decided: ColumnDecisions

    @cached_property
    def added(self) -> AddedRisk:
        """How many records the released columns tell apart, beside the quasi-identifiers."""
        return self.draft.count_added()

    @property
    def draft(self) -> Draft:
        """All that the release is made of."""
        return Draft(
            source=self.source,
            policy=self.policy,
            models=self.models,
            generalized=self.generalized,
            loss=None,
            search=None,
            settings={"unseen_values": dict(self.unseen)},
            identifiers=self.decided.certified,
        )

    @property
    def unseen(self) -> dict[str, int]:
        """For each quasi-identifier, how many values the policy does not cover."""
        return {
            name: number
            for name, number in zip(self.policy.quasi, self.generalized.unseen, strict=True)
            if number
        }

    def to_dict(self) -> dict[str, Any]:
        """Give what was done as JSON holds it."""
        counts, risk = self.draft.counts, self.draft.risk
        return {
            "levels": self.policy.levels,
            "records": counts.records,
            "released": counts.released,
            "suppressed": counts.suppressed,
            "masked": counts.masked,
            "dropped": counts.dropped,
            "risk": {"maximum": risk.maximum, "average": risk.average},
            "unseen_values": self.unseen,
            "columns_not_released": list(self.unknown_columns),
            "released_by_name": list(self.decided.roles.release),
            "released_identifiers": [one.to_dict() for one in self.decided.released_identifiers],
            "released_columns_add": self.added.to_dict(),
        }

    def __str__(self) -> str:
        counts, risk = self.draft.counts, self.draft.risk
        lines = [
            *alarms(self.decided),
            f"{counted(counts.records)} of {self.source.name}, generalized as the policy says.",
            f"Suppressed: {counted(counts.suppressed)} "
            f"({percent(counts.suppressed / counts.records)}, "
            f"limit {percent(self.policy.suppression.limit)}){masked(self.draft)}.",
            f"Risk left: at most {percent(risk.maximum)} for any record, "
            f"{percent(risk.average)} on average, to who knows these quasi-identifiers and nothing "
            "else.",
            *added(self),
            *(f"{sentence[:1].upper()}{sentence[1:]}" for sentence in self.draft.told),
        ]
        if self.unseen:
            told = ", ".join(f"{name} {number}" for name, number in self.unseen.items())
            lines.append(f"Values the policy does not cover, suppressed: {told}.")
        if self.unknown_columns:
            lines.append(
                f"Not released, the policy does not speak of it: {listed(self.unknown_columns)}."
            )
        return "\n".join(lines)
