"""Compute the risk if a column that is released anyway undoes the generalization of others.

A column such as the number of a cluster determines the region and the district of a record. If it
is released, an attacker can find their exact values in the release, and the groups of the release
no longer hide them. The risk is then 1 divided by the smallest number of records of a group that
also have the same exact values of these quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from roadstead.release.generalized import GeneralizedPersons
from roadstead.reports.wording import RiskIfUndone
from roadstead.tables.dependencies.determining import joint_codes
from roadstead.verbs.persons.by_people import groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roadstead.release.generalized import Generalized
    from roadstead.reports.release.columns import ColumnDecisions


def with_risk_if_undone(decided: ColumnDecisions, generalized: Generalized) -> ColumnDecisions:
    """Add the risk if columns that are released anyway undo the generalization of others."""
    undoing = _undoing(decided)
    attributes = generalized.table.attributes
    undone = [name for name in attributes if any(name in own for own in undoing.values())]
    if not undone or not generalized.sizes.size:
        return decided
    risk = _highest(generalized, [attributes.index(name) for name in undone])
    if risk * float(generalized.sizes.min()) <= 1.0:  # the groups hide no more than these columns
        return decided
    people = isinstance(generalized, GeneralizedPersons)
    found = RiskIfUndone(tuple(undoing), tuple(undone), risk, people=people)
    return replace(decided, undone=found)


def _undoing(decided: ColumnDecisions) -> dict[str, list[str]]:
    """Return the quasi-identifiers that each of these columns determines, alone or together."""
    roles, found = decided.roles, {}
    released = {*roles.release_anyway, *roles.sensitive, *roles.unchanged} - {*decided.treated}
    for name in roles.release_anyway:
        targets = [
            one.others[0]
            for one in decided.examined.objections.get(name, ())
            if one.kind == "undoes"
            and {*one.others[1:]} <= released
            and one.others[0] in roles.quasi
        ]
        if targets and name in released:
            found[name] = targets
    return found


def _highest(generalized: Generalized, undone: Sequence[int]) -> float:
    """Return 1 divided by the smallest group with the same exact values of some attributes."""
    table = generalized.table
    if isinstance(generalized, GeneralizedPersons):
        classes, released = generalized.rows
        groups = np.where(released, classes.astype(np.int64), -1)
    else:
        groups = groups_of(generalized, table.domains, table.codes)
    exact: list[NDArray[np.int64]] = [table.codes[at].astype(np.int64) for at in undone]
    parts = np.where(groups >= 0, joint_codes([groups, *exact]), -1)
    sizes = table.units_in(parts, int(parts.max(initial=-1)) + 1)
    return 1.0 / float(sizes[sizes > 0].min())
