"""How many records a stage of DiffGen lets one predict, in spite of the noise that is to come.

Whoever knows the counts of a group predicts its most frequent class, and is right for as many
records as that class has. Specializing never lowers the sum over all groups, so the sum alone would
always choose the finest groups. But the counts are released with noise, and if two classes are
close, noise may swap them. Say the first leads by `d` records. The chance that Laplace noise of
scale `b` on both makes up for it is ``exp(-d / b) (1 + d / (2 b)) / 2``, and then `d` records less
are right. The product is 0.2935 `b` at worst, where ``d = sqrt(2) b``; averaged over all leads up
to 10 `b` it is 0.1 `b`. So each group is charged 0.1 `b`, and counts only as far as it exceeds
that: many small groups pay that much each, and few large ones hardly anything. The worst would be
too much: a tree that is pruned predicts small groups by their neighbors, and loses less. Rounded up
to a whole record it also keeps groups away that are distinguished by chance alone.

Records whose combination of items seemed to be empty are in no group. They count as one group more,
since the release spreads them over those that are left; else no stage that distinguishes sets is
ever chosen, which loses some of them always.

Sensitivity: a record more is in one group, or among those in none, so one term changes. The largest
count in that group grows by 1 or stays; what exceeds a fixed charge grows by 1 at most, and never
falls. So the sensitivity is 1, and the sums of all stages are monotonic. The charge must be public.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.diffgen import Stage
from roadstead.differential.private_table import PrivateTable

SENSITIVITY = 1
"""By how much one record can change `right_despite_noise`; no record lowers it."""
_LOSS = Fraction(1, 10)
"""What noise of scale 1 costs a group on the average, over leads of 0 to 10."""


def charge(epsilon: Fraction) -> int:
    """Estimate what noise costs a group on the average, in whole records, rounded up.

    Parameters
    ----------
    epsilon
        What the counts of the groups are going to cost.
    """
    return ceil(_LOSS / epsilon)


def right_despite_noise(table: PrivateTable, stage: Stage, each: int) -> int:
    """Add up the most frequent classes of the groups of a stage, less a charge for each group.

    `each`: what a group is charged, at least 0; public. No group counts less than nothing. Returns:
    in records; private.
    """
    classes = len(table.classes)
    cells, counts = stage.partitions.cells(table.target, table.counts, classes)
    # Cells are ascending, so those of a group stand together.
    starts = np.flatnonzero(np.diff(cells // classes, prepend=-1))
    most = np.maximum.reduceat(counts, starts) if starts.size else counts
    most = np.append(most, _lost(table, stage).max())
    return int(np.maximum(most - each, 0).sum())


def _lost(table: PrivateTable, stage: Stage) -> NDArray[np.int64]:
    """Count the classes of the records in no group."""
    lost = ~stage.partitions.alive
    found = np.zeros(len(table.classes), dtype=np.int64)
    np.add.at(found, table.target[lost], table.counts[lost])
    return found
