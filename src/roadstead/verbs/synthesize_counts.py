"""The last step of a synthesis: noisy counts of the groups, and how many records are released.

A release has both: the counts as they were drawn, those of them that are believable, and the
numbers of records that were made of them, which add up to the noisy totals of the classes (see
``differential.consistent``). The second follow from what is noisy already.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant
from roadstead.differential.consistent import TOTALS_SHARE, class_totals, consistent
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.mechanisms import Mechanisms
from roadstead.differential.noisy_groups import NoisyGroups, noisy_groups
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.set_growth import one_deviation
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import Synthesis
from roadstead.verbs.synthesize_request import Request


def drawn(
    table: PrivateTable, request: Request, mechanisms: Mechanisms
) -> tuple[Synthesis, NDArray[np.int64]]:
    """Specialize and count, and spend the whole budget.

    Parameters
    ----------
    table
        The records.
    request
        What is asked for.
    mechanisms
        Where chance comes from.

    Returns
    -------
    tuple
        The synthesis with its believable noisy counts, and records to be released, of the same
        shape.
    """
    accountant = Accountant(request.epsilon)
    walked = _walked(table, request, accountant, mechanisms)
    totals = class_totals(
        table,
        accountant.spend("totals of the classes", accountant.total * TOTALS_SHARE),
        mechanisms,
    )
    grant = accountant.spend("counts of the groups", accountant.left)
    noisy = noisy_groups(table, walked[-1], grant, one_deviation, mechanisms)
    reconciled = consistent(noisy, grant.epsilon, totals)
    listed, released = side_by_side(noisy, reconciled)
    steps = tuple(stage.step for stage in walked[1:])
    return Synthesis(accountant.total, accountant.ledger, steps, listed), released


def _walked(
    table: PrivateTable, request: Request, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Specialize so often as asked for, or as is chosen privately."""
    if request.specializations is None:
        plan = Plan(LONGEST_WALK, request.score)
        return walk_choosing(table, plan, accountant, mechanisms)
    plan = Plan(request.specializations, request.score)
    slot = accountant.total / 2 / max(plan.slots(table.domains), 1)
    return list(stages(table, plan, slot, accountant, mechanisms))


def side_by_side(
    noisy: NoisyGroups, reconciled: NoisyGroups
) -> tuple[NoisyGroups, NDArray[np.int64]]:
    """Put records to be released beside the noisy counts that they were made of.

    Parameters
    ----------
    noisy
        Counts as they were drawn.
    reconciled
        Some of the groups, with records instead of counts, and the threshold that counts were kept
        by.

    Returns
    -------
    tuple
        The noisy counts that reach the threshold, and the records of the same groups.
    """
    released = np.zeros_like(noisy.counts)
    released[_rows(noisy, reconciled)] = reconciled.counts
    counts = np.where(noisy.counts >= reconciled.least, noisy.counts, 0)
    some = np.flatnonzero(counts.any(axis=1))
    listed = replace(
        noisy, groups=noisy.groups.chosen(some), counts=counts[some], least=reconciled.least
    )
    return listed, released[some]


def _rows(noisy: NoisyGroups, some: NoisyGroups) -> NDArray[np.int64]:
    """Find groups among all; no two have the same codes."""
    size = noisy.groups.size
    both = (noisy.groups.codes, some.groups.codes)
    codes = np.concatenate([np.stack(one, axis=1) for one in both])
    _, number = np.unique(codes, axis=0, return_inverse=True)
    place = np.zeros(size + some.groups.size, dtype=np.int64)
    place[number[:size]] = np.arange(size)
    return place[number[size:]]
