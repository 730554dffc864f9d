"""Groups counted with noise: what a differentially private release consists of.

A record is in one group and has one class, so it changes one count by 1, and all counts together
cost one grant. Groups without a record get noise like any other: whether a group has records is
what the noise protects. There may be very many of them, so the release lists the cells (a group and
a class) whose noisy count reaches a threshold, and those without a record that do are drawn without
listing the others. Which cells are listed follows from noisy counts alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CutGroups
from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms, check_listable
from roadstead.differential.diffgen import Stage
from roadstead.differential.growth.set_growth import Threshold, skipping
from roadstead.differential.private_table import PrivateTable


@dataclass(frozen=True, eq=False)
class NoisyGroups:
    """Groups and their noisy counts.

    Attributes
    ----------
    groups
        The groups with a count that is listed.
    classes
        The classes.
    counts
        Shape ``(groups, classes)``: noisy counts, 0 where one did not reach the threshold.
    all_groups
        How many groups the cuts make, listed or not.
    least
        The least count that is listed.
    """

    groups: CutGroups
    classes: tuple[str, ...]
    counts: NDArray[np.int64] = field(repr=False)
    all_groups: int
    least: int

    @property
    def records(self) -> int:
        """How many records the listed counts say there are."""
        return int(self.counts.sum())


def noisy_groups(
    table: PrivateTable, stage: Stage, grant: Grant, threshold: Threshold, mechanisms: Mechanisms
) -> NoisyGroups:
    """Count the groups with noise.

    Parameters
    ----------
    table
        The records.
    stage
        The groups.
    grant
        Pays for all counts together.
    threshold
        From the grant's epsilon and the number of cells to the least count that is listed.
    mechanisms
        Add the noise.
    """
    classes = len(table.classes)
    partitions = stage.partitions
    keys, true = partitions.cells(table.target, table.counts, classes)
    cells = partitions.size * classes
    least = threshold(grant.epsilon, cells)
    check_listable(grant, cells, least)
    noisy = mechanisms.count(grant, true)
    places, drawn = mechanisms.exceeding(grant, cells - keys.size, least)
    listed = np.concatenate((keys[noisy >= least], skipping(keys, places)))
    counts = np.concatenate((noisy[noisy >= least], drawn))
    groups, row = np.unique(listed // classes, return_inverse=True)
    table_of_counts = np.zeros((groups.size, classes), dtype=np.int64)
    table_of_counts[row, listed % classes] = counts
    return NoisyGroups(
        stage.groups.chosen(groups), table.classes, table_of_counts, partitions.size, least
    )
