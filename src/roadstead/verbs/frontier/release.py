"""Create a release with a policy that was chosen on a frontier.

The release depends only on the rules of the policy, so anyone can apply the same rules to other
data. No record is suppressed. If the release does not meet the requirements, the policy is
rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from roadstead.policies.document import Policy, to_json
from roadstead.printable import printable_lines
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalization import generalize
from roadstead.release.generalized import require_limit
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.release.chosen import ChosenPolicy, ChosenReleaseFacts, content_of, promised
from roadstead.reports.terminal.chosen import lines_of, warning
from roadstead.reports.wording import counted
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.examined_table import examined_columns, examined_table
from roadstead.verbs.frames import brief
from roadstead.verbs.released import ReleaseResult

RARE = 5
"""A value is rare if fewer than this many records have it."""


@dataclass(frozen=True, eq=False)
class FrontierRelease(ChosenReleaseFacts, ReleaseResult):
    """The release that a policy on a frontier produces from the searched table."""

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        return content_of(self)

    @property
    def promised(self) -> str:
        """Return a sentence about the risk and the privacy requirements that the release meets."""
        return promised(self)

    @property
    def warning(self) -> str | None:
        """Return a warning about unique records, or None if no record is unique."""
        return warning(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts about the release as a dictionary that can be converted to JSON."""
        counts = self.draft.counts
        return {
            "noticed": list(self.noticed),
            "policy": to_json(self.policy),
            "models": [model.name for model in self.models],
            "levels": self.levels,
            "loss": self.chosen.loss,
            "loss_by_attribute": self.chosen.loss_by_attribute,
            "records": counts.records,
            "released": counts.released,
            "suppressed": counts.suppressed,
            "population_risk": self.population_risk,
            "population": self.chosen.population,
            "risk": self.risk_document,
            "hierarchies": dict(self.chosen.origins),
            **({} if self.below is None else {"below_promise": asdict(self.below)}),
            **self.decided.to_dict(),
            **self.columns_document,
            "columns_withheld": self.withheld_document,
            **self.ledger_document,
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
        return printable_lines([*self.lines, *self.ledger_lines, *self.ending()])

    @property
    def lines(self) -> list[str]:
        """Return the lines about the release, except the last block of the output."""
        return lines_of(self)


def release_of(
    source: Source,
    roles: Roles,
    policy: Policy,
    table: FrequencyTable,
    models: Sequence[PrivacyModel],
    chosen: ChosenPolicy,
    *,
    known: bool,
) -> FrontierRelease:
    """Apply a policy on a frontier to its table. Reject a policy that does not meet the models.

    If a rule lists values from the table, the policy contains these values, so the caller must make
    sure that the values do not identify anyone. `models` contains a bound on the risk and other
    requested models. `known` is false if no setting says how many rows of a person an attacker
    knows.
    """
    examined = examined_table(source, roles, examined_columns(source, roles), k=RARE, known=known)
    decided = examined.decided(table)
    policy = replace(policy, columns=decided.columns)
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
