"""Generate a differentially private release from a budget, specializations, and noisy groups.

A record changes one count by 1, so all counts together cost one grant. Groups without a record get
noise in the same way as all other groups. A cell is a combination of a group and a class. The
release lists only the cells whose noisy counts reach a threshold. Then the noisy counts become
numbers of released records:

1. list every possible count, with a low threshold (`one_deviation`);
2. keep the listed counts that are mostly true (`believable`: at most one listed record in a hundred
   is noise on an empty cell), and the counts that are certainly true (`few_false`);
3. in each class, move the counts to the nearest counts with the right total (`with_total`). This
   step distributes the missing records of small cells equally over all cells of the remaining
   groups.

A twentieth of the budget pays for the totals of the classes. If there are only a few groups, the
noisy counts of all cells give better totals at no extra cost. If the release distinguishes
combinations of items, some records may not have a group, so the totals are counted separately.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Stage
from roadstead.differential.domains import CutGroups, SetCut, Specialization
from roadstead.differential.listing import (
    Threshold,
    believable,
    few_false,
    listed_cells,
    one_deviation,
)
from roadstead.differential.private_table import PrivateTable

TOTALS = BudgetStep("totals")
"""The step that counts the totals of the classes separately."""


@dataclass(frozen=True, eq=False)
class NoisyGroups:
    """Groups and their noisy counts."""

    groups: CutGroups  # the groups with a listed count
    classes: tuple[str, ...]
    # Noisy counts, shape ``(groups, classes)``. A count below the threshold is 0.
    counts: NDArray[np.int64] = field(repr=False)
    all_groups: int  # the number of all groups that the cuts form
    least: int  # the smallest listed count

    @property
    def records(self) -> int:
        """The number of records according to the listed counts."""
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
    """Count the cells of numbered groups with noise, and return the listed groups.

    `cells` gives the cells that have records, in ascending order, and their counts. Cell ``g *
    classes + c`` is class `c` of group `g`. `groups_at` returns the groups with the given numbers.
    """
    width = len(classes)
    listed, counts, least = listed_cells(*cells, all_groups * width, grant, threshold, mechanisms)
    groups, row = np.unique(listed // width, return_inverse=True)
    by_class = np.zeros((groups.size, width), dtype=np.int64)
    by_class[row, listed % width] = counts
    return NoisyGroups(groups_at(groups), classes, by_class, all_groups, least)


@dataclass(frozen=True)
class Synthesis:
    """The result for a private table. Every part of the result may be released."""

    epsilon: Fraction  # the privacy budget
    ledger: tuple[Grant, ...]  # the payments from the budget; they add up to `epsilon`
    steps: tuple[Specialization, ...]  # empty if only the totals of the classes are released
    groups: NoisyGroups  # the groups and their noisy counts

    @property
    def totals_alone(self) -> bool:
        """Indicates whether only class totals are released, because no group exceeded the noise."""
        return not self.steps and any(one.step == TOTALS for one in self.ledger)

    @property
    def counted_for(self) -> Fraction:
        """The epsilon of the noise in the listed counts, for one record."""
        if self.totals_alone:
            return next(one.each for one in self.ledger if one.step == TOTALS)
        return self.ledger[-1].each


TOTALS_SHARE = Fraction(1, 20)
"""The share of the budget for the totals of the classes."""
FALSE_SHARE = 0.01
"""The largest share of the listed records that may be noise on empty cells."""


def listed_and_released(
    table: PrivateTable, walked: list[Stage], accountant: Accountant, mechanisms: Mechanisms
) -> tuple[Synthesis, NDArray[np.int64]]:
    """Spend the rest of the budget on the last stage's counts, and generate records from them.

    More than a twentieth of the accountant's total must be left. Return the synthesis with its
    believable noisy counts, and an array of the same shape with the numbers of records to release.
    The numbers of a class add up to the noisy total of the class. If no group is believable, only
    the totals that were paid for are released, without any specialization.
    """
    stage, steps = walked[-1], tuple(one.step for one in walked if one.step is not None)
    price, own = accountant.total * TOTALS_SHARE, None
    # If the stage distinguishes combinations of items, records may have lost their group.
    lost = any(isinstance(cut, SetCut) and cut.is_specialized for cut in stage.groups.cuts)
    if not lost and stage.partitions.size <= (accountant.left / price) ** 2:
        noisy, totals = _every_cell(table, stage, accountant, mechanisms)
    else:
        own = accountant.spend(TOTALS, price)
        totals = mechanisms.count(own, table.by_class)
        grant = accountant.spend(BudgetStep("groups"), accountant.left)
        noisy = noisy_groups(table, stage, grant, one_deviation, mechanisms)
    listed, released = consistent(noisy, accountant.ledger[-1].each, totals)
    if own is not None and not listed.groups.size:
        # Release only the totals of the classes: one group, before any specialization.
        released, steps = np.maximum(totals, 0)[None], ()
        some = np.flatnonzero(released.any(axis=1))
        released = released[some]
        groups = walked[0].groups.chosen(some)
        listed = NoisyGroups(groups, table.classes, released, all_groups=1, least=1)
    return Synthesis(accountant.total, accountant.ledger, steps, listed), released


def _every_cell(
    table: PrivateTable, stage: Stage, accountant: Accountant, mechanisms: Mechanisms
) -> tuple[NoisyGroups, NDArray[np.int64]]:
    """Count all cells with noise. Return the large counts, and the sum of all counts per class."""
    grant = accountant.spend(BudgetStep("groups"), accountant.left)
    groups, classes = stage.groups, len(table.classes)
    true = np.zeros(groups.size * classes, dtype=np.int64)
    cells, counts = stage.partitions.cells(table.target, table.counts, classes)
    true[cells] = counts
    noisy = mechanisms.count(grant, true).reshape(-1, classes)
    least = one_deviation(grant.each, true.size)
    some = np.flatnonzero((noisy >= least).any(axis=1))
    counted = np.where(noisy >= least, noisy, 0)[some]
    listed = NoisyGroups(groups.chosen(some), table.classes, counted, groups.size, least)
    return listed, noisy.sum(axis=0)


def consistent(
    noisy: NoisyGroups, epsilon: Fraction, totals: NDArray[np.int64]
) -> tuple[NoisyGroups, NDArray[np.int64]]:
    """Keep believable counts, and make the counts of each class add up to its total.

    The function uses only noisy numbers, so it does not need a grant. `totals` gives the intended
    number of records per class. A number below 0 counts as 0. Return the groups and their kept
    noisy counts, and the number of records for each cell. A cell without a count can get records if
    its group has a count. If no count is believable, there are no groups.
    """
    cells = noisy.all_groups * len(noisy.classes)
    mostly = believable(noisy.counts, cells, float(epsilon), FALSE_SHARE, noisy.least)
    least = max(noisy.least, min(mostly, few_false(epsilon, cells)))
    kept = np.flatnonzero((noisy.counts >= least).any(axis=1))
    believed = np.where(noisy.counts[kept] >= least, noisy.counts[kept], 0)
    listed = replace(noisy, groups=noisy.groups.chosen(kept), counts=believed, least=least)
    if not kept.size:
        return listed, believed
    released = [
        with_total(of_class, max(total, 0))
        for of_class, total in zip(believed.T, totals.tolist(), strict=True)
    ]
    return listed, np.stack(released, axis=1)


def with_total(counts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return the nearest non-negative integers with a given sum of at least 0.

    The least-squares solution for a vector `v` is ``max(v - level, 0)``, with one level for all
    entries (projection onto a simplex; Held, Wolfe and Crowder 1974, "Validation of subgradient
    optimization"). For integers, the level is rounded down. Then the smallest counts above 0 lose
    one record each, until no surplus remains. If the counts were scaled instead, the noise added to
    small counts would be removed from large counts. `counts` has at least one cell.
    """
    if total == 0:
        return np.zeros_like(counts)
    order = np.argsort(-counts, kind="stable")
    sizes = counts[order]
    number = np.arange(1, sizes.size + 1)
    # If the first r cells stay above 0, the level is surplus / r, and cell r must exceed the level.
    surplus = np.cumsum(sizes) - total
    left = int(np.flatnonzero(sizes * number > surplus)[-1]) + 1
    near = np.maximum(sizes - int(surplus[left - 1]) // left, 0)
    too_many = int(near.sum()) - total
    near[left - too_many : left] -= 1
    result = np.empty_like(counts)
    result[order] = near
    return result
