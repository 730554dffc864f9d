"""How many specializations: chosen privately, within the budget.

With few specializations a release says little; with many its groups are so small that they drown
in noise. Paper 002 ("Summary") leaves it to the owner to try several numbers, which costs budget
whenever the table is looked at, and names an adaptive choice as future work. This is one.

The stages of DiffGen are nested: a walk of `H` specializations passes 0, 1, ..., `H` of them. So
the walk is made to its end, once; then the exponential mechanism chooses one of its stages, scored
by the records that its groups let one predict in spite of the noise (``right_despite_noise``; one
record changes a score by 1); then the groups of that stage are counted.

The budget: half of it for the walk, as ever; a twentieth for the choice; all that is left, at least
nine twentieths, for the counts (and the totals next to them, where they are counted on their own).
What the walk did not spend is left, whichever stage is chosen, so the noise of the counts is known
before the choice, up to the price of the totals, and the score can reckon with it.

The specializations after the chosen stage were paid for and are not used. Stopping early would have
saved them. But it takes as many questions as there are stages where this takes one, and what is
saved turned out to be worth nothing: see the method's page.

The score of a stage. Whoever knows the counts of a group predicts its most frequent class, and is
right for as many records as that class has. Specializing never lowers the sum over all groups, so
the sum alone would always choose the finest groups. But the counts are released with noise, and if
two classes are close, noise may swap them. Say the first leads by `d` records. The chance that
Laplace noise of scale `b` on both makes up for it is ``exp(-d / b) (1 + d / (2 b)) / 2``, and then
`d` records less are right. The product is 0.2935 `b` at worst, where ``d = sqrt(2) b``; averaged
over all leads up to 10 `b` it is 0.1 `b`. So each group is charged 0.1 `b`, and counts only as far
as it exceeds that: many small groups pay that much each, and few large ones hardly anything. The
worst would be too much: a tree that is pruned predicts small groups by their neighbors, and loses
less. Rounded up to a whole record it also keeps groups away that are distinguished by chance alone.

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

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, Stage, walk
from roadstead.differential.private_table import PrivateTable

LONGEST_WALK = 16
"""A good number of specializations to walk; a longer walk makes each of its steps less sure."""
CHOICE_SHARE = Fraction(1, 20)
"""How much of the budget the choice of a stage costs."""
SENSITIVITY = 1
"""By how much one record can change `right_despite_noise`; no record lowers it."""
_LOSS = Fraction(1, 10)
"""What noise of scale 1 costs a group on the average, over leads of 0 to 10."""


def walk_choosing(
    table: PrivateTable, plan: Plan, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Walk to the end, choose a stage, and go back to it.

    `accountant`: Pays; at least nine twentieths of its total are left. Returns from all records in
    one group to the chosen stage.
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
    """Estimate what noise costs a group on the average, in whole records, rounded up.

    `epsilon`: what the counts of the groups are going to cost, for one record.
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
    lost = ~stage.partitions.alive
    in_none = np.bincount(table.target[lost], weights=table.counts[lost], minlength=1).max()
    most = np.append(most, int(in_none))
    return int(np.maximum(most - each, 0).sum())
