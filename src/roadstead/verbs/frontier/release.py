"""From a policy chosen on a frontier to its release.

The search knows a policy as boundaries kept; what is released is made by its rules alone, so that
anybody can apply them. No record is suppressed: a policy whose release does not keep the promise
as a whole is refused, and the promise is a bound on the risk against the population (paper 004's
threshold), not k-anonymity, unless that is asked for too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from roadstead.policies.document import AttributePolicy, Policy, Suppression
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalized import generalize
from roadstead.release.limit import require_limit
from roadstead.release.publish import Aside, publish_release, stage
from roadstead.release.verification.checks import Verification
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.reporting import report_of_frontier_release
from roadstead.verbs.columns import decide_columns, examined_columns
from roadstead.verbs.frontier.chosen import Chosen, ReleasedPolicy

SLACK = 1e-9
"""Relative: by so much a bound is above the risk that it is worked out from."""
RARE = 5
"""Values of columns without a role that fewer records have are rare."""


class FrontierRelease(ReleasedPolicy):
    """A policy of a frontier applied to its table, with the folder it is written to."""

    def write(
        self, out: str | Path, *, into: str | None = None, force: bool = False
    ) -> Verification:
        """Write the release, verified, into a new folder; as `Anonymization.write`."""
        _ = self.added  # counted now: once the release streams, the engine is not to be asked
        draft = replace(self.draft, report=self._report)
        return publish_release(draft, Path(out), into, force=force)

    def stage(self, folder: Path, aside: Aside) -> Verification:
        """Stage the release where its table and its folder appear together."""
        _ = self.added
        return stage(replace(self.draft, report=self._report), folder, aside)

    def _report(self) -> str:
        return report_of_frontier_release(self)


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
    decided = decide_columns(
        source, roles, examined_columns(source, roles), k=RARE, records=table.records
    )
    policy = Policy(
        attributes=tuple(attributes),
        privacy=tuple(model.settings() for model in models),
        suppression=Suppression(0.0),
        columns=decided.columns,
    )
    generalized = generalize(table, policy, models, where=source.name)
    sizes = generalized.merged.counts
    if not np.array_equal(np.sort(sizes[sizes > 0]), np.sort(chosen.sizes)):
        raise RuntimeError("the rules make other classes than the search had")
    require_limit(
        generalized,
        policy.suppression,
        models,
        where=source.name,
        fix="choose a policy of less risk, or allow more",
    )
    result = FrontierRelease(source, roles, policy, tuple(models), generalized, chosen, decided)
    _ = result.added  # counted while the source is open, which the result may outlive
    return result
