"""Release a generalized random sample that is (epsilon, delta)-differentially private.

Every released record was in the table, and its labels are true (SafePub). The user gives the
levels, or permute-and-flip chooses the levels from all policies and uses a part of epsilon. The
score of a policy is

  score = detail x sum over classes of max(f - K + 1, 0),    K = k / beta, rounded up

An additional record adds at most `detail` to the score, and never lowers the score. The detail of a
policy, from 0 to 1,000, depends only on the public domains. A record outside a domain is omitted,
independently of the other records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CutGroups
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.sampled.accounting import SamplingBudget, sampling_budget
from roadstead.differential.sampled.ladders import Ladder, SampledCut, detail
from roadstead.errors import SettingError

FINEST = 1000
"""The detail of a policy without generalization. A record changes a score by at most `FINEST`."""
MOST_POLICIES = 20_000
CHOICE, SAMPLE = BudgetStep("levels"), BudgetStep("sample")
"""The two steps that the ledger lists."""
_USUAL_SHARE = Fraction(1, 10)


@dataclass(frozen=True)
class SamplePlan:
    """The allowed cost of a sample, and the level of each attribute.

    If no levels are given, the release chooses the levels.
    """

    epsilon: Fraction
    delta: float
    levels: Mapping[str, int] | None = None
    share: Fraction = _USUAL_SHARE  # the share of epsilon for the choice of levels

    @property
    def for_levels(self) -> Fraction:
        """The cost of the choice of levels."""
        return Fraction(0) if self.levels is not None else self.epsilon * self.share

    @property
    def budget(self) -> SamplingBudget:
        """The cost of the sample, and the chance and the class size that follow from the cost."""
        return sampling_budget(float(self.epsilon - self.for_levels), self.delta)


@dataclass(frozen=True)
class SampledRelease:
    """The classes of a generalized sample, and their cost.

    Each class has at least `budget.least` records.

    The release does not show the number of records, of drawn records, or of omitted records.
    """

    levels: tuple[int, ...]
    groups: CutGroups = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)  # shape ``(groups,)``
    budget: SamplingBudget
    ledger: tuple[Grant, ...]


def sampled(
    table: PrivateTable, ladders: Sequence[Ladder], plan: SamplePlan, mechanisms: Mechanisms
) -> SampledRelease:
    """Choose levels unless they are given, draw a sample, and generalize it.

    A `SettingError` describes an error in the request, but reveals no data.
    """
    budget = plan.budget
    purse = Accountant(plan.epsilon, table.of_one)
    if plan.levels is None:
        policies = all_policies(ladders)
        grant = purse.spend(CHOICE, plan.for_levels)
        scores = [score(table, _cuts(ladders, levels), budget) for levels in policies]
        levels = policies[mechanisms.choose(grant, scores, FINEST, monotonic=True)]
    else:
        levels = checked_levels(ladders, plan.levels)
    grant = purse.spend(SAMPLE, purse.left)
    drawn = mechanisms.draw(grant, table.counts, budget.drawn)
    cuts = _cuts(ladders, levels)
    codes, sizes = classes(table, cuts, drawn)
    kept = sizes >= budget.least
    groups = CutGroups(
        cuts,
        tuple(np.ascontiguousarray(own, dtype=np.int32) for own in codes[:, kept]),
        (None,) * len(cuts),
    )
    return SampledRelease(levels, groups, sizes[kept], budget, purse.ledger)


def all_policies(ladders: Sequence[Ladder]) -> list[tuple[int, ...]]:
    """Return all policies, each with one level per attribute."""
    number = prod(one.height for one in ladders)
    if number > MOST_POLICIES:
        raise SettingError(
            f"there are {number:,} policies to choose from, but at most {MOST_POLICIES:,} can be "
            "compared privately",
            fix="give the levels, or declare domains with fewer levels",
        )
    return list(product(*(range(one.height) for one in ladders)))


def checked_levels(ladders: Sequence[Ladder], given: Mapping[str, int]) -> tuple[int, ...]:
    """Return the levels in the order of the attributes. Every attribute requires a level."""
    if others := sorted({*given} - {one.attribute for one in ladders}):
        raise SettingError(
            f"a level of {others[0]!r} is given, but this column is not released",
            fix="leave the level out, or declare the domain of the column",
        )
    for one in ladders:
        if given.get(one.attribute) not in range(one.height):
            raise SettingError(
                f"the level of {one.attribute!r} must be from 0 to {one.height - 1}",
                fix="give one level for each released column, or give no levels, so that "
                "Roadstead chooses them",
            )
    return tuple(int(given[one.attribute]) for one in ladders)


def score(table: PrivateTable, cuts: Sequence[SampledCut], budget: SamplingBudget) -> int:
    """Return the score of a policy. An additional record increases the score by at most 1,000."""
    least = ceil(budget.least / budget.chance)
    _, sizes = classes(table, cuts, table.counts)
    return detail(cuts, FINEST) * int(np.maximum(sizes - least + 1, 0).sum())


def classes(
    table: PrivateTable, cuts: Sequence[SampledCut], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes, of shape ``(attributes, classes)``, and the sum of `counts` in each.

    Classes that have no records are omitted.
    """
    occupied = counts > 0
    codes = np.stack(
        [cut.of(own)[occupied] for cut, own in zip(cuts, table.codes, strict=True)]
    ).astype(np.int64)
    if not codes.shape[1]:
        return codes, np.zeros(0, dtype=np.int64)
    distinct, place = np.unique(codes, axis=1, return_inverse=True)
    sizes = np.bincount(place.reshape(-1), counts[occupied], distinct.shape[1])
    return distinct, sizes.astype(np.int64)


def _cuts(ladders: Sequence[Ladder], levels: Sequence[int]) -> tuple[SampledCut, ...]:
    return tuple(one.levels[level] for one, level in zip(ladders, levels, strict=True))
