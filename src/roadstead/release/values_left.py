"""Determine which quasi-identifiers of a release show any values.

The rule of a column is not sufficient to determine this. For example, a column that is "kept to the
day" does not show any day if every record with a day is suppressed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.rules import MISSING
from roadstead.policies.document import SUPPRESSED
from roadstead.tables.frequency import FrequencyTable

NONE_LEFT = "no value is left"
"""The description of a column without any value."""
_NOTHING = (SUPPRESSED, MISSING)


def without_values(
    table: FrequencyTable, shown: NDArray[np.bool_] | None = None
) -> tuple[str, ...]:
    """Return the attributes of a released table that do not have any value in the rows `shown`."""
    left = values_left(table, shown)
    return tuple(name for name, values in left.items() if not values)


def values_left(
    table: FrequencyTable, shown: NDArray[np.bool_] | None = None
) -> dict[str, frozenset[str]]:
    """Return the values of each attribute of a released table in the rows `shown`."""
    rows = np.ones(table.distinct, dtype=np.bool_) if shown is None else shown
    named = zip(table.attributes, table.domains, table.codes, strict=True)
    return {
        name: frozenset(domain[code] for code in np.unique(codes[rows])).difference(_NOTHING)
        for name, domain, codes in named
    }


def in_words(does: str, *, left: bool) -> str:
    """Describe a rule, or state that no value is left."""
    return does if left or does.startswith("removed") else f"{NONE_LEFT} (the rule: {does})"
