"""Define the steps that all releases of a table share, before and after the policy is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from roadstead.policies.treatments.document import Rounding
from roadstead.release.generalized import Generalized, masks
from roadstead.release.identifiers_shown import identifiers_shown
from roadstead.release.persons.old_ages import require_no_old_age
from roadstead.release.treatments.treating import treated
from roadstead.reports.release.columns import ColumnDecisions
from roadstead.tables.codebooks.shown import with_codes_of_few
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.identifiers.judgment import Examined
from roadstead.tables.identifiers.releasable import require_hidden
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.columns import decide_columns, looked_at_briefly, require_releasable
from roadstead.verbs.persons.by_people import with_risk_by_people
from roadstead.verbs.persons.linkage import links_by_declared, without_links
from roadstead.verbs.table_of_people import require_people
from roadstead.verbs.undone import with_risk_if_undone

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.policies.treatments.document import Treatment
    from roadstead.tables.frequency import FrequencyTable
    from roadstead.tables.persons.linking_columns import LinkedRowsShare
    from roadstead.verbs.released import ReleaseResult

Result = TypeVar("Result", bound="ReleaseResult")


class AppliedPolicy(NamedTuple):
    """A policy, with the generalized table and the decisions about the other columns."""

    policy: Policy
    generalized: Generalized
    decided: ColumnDecisions


@dataclass(frozen=True)
class ExaminedTable:
    """A table whose columns were examined.

    `k` is the class size that the decisions about columns use. `linked` is true if the release
    shows which records belong to the same person. For each column with a role, `linking` contains
    the share of people whose records the column links. `fix` replaces the advice about a
    quasi-identifier that shows an identifier.
    """

    source: Source
    roles: Roles
    examined: Examined
    k: int
    linked: bool
    treatments: tuple[Treatment, ...]
    linking: Mapping[str, LinkedRowsShare]
    fix: str | None = None

    def decided(self, table: FrequencyTable) -> ColumnDecisions:
        """Return the decisions about all columns. `table` counts the records."""
        records = table.records
        decided = replace(
            decide_columns(self.source, self.roles, self.examined, k=self.k, records=records),
            alone=self.roles.person is not None and table.units == records,
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
        """Apply a policy: measure the risk of people, and treat the other columns.

        Reject quasi-identifiers that show a direct identifier, unless the request released them.
        `least` is the minimum number of people per class if a column identifies people. None means
        that there is no minimum.
        """
        shown = identifiers_shown(policy, generalized, self.examined)
        forced = policy.columns.forced_quasi
        require_hidden([one for one in shown if one.column not in forced], fix=self.fix)
        decided = replace(decided, identifying=shown)
        decided = with_risk_by_people(self.source, decided, generalized, least=least)
        decided = with_risk_if_undone(policy, generalized, decided)
        mask = masks(policy, generalized)
        policy, generalized = treated(self.source, policy, generalized, mask=mask)
        return AppliedPolicy(policy, generalized, decided)

    def checked(self, result: Result) -> Result:
        """Reject released ages above 89, and compute all counts while the source is open."""
        samples = self.examined.samples
        require_no_old_age(self.source, result.policy, result.generalized, samples)
        result.count()
        return result


def examined_columns(
    source: Source,
    roles: Roles,
    hidden: Sequence[str] | None = None,
    *,
    fewest: int = 2,
    treatments: Sequence[Treatment] = (),
    fix: str | None = None,
) -> Examined:
    """Examine every column. Reject a table of counts, and roles that release an identifier.

    `hidden` lists columns that no other column may reveal. The default is the direct identifiers. A
    label that fewer than `fewest` records have is not released, so it does not cause an objection
    to a column. If one of `treatments` leaves only a few values, values that repeat like IDs do not
    cause an objection either. `fix` replaces the default advice, which is to give the column
    another role.
    """
    require_people(source, roles)
    listed = frozenset((*roles.quasi, *roles.identifiers))
    examined = examine_described(
        source, source.columns, looked_at_briefly(source, roles), listed
    ).examined
    examined = _without_rare_labels(source, roles, examined, fewest)
    hidden = roles.identifiers if hidden is None else hidden
    examined = with_dependencies(
        source, examined, roles.quasi, hidden, roles.person, roles.release_anyway
    )
    few = [one.column for one in treatments if isinstance(one, Rounding) and one.few]
    objections = {
        name: tuple(one for one in ones if name not in few or one.kind != "person")
        for name, ones in examined.objections.items()
    }
    examined = replace(examined, objections=objections)
    require_releasable(roles, examined, fix=fix)
    return examined


def _without_rare_labels(source: Source, roles: Roles, examined: Examined, fewest: int) -> Examined:
    """Examine the columns with objections again, with codes instead of rare labels."""
    wrong = [
        name
        for name in (*roles.sensitive, *roles.unchanged)
        if examined.objections.get(name) or examined.judgments[name].identifier
    ]
    shown = with_codes_of_few(source, wrong, fewest)
    if not shown:
        return examined
    by_codes = replace(source, held=source.table.mutate(**shown))
    again = examine_described(by_codes, [*shown]).examined
    objections = {name: one for name, one in examined.objections.items() if name not in shown}
    return replace(
        examined,
        samples={**examined.samples, **again.samples},
        judgments={**examined.judgments, **again.judgments},
        objections={**objections, **again.objections},
    )


def examined_table(
    source: Source,
    roles: Roles,
    examined: Examined,
    *,
    k: int,
    known: bool,
    linked: bool = False,
    treatments: tuple[Treatment, ...] = (),
    fix: str | None = None,
) -> ExaminedTable:
    """Return the examined table. Reject columns with a role that link the records of a person.

    `known` is false if no setting says how many rows of a person an attacker knows. `fix` replaces
    the advice about a quasi-identifier that shows an identifier.
    """
    linking = links_by_declared(source, roles, k=k, linked=linked, known=known)
    return ExaminedTable(source, roles, examined, k, linked, treatments, linking, fix)
