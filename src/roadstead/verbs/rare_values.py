"""Values that a policy would list although only few records show that they exist.

A policy may be shared. Where its rules are groups they list values, and a value that was read off
the table tells that somebody has it.
"""

from __future__ import annotations

import numpy as np

from roadstead.hierarchies.ordered_domain import OrderedDomain
from roadstead.hierarchies.rules import MISSING
from roadstead.tables.frequency import FrequencyTable


def rare_values(table: FrequencyTable, domain: OrderedDomain, fewer_than: int) -> int:
    """Count the values that fewer records have, and nobody else of the population if one is known.

    Of values that somebody listed, none counts.
    """
    if domain.declared:
        return 0
    i = table.attributes.index(domain.attribute)
    size = len(table.domains[i])
    people = table.counts if table.population is None else table.population
    records = np.bincount(table.codes[i], weights=table.counts, minlength=size)
    others = np.bincount(table.codes[i], weights=people, minlength=size) - records
    rare = (records < fewer_than) & (others == 0)
    named = np.array([value != MISSING for value in table.domains[i]])
    return int(np.count_nonzero(rare & named))
