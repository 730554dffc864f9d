"""Choose the number of specializations privately, within the budget.

A walk of `H` specializations passes the stages with 0, 1, ..., `H` specializations. The module
performs the whole walk once, for half of the budget. Then the exponential mechanism chooses one of
the stages for a twentieth of the budget. The rest of the budget pays for the counts of this stage.

The score of a stage is the number of records in the most frequent class of each group, minus a
public charge per group. The charge is 0.1 `b`, rounded up. This is the average number of correct
predictions that are lost because of noise of scale `b` (docs/methods/choosing-specializations.md).
Records whose combination of items seemed empty are not in any group, and count as one additional
group.

An additional record changes one group, and the group's largest count grows by 0 or 1. So the
sensitivity is 1, and the scores are monotonic.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, Stage, walk
from roadstead.differential.private_table import PrivateTable

LONGEST_WALK = 16
"""A good number of specializations for a walk. In a longer walk, each step is less certain."""
CHOICE_SHARE = Fraction(1, 20)
"""The share of the budget for the choice of a stage."""
SENSITIVITY = 1
"""The sensitivity of `right_despite_noise`. No record lowers this score."""
_LOSS = Fraction(1, 10)
"""The average loss per group due to noise of scale 1, if the majority leads by 0 to 10."""


def walk_choosing(
    table: PrivateTable, plan: Plan, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Walk to the end, choose a stage, and return the stages up to this stage.

    At least nine twentieths of the accountant's total are left.
    """
    walked = walk(table, plan, accountant, mechanisms)
    if len(walked) == 1:
        return walked
    grant = accountant.spend(BudgetStep("stopping"), accountant.total * CHOICE_SHARE)
    each = charge(accountant.left / accountant.records)
    scores = [right_despite_noise(table, stage, each) for stage in walked]
    chosen = mechanisms.choose(grant, scores, SENSITIVITY, monotonic=True)
    return walked[: chosen + 1]


def charge(epsilon: Fraction) -> int:
    """Estimate the average loss of a group due to noise, in whole records, rounded up.

    `epsilon` is the epsilon of the group counts, for one record.
    """
    return ceil(_LOSS / epsilon)


def right_despite_noise(table: PrivateTable, stage: Stage, each: int) -> int:
    """Sum the records in the most frequent class of each group, minus the charge `each`.

    No group contributes less than 0. The charge is public and at least 0, but the result is
    private.
    """
    classes = len(table.classes)
    cells, counts = stage.partitions.cells(table.target, table.counts, classes)
    # Cells are in ascending order, so the cells of a group are next to each other.
    starts = np.flatnonzero(np.diff(cells // classes, prepend=-1))
    most = np.maximum.reduceat(counts, starts) if starts.size else counts
    lost = ~stage.partitions.alive
    in_none = np.bincount(table.target[lost], weights=table.counts[lost], minlength=1).max()
    most = np.append(most, int(in_none))
    return int(np.maximum(most - each, 0).sum())
