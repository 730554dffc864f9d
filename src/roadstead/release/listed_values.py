"""Refuse a policy that lists the rare values of the table, because a release has its policy.

A hierarchy file lists each value with its labels. If somebody made it from the table, its list is a
list of the table's values: of each date of birth, for example. A list that has other values too,
such as all codes of a classification, does not reveal which values occur.
"""

from __future__ import annotations

import numpy as np

from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.rules import MISSING, Groups
from roadstead.policies.document import Policy
from roadstead.tables.frequency import FrequencyTable

_MADE_FROM_THE_TABLE = 0.95
"""A list was made from the table if this share of its values occurs there."""
_MOST_RARE = 100
"""Fewer rare values are tolerated: short lists, such as countries, are natural lists."""


def require_no_list_of_rare_values(policy: Policy, table: FrequencyTable, k: int) -> None:
    """Raise PolicyError if a rule lists many values that fewer than `k` records have."""
    for does in policy.attributes:
        if not isinstance(does.rule, Groups) or does.name not in table.attributes:
            continue
        listed = {value for _, values in does.rule.groups for value in values} - {MISSING}
        occurring, rare = _counted(table, does.name, listed, k)
        if rare >= _MOST_RARE and occurring >= _MADE_FROM_THE_TABLE * len(listed):
            raise PolicyError(
                f"the policy of the release would list {rare:,} values that fewer than {k} records "
                "have, because the hierarchy lists the values of this table",
                where=f"column {quoted(does.name)}",
                fix="declare the hierarchy by a rule, such as dates, intervals, or prefixes, or "
                "list all possible values, not only the values in the table",
            )


def _counted(table: FrequencyTable, name: str, listed: set[str], k: int) -> tuple[int, int]:
    """Count the listed values in the table, and those that too few people have."""
    at = table.attributes.index(name)
    domain = table.domains[at]
    people = table.counts if table.population is None else table.population
    size = len(domain)
    records = np.bincount(table.codes[at], weights=table.counts, minlength=size)
    known = np.bincount(table.codes[at], weights=people, minlength=size)
    own = np.array([value in listed for value in domain], dtype=np.bool_)
    rare = own & (records > 0) & (np.maximum(records, known) < k)
    return int(np.count_nonzero(own & (records > 0))), int(np.count_nonzero(rare))
