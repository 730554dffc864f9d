"""Determine which quasi-identifiers of a release still show values.

The rule of a column is not sufficient to determine this. For example, a column that is "kept to the
day" does not show any day if every record with a day is suppressed.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.label_order import open_bands
from roadstead.hierarchies.rules import MISSING, Rule
from roadstead.policies.document import SUPPRESSED
from roadstead.tables.frequency import FrequencyTable

NONE_LEFT = "no value is left"
"""The description of a column without any value."""
_NOTHING = (SUPPRESSED, MISSING)


def without_values(
    table: FrequencyTable, shown: NDArray[np.bool_] | None = None
) -> tuple[str, ...]:
    """Return the attributes of a released table that have no value in the rows `shown`."""
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


def only_bands(rule: Rule, left: Collection[str]) -> str | None:
    """Describe a column in which only open bands are left although the rule has finer labels."""
    bands = [one for one in open_bands(rule) if one in left]
    return f"only {' and '.join(bands)} left" if bands and set(left) <= set(bands) else None
