"""The ways to make something of records that a classifier can learn from: ours and two others.

All are given the same records and the same budget, so what differs is the way. Top-down
specialization has no budget: its groups are k-anonymous, and their counts are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CutGroups
from roadstead.differential.budget import Accountant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.comparators.contingency import (
    MOST_CELLS,
    contingency_table,
    finest_cuts,
)
from roadstead.differential.comparators.top_down import top_down
from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.listing import few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.verbs.synthesize.drawing import drawn
from roadstead.verbs.synthesize.settings import PrivateSettings


@dataclass(frozen=True, eq=False)
class LearningGroups:
    """The groups that a method made, to learn from; counts of shape ``(groups, classes)``."""

    groups: CutGroups = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    specializations: int


def synthesized(
    table: PrivateTable, settings: PrivateSettings, mechanisms: Mechanisms
) -> LearningGroups:
    """Make what `synthesize` releases."""
    synthesis, counts = drawn(table, settings, mechanisms)
    return LearningGroups(synthesis.groups.groups, counts, len(synthesis.steps))


def tabulated(
    table: PrivateTable, epsilon: Fraction, bands: int, mechanisms: Mechanisms
) -> LearningGroups:
    """Count all combinations of values with noise; the whole budget is spent on the counts."""
    grant = Accountant(epsilon).spend("contingency table", epsilon)
    cuts = finest_cuts(table.domains, bands)
    noisy = contingency_table(table, cuts, grant, few_false, mechanisms)
    return LearningGroups(noisy.groups, noisy.counts, 0)


def anonymous(table: PrivateTable, k: int) -> LearningGroups:
    """Specialize while each group keeps `k` records; there is no noise."""
    made = top_down(table, k)
    return LearningGroups(made.groups.groups, made.groups.counts, len(made.steps))


def can_be_tabulated(domains: Sequence[Domain], bands: int, classes: int) -> bool:
    """Say whether the cells of a contingency table can be numbered; the domains alone decide."""
    cells = classes
    for domain in domains:
        match domain:
            case NumericDomain(size=size):
                cells *= min(bands, size)
            case CategoricalDomain(size=size):
                cells *= size
            case SetDomain(taxonomy):
                cells <<= taxonomy.size
        if cells > MOST_CELLS:
            return False
    return True
