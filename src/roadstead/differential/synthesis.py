"""A differentially private synthesis: the budget, the specializations, groups with noisy counts.

A record is in one group and has one class, so it changes one count by 1, and all counts together
cost one grant. Groups without a record get noise like any other: whether a group has records is
what the noise protects. There may be very many of them, so the release lists the cells (a group and
a class) whose noisy count reaches a threshold, and those without a record that do are drawn without
listing the others. Which cells are listed follows from noisy counts alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CutGroups
from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, Stage, walk
from roadstead.differential.listing import Threshold, few_false, listed_cells
from roadstead.differential.private_table import PrivateTable

TOTALS = "totals of the classes"
"""The step that counts the classes on their own."""


@dataclass(frozen=True, eq=False)
class NoisyGroups:
    """Groups and their noisy counts."""

    groups: CutGroups  # the groups with a count that is listed
    classes: tuple[str, ...]
    # Shape ``(groups, classes)``: noisy counts, 0 where one did not reach the threshold.
    counts: NDArray[np.int64] = field(repr=False)
    all_groups: int  # how many groups the cuts make, listed or not
    least: int  # the least count that is listed

    @property
    def records(self) -> int:
        """How many records the listed counts say there are."""
        return int(self.counts.sum())


def noisy_groups(
    table: PrivateTable, stage: Stage, grant: Grant, threshold: Threshold, mechanisms: Mechanisms
) -> NoisyGroups:
    """Count the groups with noise."""
    partitions = stage.partitions
    cells = partitions.cells(table.target, table.counts, len(table.classes))
    chosen = stage.groups.chosen
    size = partitions.size
    return noisy_cells(cells, chosen, size, table.classes, grant, threshold, mechanisms)


def noisy_cells(
    cells: tuple[NDArray[np.int64], NDArray[np.int64]],
    groups_at: Callable[[NDArray[np.int64]], CutGroups],
    all_groups: int,
    classes: tuple[str, ...],
    grant: Grant,
    threshold: Threshold,
    mechanisms: Mechanisms,
) -> NoisyGroups:
    """Count the cells of numbered groups with noise, and give the groups that are listed.

    `cells` are those with records, ascending, cell ``g * classes + c`` being class `c` of group
    `g`, and their counts; `groups_at` gives the groups of some numbers.
    """
    width = len(classes)
    listed, counts, least = listed_cells(*cells, all_groups * width, grant, threshold, mechanisms)
    groups, row = np.unique(listed // width, return_inverse=True)
    by_class = np.zeros((groups.size, width), dtype=np.int64)
    by_class[row, listed % width] = counts
    return NoisyGroups(groups_at(groups), classes, by_class, all_groups, least)


@dataclass(frozen=True)
class Synthesis:
    """What was made of a private table; all of it may be released."""

    epsilon: Fraction  # the privacy budget
    ledger: tuple[Grant, ...]  # what it was spent on; sums to `epsilon`
    steps: tuple[str, ...]  # the specializations, in words
    groups: NoisyGroups  # the groups and their noisy counts

    @property
    def totals_alone(self) -> bool:
        """Whether no group stood out from the noise, so that only the classes are shown."""
        return not self.steps and any(one.step == TOTALS for one in self.ledger)

    @property
    def counted_for(self) -> Fraction:
        """The epsilon of the noise in the listed counts."""
        if self.totals_alone:
            return next(one.epsilon for one in self.ledger if one.step == TOTALS)
        return self.ledger[-1].epsilon


def synthesize(
    table: PrivateTable,
    epsilon: Fraction,
    plan: Plan,
    mechanisms: Mechanisms,
    *,
    listing: Threshold = few_false,
) -> Synthesis:
    """Make a differentially private synthesis with a given number of specializations.

    `epsilon`: the privacy budget, above 0.
    """
    accountant = Accountant(epsilon)
    walked = walk(table, plan, accountant, mechanisms)
    return counted(table, walked, accountant, mechanisms, listing)


def counted(
    table: PrivateTable,
    walked: list[Stage],
    accountant: Accountant,
    mechanisms: Mechanisms,
    listing: Threshold,
) -> Synthesis:
    """Spend what is left on the counts of the last stage."""
    grant = accountant.spend("counts of the groups", accountant.left)
    groups = noisy_groups(table, walked[-1], grant, listing, mechanisms)
    steps = tuple(stage.step for stage in walked[1:])
    return Synthesis(accountant.total, accountant.ledger, steps, groups)
