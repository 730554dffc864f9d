"""Compute the risk if a column that is released anyway undoes the generalization of others.

A column such as the number of a cluster determines the region and the district of a record. If it
is released, an attacker who knows which values belong together reads the exact values in the
release, and the groups of the release no longer hide them. The risk is then 1 divided by the
smallest number of records of a group that also have the same exact values of these
quasi-identifiers. Suppressed records that are kept with ``*`` are a group, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from roadstead.release.certificate import RiskIfUndone
from roadstead.release.generalized import GeneralizedPersons, masks
from roadstead.tables.dependencies.determining import joint_codes
from roadstead.verbs.persons.by_people import groups_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.reports.release.columns import ColumnDecisions


def with_risk_if_undone(
    policy: Policy, generalized: Generalized, decided: ColumnDecisions
) -> ColumnDecisions:
    """Add the risk if columns that are released anyway undo the generalization of others."""
    undoing, table = _undoing(decided), generalized.table
    undone = [name for name in table.attributes if any(name in own for own in undoing.values())]
    if not undone:
        return decided
    groups = _groups(generalized, mask=masks(policy, generalized))
    if not (groups >= 0).any():  # everything is suppressed
        return decided
    exact = [table.codes[table.attributes.index(name)].astype(np.int64) for name in undone]
    parts = np.where(groups >= 0, joint_codes([groups, *exact]), -1)
    if _smallest(generalized, parts) == _smallest(generalized, groups):
        return decided
    people = isinstance(generalized, GeneralizedPersons)
    found = RiskIfUndone(
        tuple(undoing),
        tuple(undone),
        1.0 / _smallest(generalized, parts),
        unit="person" if people else "record",
        at_least=people and policy.rows_known != 1,
    )
    return replace(decided, undone=found)


def _undoing(decided: ColumnDecisions) -> dict[str, list[str]]:
    """Return the quasi-identifiers that each of these columns determines in all records."""
    found = {}
    for name in decided.roles.release_anyway:
        objections = decided.examined.objections.get(name, ())
        targets = [one.others[0] for one in objections if one.kind == "undoes" and one.exact]
        own = [target for target in targets if target in decided.roles.quasi]
        if own and name not in decided.treated:
            found[name] = own
    return found


def _groups(generalized: Generalized, *, mask: bool) -> NDArray[np.int64]:
    """Return the released group of each row of the original table, or -1 if it is not released."""
    table = generalized.table
    if isinstance(generalized, GeneralizedPersons):
        classes, released = generalized.rows
        groups = np.where(released, classes.astype(np.int64), -1)
    else:
        groups = groups_of(generalized, table.domains, table.codes)
    return np.where(groups < 0, generalized.kept.size, groups) if mask else groups


def _smallest(generalized: Generalized, groups: NDArray[np.int64]) -> int:
    """Return the smallest number of records, or of people, in a group."""
    sizes = generalized.table.units_in(groups, int(groups.max(initial=-1)) + 1)
    return int(sizes[sizes > 0].min())
