"""A synthesis as the paper makes it, and one whose counts are consistent, without the command.

The command gives each group noisy counts and numbers of records. Experiments want one of them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, Stage, walk
from roadstead.differential.listing import Threshold, few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.synthesis import Synthesis, listed_and_released, noisy_groups


def synthesize(
    table: PrivateTable,
    epsilon: Fraction,
    plan: Plan,
    mechanisms: Mechanisms,
    *,
    listing: Threshold = few_false,
) -> Synthesis:
    """Make a differentially private synthesis with a given number of specializations.

    `epsilon`: the privacy budget, above 0.
    """
    accountant = Accountant(epsilon, table.of_one)
    walked = walk(table, plan, accountant, mechanisms)
    return counted(table, walked, accountant, mechanisms, listing)


def counted(
    table: PrivateTable,
    walked: list[Stage],
    accountant: Accountant,
    mechanisms: Mechanisms,
    listing: Threshold,
) -> Synthesis:
    """Spend what is left on the counts of the last stage."""
    grant = accountant.spend(BudgetStep("groups"), accountant.left)
    groups = noisy_groups(table, walked[-1], grant, listing, mechanisms)
    steps = tuple(stage.step for stage in walked if stage.step is not None)
    return Synthesis(accountant.total, accountant.ledger, steps, groups)


def counted_consistently(
    table: PrivateTable, walked: list[Stage], accountant: Accountant, mechanisms: Mechanisms
) -> Synthesis:
    """Spend what is left, and give each group the records that are released of it.

    Like :func:`listed_and_released`, but only the records; groups without records are left out.
    """
    found, released = listed_and_released(table, walked, accountant, mechanisms)
    some = np.flatnonzero(released.any(axis=1))
    groups = replace(found.groups, groups=found.groups.groups.chosen(some), counts=released[some])
    return replace(found, groups=groups)
