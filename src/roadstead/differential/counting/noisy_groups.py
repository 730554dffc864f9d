"""Groups counted with noise: what a differentially private release consists of.

A record is in one group and has one class, so it changes one count by 1, and all counts together
cost one grant. Groups without a record get noise like any other: whether a group has records is
what the noise protects. There may be very many of them, so the release lists the cells (a group and
a class) whose noisy count reaches a threshold, and those without a record that do are drawn without
listing the others. Which cells are listed follows from noisy counts alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CutGroups
from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Stage
from roadstead.differential.listing import Threshold, listed_cells
from roadstead.differential.private_table import PrivateTable


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
