"""A differentially private synthesis, whole: the budget, the specializations, the noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.counting.noisy_groups import NoisyGroups, noisy_groups
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.listing import Threshold, few_false
from roadstead.differential.private_table import PrivateTable

TOTALS = "totals of the classes"
"""The step that counts the classes on their own."""


@dataclass(frozen=True)
class Synthesis:
    """What was made of a private table; all of it may be released."""

    epsilon: Fraction  # the privacy budget
    ledger: tuple[Grant, ...]  # what it was spent on; sums to `epsilon`
    steps: tuple[str, ...]  # the specializations, in words
    groups: NoisyGroups  # the groups and their noisy counts

    @property
    def totals_alone(self) -> bool:
        """Whether no group stood out from the noise, so that only the classes are shown."""
        return not self.steps and any(one.step == TOTALS for one in self.ledger)

    @property
    def counted_for(self) -> Fraction:
        """The epsilon of the noise in the listed counts."""
        if self.totals_alone:
            return next(one.epsilon for one in self.ledger if one.step == TOTALS)
        return self.ledger[-1].epsilon


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
    accountant = Accountant(epsilon)
    slot = epsilon / 2 / max(plan.slots(table.domains), 1)
    walked = list(stages(table, plan, slot, accountant, mechanisms))
    return counted(table, walked, accountant, mechanisms, listing)


def counted(
    table: PrivateTable,
    walked: list[Stage],
    accountant: Accountant,
    mechanisms: Mechanisms,
    listing: Threshold,
) -> Synthesis:
    """Spend what is left on the counts of the last stage."""
    grant = accountant.spend("counts of the groups", accountant.left)
    groups = noisy_groups(table, walked[-1], grant, listing, mechanisms)
    steps = tuple(stage.step for stage in walked[1:])
    return Synthesis(accountant.total, accountant.ledger, steps, groups)
