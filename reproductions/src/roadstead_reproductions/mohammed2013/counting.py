"""Synthesize data as in the paper, or with consistent counts.

The command assigns both noisy counts and numbers of records to each group. An experiment needs only
one of the two.
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
    """Create a differentially private synthesis with a fixed number of specializations.

    `epsilon` is the privacy budget, above 0.
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
    """Spend the remaining budget on the counts of the last stage."""
    grant = accountant.spend(BudgetStep("groups"), accountant.left)
    groups = noisy_groups(table, walked[-1], grant, listing, mechanisms)
    steps = tuple(stage.step for stage in walked if stage.step is not None)
    return Synthesis(accountant.total, accountant.ledger, steps, groups)


def counted_consistently(
    table: PrivateTable, walked: list[Stage], accountant: Accountant, mechanisms: Mechanisms
) -> Synthesis:
    """Spend the remaining budget, and give each group its released number of records.

    The function works like :func:`listed_and_released`, but omits groups without records.
    """
    found, released = listed_and_released(table, walked, accountant, mechanisms)
    some = np.flatnonzero(released.any(axis=1))
    groups = replace(found.groups, groups=found.groups.groups.chosen(some), counts=released[some])
    return replace(found, groups=groups)
