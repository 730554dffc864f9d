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
"""

from __future__ import annotations

from fractions import Fraction

from roadstead.differential.budget import Accountant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.listing import Threshold, few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.right_despite_noise import SENSITIVITY, charge, right_despite_noise
from roadstead.differential.synthesis import Synthesis, counted

LONGEST_WALK = 16
"""A good number of specializations to walk; a longer walk makes each of its steps less sure."""
CHOICE_SHARE = Fraction(1, 20)
"""How much of the budget the choice of a stage costs."""


def synthesize_choosing(
    table: PrivateTable,
    epsilon: Fraction,
    plan: Plan,
    mechanisms: Mechanisms,
    *,
    listing: Threshold = few_false,
) -> Synthesis:
    """Make a differentially private synthesis, and choose its number of specializations privately.

    `epsilon`: the privacy budget, above 0. It pays for the choice as well. The synthesis has as
    many steps as specializations were chosen. The ledger has all that were paid for.
    """
    accountant = Accountant(epsilon)
    walked = walk_choosing(table, plan, accountant, mechanisms)
    return counted(table, walked, accountant, mechanisms, listing)


def walk_choosing(
    table: PrivateTable, plan: Plan, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Walk to the end, choose a stage, and go back to it.

    `accountant`: Pays; at least nine twentieths of its total are left. Returns from all records in
    one group to the chosen stage.
    """
    slot = accountant.total / 2 / max(plan.slots(table.domains), 1)
    walked = list(stages(table, plan, slot, accountant, mechanisms))
    if len(walked) == 1:
        return walked
    grant = accountant.spend(
        "choice of the number of specializations", accountant.total * CHOICE_SHARE
    )
    each = charge(accountant.left)
    scores = [right_despite_noise(table, stage, each) for stage in walked]
    chosen = mechanisms.choose(grant, scores, SENSITIVITY, monotonic=True)
    return walked[: chosen + 1]
