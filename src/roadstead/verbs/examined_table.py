"""The steps that every release of a table takes, before and after its policy is known.

`anonymize`, `apply`, and the choice from a frontier differ only in how the policy comes about. All
of them first examine the columns. When the records are counted, they decide about each column. Then
they measure, treat, and check what the policy releases. One value is passed from step to step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from roadstead.release.generalized import Generalized, masks
from roadstead.release.persons.old_ages import require_no_old_age
from roadstead.release.treatments.treating import treated
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.judgment import Examined, examine
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.columns import (
    ColumnDecisions,
    decide_columns,
    looked_at_briefly,
    require_releasable,
)
from roadstead.verbs.persons.by_people import with_risk_by_people
from roadstead.verbs.persons.linkage import links_by_declared, without_links
from roadstead.verbs.table_of_people import require_people

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.policies.treatments.document import Treatment
    from roadstead.tables.persons.linking_columns import LinkedRowsShare
    from roadstead.verbs.released import ReleaseResult

Result = TypeVar("Result", bound="ReleaseResult")


class AppliedPolicy(NamedTuple):
    """A policy, what it makes of a table, and what becomes of the other columns."""

    policy: Policy
    generalized: Generalized
    decided: ColumnDecisions


@dataclass(frozen=True)
class ExaminedTable:
    """A table whose columns were examined, and what becomes of them.

    `k`: the class size by which columns are judged. `linked`: whether the release shows which
    records belong to one person. `linking`: how many people's records each declared column links.
    """

    source: Source
    roles: Roles
    examined: Examined
    k: int
    linked: bool
    treatments: tuple[Treatment, ...]
    linking: Mapping[str, LinkedRowsShare]

    def decided(self, records: int, *, alone: bool = False) -> ColumnDecisions:
        """Decide about every column; `alone`: whether each record belongs to another person."""
        decided = replace(
            decide_columns(self.source, self.roles, self.examined, k=self.k, records=records),
            alone=alone,
            linked=self.linked,
            treatments=self.treatments,
        )
        return without_links(self.source, decided, self.linking, k=self.k)

    def released(
        self,
        policy: Policy,
        generalized: Generalized,
        decided: ColumnDecisions,
        *,
        least: int | None = None,
    ) -> AppliedPolicy:
        """Measure what a policy releases by the people behind it, and treat its other columns.

        `least`: how many people each class must have if a column numbers them; None for no minimum.
        """
        decided = with_risk_by_people(self.source, decided, generalized, least=least)
        mask = masks(policy, generalized)
        policy, generalized = treated(self.source, policy, generalized, mask=mask)
        return AppliedPolicy(policy, generalized, decided)

    def checked(self, result: Result) -> Result:
        """Refuse ages above 89, and count what is computed while the source is open."""
        samples = self.examined.samples
        require_no_old_age(self.source, result.policy, result.generalized, samples)
        result.count()
        return result


def examined_columns(
    source: Source, roles: Roles, hidden: Sequence[str] | None = None, *, fix: str | None = None
) -> Examined:
    """Examine every column, and refuse a table of counts, and roles that release an identifier.

    `hidden`: columns whose values no other column may reveal; by default the direct identifiers.
    `fix` says what to do instead of giving the column another role.
    """
    require_people(source, roles)
    examined = examine(source, source.columns, looked_at_briefly(source, roles))
    hidden = roles.identifiers if hidden is None else hidden
    examined = with_dependencies(source, examined, roles.quasi, hidden, roles.person)
    require_releasable(roles, examined, fix=fix)
    return examined


def examined_table(
    source: Source,
    roles: Roles,
    examined: Examined,
    *,
    k: int,
    linked: bool = False,
    treatments: tuple[Treatment, ...] = (),
) -> ExaminedTable:
    """Refuse declared columns that would link the records of a person; keep what others show."""
    linking = links_by_declared(source, roles, k=k, linked=linked)
    return ExaminedTable(source, roles, examined, k, linked, treatments, linking)
