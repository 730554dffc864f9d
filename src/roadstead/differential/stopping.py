"""Choose the number of specializations privately, within the budget.

With few specializations, a release shows little. With many specializations, the groups are so small
that noise hides them. In paper 002 ("Summary"), the owner tries several numbers. Each try uses the
table and costs budget, and the paper leaves an adaptive choice to future work. This module makes an
adaptive choice.

The stages of DiffGen are nested: a walk of `H` specializations passes the stages with 0, 1, ...,
`H` specializations. So the walk goes to its end once. Then the exponential mechanism chooses one of
its stages. The score is the number of records that the groups of a stage predict correctly despite
the noise (``right_despite_noise``; one record changes a score by 1). Then the groups of this stage
are counted.

The budget is divided as follows: half for the walk; a twentieth for the choice; the rest, at least
nine twentieths, for the counts (and for the totals, if they are counted separately). The walk may
not spend all of its half. The unspent part does not depend on the chosen stage. So the noise of the
counts is known before the choice, except for the price of the totals. The score can use it.

The specializations after the chosen stage were paid for, but are not used. If the walk stopped
early, it would save their cost. But stopping early needs as many questions as there are stages,
while this method needs one question. Experiments showed that the savings are useless: see the
method's page.

The score of a stage is based on predictions: the counts of a group predict its most frequent class,
and are correct for the records of this class. Specializing never lowers the sum over all groups. So
the sum alone would always choose the finest groups. But the counts are released with noise, and
noise can swap two classes with similar counts. Suppose that the most frequent class leads by `d`
records. The chance that Laplace noise of scale `b` on both counts reverses the lead is ``exp(-d /
b) (1 + d / (2 b)) / 2``. Then `d` fewer records are predicted correctly. The product is at most
0.2935 `b`, for ``d = sqrt(2) b``. Its average over all leads up to 10 `b` is 0.1 `b`. So each group
is charged 0.1 `b`, and only the part of its count above the charge is added to the score. Each of
many small groups pays this amount, while a few large groups together pay almost nothing. The worst
case would be too high as a charge: a pruned tree predicts small groups by their neighbors, and
loses less. The charge is rounded up to a whole record, which also excludes groups that differ only
by chance.

Records are in no group if their combination of items seemed to be empty. These records count as one
additional group, because the release spreads them over the remaining groups. Otherwise, no stage
that distinguishes sets would ever be chosen, because every such stage loses some records.

Sensitivity: an additional record is in one group, or among the records without a group. So it
changes one term. The largest count in the group grows by 1, or stays the same. The excess over a
fixed charge grows by at most 1, and never decreases. So the sensitivity is 1, and the scores of all
stages are monotonic. The charge must be public.
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
"""The largest change that one record can make to `right_despite_noise`. No record lowers it."""
_LOSS = Fraction(1, 10)
"""The average loss of a group by noise of scale 1, for leads of 0 to 10."""


def walk_choosing(
    table: PrivateTable, plan: Plan, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Walk to the end, choose a stage, and return to it.

    `accountant`: pays for the steps. At least nine twentieths of its total are left. Returns the
    stages from all records in one group to the chosen stage.
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
    """Estimate the average loss of a group by noise, in whole records, rounded up.

    `epsilon`: the epsilon that the counts of the groups will get, for one record.
    """
    return ceil(_LOSS / epsilon)


def right_despite_noise(table: PrivateTable, stage: Stage, each: int) -> int:
    """Add up the records of the most frequent class of each group of a stage, minus its charge.

    `each`: the charge per group, at least 0; public. No group adds less than 0. Returns a number of
    records, which is private.
    """
    classes = len(table.classes)
    cells, counts = stage.partitions.cells(table.target, table.counts, classes)
    # Cells are ascending, so the cells of a group are next to each other.
    starts = np.flatnonzero(np.diff(cells // classes, prepend=-1))
    most = np.maximum.reduceat(counts, starts) if starts.size else counts
    lost = ~stage.partitions.alive
    in_none = np.bincount(table.target[lost], weights=table.counts[lost], minlength=1).max()
    most = np.append(most, int(in_none))
    return int(np.maximum(most - each, 0).sum())
