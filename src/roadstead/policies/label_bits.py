"""Measure the information about each row that the labels of a policy keep, in bits.

A search computes this information from hierarchies, which a policy does not contain. The
information can be computed from a policy alone if the rules list the values of each label and if
the size of each domain is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.rules import MISSING, Everything, Groups, Identity, Rule
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import KeptBits, kept_of, millionths, whole_of


@dataclass(frozen=True, eq=False)
class KeptAtLevels:
    """The information about each row that its labels keep under a policy of the lattice."""

    encoding: Encoding
    levels: Levels

    def of(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Sum the kept information about some rows over all attributes, in millionths of a bit."""
        own, codes = self.encoding.kept_bits, self.encoding.codes
        kept = np.zeros(rows.size, dtype=np.int64)
        for bits, level, column in zip(own, self.levels, codes, strict=True):
            kept += bits[level][column[rows]]
        return millionths(kept, self.encoding.whole_bits)

    def of_all(self) -> KeptBits:
        """Return the kept information about every row, for each attribute."""
        own, codes = self.encoding.kept_bits, self.encoding.codes
        columns = [
            bits[at][column] for bits, at, column in zip(own, self.levels, codes, strict=True)
        ]
        return KeptBits(np.stack(columns), self.encoding.whole_bits)


def listed_sizes(hierarchies: Sequence[Hierarchy]) -> tuple[int, ...] | None:
    """Return the number of values in each hierarchy. Return None if a hierarchy does not list them.

    If a hierarchy reads its values from the data, or is a range, its size would reveal something
    about the data.
    """
    first = [hierarchy.rule(0) for hierarchy in hierarchies]
    if all(isinstance(rule, Identity) and rule.values is not None for rule in first):
        return tuple(hierarchy.domain_size for hierarchy in hierarchies)
    return None


def list_all_values(rules: Sequence[Rule]) -> bool:
    """Return whether every rule lists the values of its labels or has only one label."""
    return all(isinstance(rule, Everything) or _listed(rule) is not None for rule in rules)


def sizes_fit(rules: Sequence[Rule], sizes: Sequence[int]) -> bool:
    """Return whether the sizes of the domains match the rules that list their values.

    A size may exceed the number of listed values by one, because of the missing value.
    """
    listed = [_listed(rule) for rule in rules]
    numbers = [None if one is None else sum(one.values()) for one in listed]
    pairs = zip(numbers, sizes, strict=True)
    return all(number is None or size in (number, number + 1) for number, size in pairs)


def kept_by_rules(
    rules: Sequence[Rule], sizes: Sequence[int], table: FrequencyTable, *, labels: bool
) -> KeptBits:
    """Return how much information about each row is kept, if the rules list all values.

    `sizes` contains the sizes of the domains. `labels` indicates whether the table contains labels
    instead of values. A string that is not a label keeps no information.
    """
    columns = []
    for rule, size, domain, codes in zip(rules, sizes, table.domains, table.codes, strict=True):
        known = {MISSING: 1, **listed} if (listed := _listed(rule)) is not None else {}
        found = domain if labels else [rule.label(value) for value in domain]
        widths = [size if one is None else known.get(one, size) for one in found]
        columns.append(kept_of(np.array(widths, dtype=np.int64), size)[codes])
    return KeptBits(np.stack(columns), whole_of(sizes))


def _listed(rule: Rule) -> dict[str, int] | None:
    """Return how many values each label covers, or None if the rule does not list its values."""
    match rule:
        case Identity(values=values) if values is not None:
            return dict.fromkeys(values, 1)
        case Groups(groups=groups):
            return {label: len(members) for label, members in groups}
    return None
