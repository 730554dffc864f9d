"""Choose the margins to count: all single variables, and the pairs that help the model most.

Half of the budget pays for counting every variable alone. The share is two thirds if noise would
otherwise hide the single columns and there is no target. A variable with `n` values gets a part
that is proportional to the square root of `n`, because this minimizes the total noise. Then the
module proceeds in rounds. Each round chooses one pair, counts the pair by groups of its values, and
fits the model again (after McKenna, Mullins, Sheldon and Miklau 2022, "AIM: an adaptive and
iterative mechanism for differentially private synthetic data"). The score of a pair with a grouping
of each variable is

  sum over the cells of |true count - the model's count, rounded|  -  the expected noise,

so coarse groups get higher scores if an association is weak or the budget is small. One record
changes the score by at most one, because the other terms use only earlier noisy answers.
docs/methods/private-tables-for-every-use.md explains the shares of a round. A pair is a candidate
only if the model with this pair stays within its limit of cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import isqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.margins.error_bars import variance
from roadstead.differential.margins.groupings import groupings_of
from roadstead.differential.margins.junction_tree import (
    Beliefs,
    Clique,
    JunctionTree,
    Pair,
    cells_of,
    cliques_of,
    junction_tree,
)
from roadstead.differential.margins.max_entropy import (
    Constraint,
    fitted,
    of_one,
    of_pair,
    start_of,
    summed,
)
from roadstead.differential.margins.smoothing import shares
from roadstead.differential.margins.variables import TARGET, Coded, Grouping, Variable

Floats = NDArray[np.float64]

ONES_SHARE, MORE_FOR_ONES = Fraction(1, 2), Fraction(2, 3)
"""The share of the budget that counts single variables.

