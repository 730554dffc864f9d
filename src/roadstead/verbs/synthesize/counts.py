"""The last step of a synthesis: noisy counts of the groups, and how many records are released.

A release has both: the noisy counts that are believable, and the numbers of records that were made
of them, which add up to the noisy totals of the classes (``differential.counting.consistent``). The
second follow from what is noisy already.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.counting.consistent import listed_and_released
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import Synthesis
from roadstead.verbs.synthesize.settings import Request


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
    return listed_and_released(table, walked, accountant, mechanisms)


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
