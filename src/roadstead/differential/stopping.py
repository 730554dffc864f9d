"""The number of specializations: chosen privately, within the budget.

With few specializations a release shows little. With many, its groups are so small that noise hides
them. In paper 002 ("Summary") the owner tries several numbers, which costs budget whenever the
table is used, and an adaptive choice is future work. This module is such a choice.

The stages of DiffGen are nested: a walk of `H` specializations passes 0, 1, ..., `H` of them. So
the walk goes to its end, once. Then the exponential mechanism chooses one of its stages. The score
is the number of records that its groups predict correctly despite the noise
(``right_despite_noise``; one record changes a score by 1). Then the groups of this stage are
counted.

The budget: half of it for the walk; a twentieth for the choice; the rest, at least nine twentieths,
for the counts (and for the totals, if they are counted separately). The unspent part of the walk is
left, whichever stage is chosen. So the noise of the counts is known before the choice, except for
the price of the totals, and the score can use it.

The specializations after the chosen stage were paid for and are not used. Stopping early would save
them. But it needs as many questions as there are stages, while this method needs one. The savings
turned out to be useless: see the method's page.

The score of a stage: the counts of a group predict its most frequent class, and are right for the
records of this class. Specializing never lowers the sum over all groups, so the sum alone would
always choose the finest groups. But the counts are released with noise, and if two classes are
close, noise may swap them. Suppose that the first leads by `d` records. The chance that Laplace
noise of scale `b` on both reverses the lead is ``exp(-d / b) (1 + d / (2 b)) / 2``, and then `d`
fewer records are right. The product is 0.2935 `b` at worst, where ``d = sqrt(2) b``; averaged over
all leads up to 10 `b` it is 0.1 `b`. So each group is charged 0.1 `b`, and counts only as far as it
exceeds the charge. Many small groups pay this amount each, and few large groups pay almost nothing.
The worst case would be too high a charge: a pruned tree predicts small groups by their neighbors,
and loses less. Rounding up to a whole record also excludes groups that are distinguished only by
chance.

Records whose combination of items seemed to be empty are in no group. They count as one additional
group, because the release spreads them over the remaining groups. Otherwise, no stage that
distinguishes sets would ever be chosen, because such a stage always loses some records.

Sensitivity: one more record is in one group, or among those in none, so one term changes. The
largest count in the group grows by 1 or stays. The excess over a fixed charge grows by at most 1,
and never falls. So the sensitivity is 1, and the sums of all stages are monotonic. The charge must
be public.
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
"""A good number of specializations to walk; in a longer walk, each step is less certain."""
CHOICE_SHARE = Fraction(1, 20)
"""Share of the budget for the choice of a stage."""
SENSITIVITY = 1
"""The largest change of `right_despite_noise` by one record; no record lowers it."""
_LOSS = Fraction(1, 10)
"""The average cost for a group of noise of scale 1, over leads of 0 to 10."""


def walk_choosing(
    table: PrivateTable, plan: Plan, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Walk to the end, choose a stage, and return to it.

    `accountant`: pays; at least nine twentieths of its total are left. Returns the stages from all
    records in one group to the chosen stage.
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
    """Estimate the average cost of noise for a group, in whole records, rounded up.

    `epsilon`: the future cost of the counts of the groups, for one record.
    """
    return ceil(_LOSS / epsilon)


def right_despite_noise(table: PrivateTable, stage: Stage, each: int) -> int:
    """Add up the most frequent classes of the groups of a stage, minus a charge for each group.

    `each`: the charge per group, at least 0; public. No group counts less than 0. Returns a number
    of records; private.
    """
    classes = len(table.classes)
    cells, counts = stage.partitions.cells(table.target, table.counts, classes)
    # Cells are ascending, so those of a group are next to each other.
    starts = np.flatnonzero(np.diff(cells // classes, prepend=-1))
    most = np.maximum.reduceat(counts, starts) if starts.size else counts
    lost = ~stage.partitions.alive
    in_none = np.bincount(table.target[lost], weights=table.counts[lost], minlength=1).max()
    most = np.append(most, int(in_none))
    return int(np.maximum(most - each, 0).sum())