The larger share applies if the noise in these counts is large.
"""
MUCH_NOISE = 12
"""Noise is large if, on average, it moves more than one in this many records of a column."""
LEAST_CHOICE, MOST_CHOICE = Fraction(1, 5), Fraction(1, 2)
"""The share of a round that pays for the choice. The lower share applies if there is a target."""
MOST_ROUNDS = 32
CLEAR = 25
"""A choice is clear if its noise hides at most about one in this many records."""
DROWNED = 4
"""The noise of all cells of a pair may amount to one in this many records."""
TARGET_WEIGHT = 2
"""The weight that a choice gives to a pair that contains the target."""
MOST_CELLS = 1 << 15
"""The largest number of cells in all cliques of the model."""
_STEPS, _LAST_STEPS = 25, 200
_FINE = 1000


@dataclass(frozen=True, eq=False)
class NoisyMargin:
    """The noisy counts of the groups of one or two variables. These counts may be released."""

    at: Clique  # the indices of the variables
    groupings: tuple[Grouping, ...] = field(repr=False)  # the grouping of each variable's values
    counts: NDArray[np.int64] = field(repr=False)
    grant: Grant  # the grant that paid for the counts


@dataclass(frozen=True, eq=False)
class FittedModel:
    """The number of records and their distribution, fitted to all margins.

    The *basis* of a variable is the finest grouping of its values in any pair. Within a group of
    the basis, the values are distributed as in the variable's own margin.
    """

    variables: tuple[Variable, ...]
    total: float  # the number of records
    bases: tuple[Grouping, ...] = field(repr=False)
    shares: tuple[Floats, ...] = field(repr=False)  # the shares of each variable's values
    beliefs: Beliefs = field(repr=False)


@dataclass(frozen=True, eq=False)
class MeasuredMargins:
    """All noisy margins, and the model that was fitted to them."""

    margins: tuple[NoisyMargin, ...]
    model: FittedModel


def measure(records: Coded, accountant: Accountant, mechanisms: Mechanisms) -> MeasuredMargins:
    """Spend the rest of a budget on margins, and fit a model to them."""
    ones = _each_alone(records, accountant, mechanisms)
    found = _Growing.begun(records, ones)
    margins = list(ones)
    each = accountant.left / found.rounds(accountant)
    while accountant.left:
        # If less than half a round would remain, add the remainder to this round.
        paid = each if accountant.left - each >= each / 2 else accountant.left
        margin, told = found.round(paid, len(margins) - len(ones) + 1, accountant, mechanisms)
        margins.append(margin)
        each = each if told else min(2 * each, accountant.left)
    return MeasuredMargins(tuple(margins), found.finished())


def _each_alone(
    records: Coded, accountant: Accountant, mechanisms: Mechanisms
) -> tuple[NoisyMargin, ...]:
    """Count every variable. The first count also gives the approximate number of records."""
    parts = [isqrt(one.size * _FINE**2) for one in records.variables]
    several = len(parts) > 1
    targeted = any(one.attribute == TARGET for one in records.variables)
    budget = accountant.left / sum(parts)
    share = ONES_SHARE if several else Fraction(1)
    found: list[NoisyMargin] = []
    for at, (one, part) in enumerate(zip(records.variables, parts, strict=True)):
        grant = accountant.spend(BudgetStep("margin", (one.name,)), budget * share * part)
        grouping = np.arange(one.size)
        noisy = mechanisms.count(grant, records.margin((at,), (grouping,)))
        found.append(NoisyMargin((at,), (grouping,), noisy, grant))
        if several and not targeted and at == 0:
            rates = [float(budget * share * own / grant.records) for own in parts]
            if _is_much(records.variables, rates, int(noisy.sum())):
                share = MORE_FOR_ONES
    return tuple(found)


def _is_much(variables: Sequence[Variable], rates: Sequence[float], total: int) -> bool:
    """Return whether noise at these rates would move too many records of a column."""
    moved = [one.size / (2 * rate) for one, rate in zip(variables, rates, strict=True)]
    return fmean(moved) * MUCH_NOISE > total


def _total(ones: Sequence[NoisyMargin]) -> float:
    """Estimate the number of records from all sums. Sums with less noise get more weight."""
    weights = [1 / max(one.counts.size * variance(one.grant.each), 1e-9) for one in ones]
    sums = [float(one.counts.sum()) for one in ones]
    return max(float(np.average(sums, weights=weights)), 1.0)


@dataclass(frozen=True, eq=False)
class _Candidates:
    """A pair of variables, and its true counts for each pair of groupings. Counts are private."""

    pair: Pair
    groupings: tuple[tuple[int, int], ...]  # the indices of the groupings
    true: tuple[NDArray[np.int64], ...] = field(repr=False)


@dataclass(eq=False)
class _Growing:
    """The model while margins are being added."""

    variables: tuple[Variable, ...]
    total: float
    shares: tuple[Floats, ...]
    levels: tuple[tuple[Grouping, ...], ...]  # the nested groupings of each variable's values
    candidates: tuple[_Candidates, ...]
    constraints: list[Constraint]
    tree: JunctionTree
    factors: Floats
    beliefs: Beliefs
    pairs: list[Pair] = field(default_factory=list)
    rooms: dict[Pair, bool] = field(default_factory=dict)

    @classmethod
    def begun(cls, records: Coded, ones: Sequence[NoisyMargin]) -> _Growing:
        """Return a model in which the variables are independent."""
        total = _total(ones)
        found = tuple(
            shares(
                one.counts.astype(np.float64),
                total,
                variance(one.grant.each),
                ordered=variable.ordered,
            )
            for one, variable in zip(ones, records.variables, strict=True)
        )
        levels = tuple(
            groupings_of(share, ordered=variable.ordered)
            for share, variable in zip(found, records.variables, strict=True)
        )
        own = [summed(one, (level[-1],)) for one, level in zip(found, levels, strict=True)]
        constraints = [of_one(at, one, total) for at, one in enumerate(own)]
        tree = junction_tree([one.size for one in own], ())
        start = np.concatenate([start_of(one) for one in constraints])
        factors, beliefs = fitted(tree, constraints, start, _STEPS)
        candidates = tuple(_candidates(records, levels))
        return cls(
            records.variables,
            total,
            found,
            levels,
            candidates,
            constraints,
            tree,
            factors,
            beliefs,
        )

    @cached_property
    def within(self) -> tuple[tuple[Grouping, ...], ...]:
        """The groupings of each variable, expressed in the groups of its finest grouping."""
        return tuple(tuple(_of_groups(one, levels[-1]) for one in levels) for levels in self.levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.tree.sizes

    @property
    def most_choice(self) -> Fraction:
        """The largest share of a round's budget that pays for the choice."""
        targeted = any(one.attribute == TARGET for one in self.variables)
        return LEAST_CHOICE if targeted else MOST_CHOICE

    def rounds(self, accountant: Accountant) -> int:
        """Return the initial number of rounds, based on how many clear choices are affordable."""
        paid = float(accountant.left * self.most_choice) / self._clear_choice(accountant)
        return max(min(int(paid), 2 * len(self.variables), MOST_ROUNDS), 1)

    def _clear_choice(self, accountant: Accountant) -> float:
        """Return the price of a choice whose noise does not hide more records than allowed."""
        return 2 * accountant.records * CLEAR / self.total

    def round(
        self, paid: Fraction, number: int, accountant: Accountant, mechanisms: Mechanisms
    ) -> tuple[NoisyMargin, bool]:
        """Choose a pair, count it, and fit the model again.

        Return whether the count exceeded its noise.
        """
        clear = Fraction(self._clear_choice(accountant)) / paid
        price = paid * min(max(clear.limit_denominator(_FINE), LEAST_CHOICE), self.most_choice)
        choice = accountant.spend(BudgetStep("pair", number=number), price)
        noise = float(accountant.records / (paid - price))
        open_ones = [one for one in self.candidates if self._has_room(one.pair)]
        places, scores = self._scores(open_ones, noise)
        most = max(self._weight(one.pair) for one in self.candidates)
        chosen = places[mechanisms.choose(choice, scores, sensitivity=most, monotonic=False)]
        which, at = chosen
        pair, (one, other) = open_ones[which].pair, open_ones[which].groupings[at]
        names = tuple(self.variables[variable].name for variable in pair)
        grant = accountant.spend(BudgetStep("margin", names), paid - price)
        counts = mechanisms.count(grant, open_ones[which].true[at])
        groupings = (self.levels[pair[0]][one], self.levels[pair[1]][other])
        before = self._model_counts(pair, (one, other))
        self._add(pair, (one, other), counts, grant)
        moved = np.abs(self._model_counts(pair, (one, other)) - before).sum()
        margin = NoisyMargin(pair, groupings, counts, grant)
        return margin, bool(moved >= counts.size * noise)

    def finished(self) -> FittedModel:
        """Fit the model once more, with more steps."""
        _, beliefs = fitted(self.tree, self.constraints, self.factors, _LAST_STEPS)
        bases = tuple(levels[-1] for levels in self.levels)
        return FittedModel(self.variables, self.total, bases, self.shares, beliefs)

    def _has_room(self, pair: Pair) -> bool:
        if pair not in self.rooms:
            cliques = cliques_of(self.sizes, [*self.pairs, pair])
            self.rooms[pair] = pair in self.tree.home or cells_of(self.sizes, cliques) <= MOST_CELLS
        return self.rooms[pair]

    def _scores(
        self, candidates: Sequence[_Candidates], noise: float
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the scores of all groupings of the candidates, and the position of each score."""
        margins: dict[int, dict[int, Floats]] = {}
        places, scores = [], []
        for which, one in enumerate(candidates):
            first, second = one.pair
            if first not in margins:
                margins[first] = self.beliefs.pairs_with(first)
            margin = self._margin(one.pair, margins[first].get(second))
            for at, (groupings, true) in enumerate(zip(one.groupings, one.true, strict=True)):
                # The first grouping is the coarsest, so at least one grouping can be chosen.
                if at and true.size * noise * DROWNED > self.total:
                    continue
                model = np.rint(self._grouped(margin, one.pair, groupings) * self.total)
                off = int(np.abs(true - model.astype(np.int64)).sum())
                places.append((which, at))
                scores.append(self._weight(one.pair) * (off - round(true.size * noise)))
        return places, scores

    def _weight(self, pair: Pair) -> int:
        told = any(self.variables[one].attribute == TARGET for one in pair)
        return TARGET_WEIGHT if told else 1

    def _margin(self, pair: Pair, found: Floats | None) -> Floats:
        """Return the model's distribution of a pair, or a product if the model lacks the pair."""
        if found is not None:
            return found
        return np.outer(*(self.beliefs.margin((one,)) for one in pair))

    def _grouped(self, margin: Floats, pair: Pair, groupings: tuple[int, int]) -> Floats:
        maps = [self.within[one][at] for one, at in zip(pair, groupings, strict=True)]
        return _hot(maps[0]) @ margin @ _hot(maps[1]).T

    def _model_counts(self, pair: Pair, groupings: tuple[int, int]) -> Floats:
        found = self.beliefs.pairs_with(pair[0]).get(pair[1])
        return self._grouped(self._margin(pair, found), pair, groupings) * self.total

    def _add(
        self, pair: Pair, groupings: tuple[int, int], counts: NDArray[np.int64], grant: Grant
    ) -> None:
        maps = (self.within[pair[0]][groupings[0]], self.within[pair[1]][groupings[1]])
        alone = np.outer(*(self.beliefs.margin((one,)) for one in pair))
        independent = self._grouped(alone, pair, groupings)
        noisy = counts / self.total
        noise = max(variance(grant.each), 1e-9) / self.total**2
        constraint = of_pair(pair, maps, noisy, independent, noise, self.total)
        self.constraints.append(constraint)
        if pair not in self.pairs:
            self.pairs.append(pair)
            self.tree = junction_tree(self.sizes, self.pairs)
            self.rooms.clear()
        start = np.concatenate((self.factors, start_of(constraint).ravel()))
        self.factors, self.beliefs = fitted(self.tree, self.constraints, start, _STEPS)


def _candidates(records: Coded, levels: Sequence[tuple[Grouping, ...]]) -> Iterator[_Candidates]:
    """Count each pair of variables for each pair of groupings."""
    for one, other in combinations(range(len(levels)), 2):
        finest = records.margin((one, other), (levels[one][-1], levels[other][-1]))
        within = [
            [_hot(_of_groups(level, levels[at][-1])).astype(np.int64) for level in levels[at]]
            for at in (one, other)
        ]
        places = [(i, j) for i in range(len(levels[one])) for j in range(len(levels[other]))]
        true = tuple(within[0][i] @ finest @ within[1][j].T for i, j in places)
        yield _Candidates((one, other), tuple(places), true)


def _of_groups(grouping: Grouping, finest: Grouping) -> Grouping:
    """Return the group that contains each group of a finer grouping."""
    found = np.zeros(int(finest.max()) + 1, dtype=np.int64)
    found[finest] = grouping
    return found


def _hot(grouping: Grouping) -> Floats:
    """Return the matrix that sums values by group, in shape ``(groups, values)``."""
    return np.asarray(grouping == np.arange(int(grouping.max()) + 1)[:, None], dtype=np.float64)
