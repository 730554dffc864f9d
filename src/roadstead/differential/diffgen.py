"""Implement DiffGen, which specializes privately and then counts with noise.

The algorithm is algorithm 1 in paper 002.

At first, all records are in one group. A specialization replaces one node of the cut of one
attribute with the node's children, in all groups. The exponential mechanism prefers specializations
that reveal much about the class. After `h` specializations, DiffGen counts the records of each
class in each group, and adds noise.

Half of the budget is divided into ``|numeric| + 2 h`` equal slots (docs/methods/diffgen.md). The
final counts get the other half of the budget, and the unused slots. The number of used slots
depends only on choices that are released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import (
    CategoricalCut,
    CategoricalDomain,
    Combinations,
    CutGroups,
    Domain,
    NumericCut,
    NumericDomain,
    SetDomain,
    Specialization,
    specialization_of,
)
from roadstead.differential.growth.partitions import Partitions, split, whole
from roadstead.differential.growth.plain_growth import (
    CategoricalGrowth,
    NumericGrowth,
    Tally,
    tally,
)
from roadstead.differential.growth.set_growth import MOST_TESTS, SetGrowth, set_growth
from roadstead.differential.listing import Threshold, few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.scores import Max, Score
from roadstead.errors import SettingError

Growth: TypeAlias = NumericGrowth | CategoricalGrowth | SetGrowth


@dataclass(frozen=True)
class Plan:
    """The public settings of DiffGen."""

    specializations: int  # the maximum number `h`; fewer if no node can be specialized further
    score: Score = field(default_factory=Max)  # scores a specialization
    # The smallest noisy count for which a combination of items is kept.
    threshold: Threshold = few_false
    # Largest number of groups. If a specialization of a number or a category would create more
    # groups, it is not a candidate. For a set-valued specialization, the number of groups is known
    # only afterwards.
    most_groups: int = 1_000_000

    def __post_init__(self) -> None:
        if self.specializations < 0:
            what, where = f"{self.specializations} specializations", "number of specializations"
            raise SettingError(f"there cannot be {what}", where=where, fix="request 0 or more")
        if self.most_groups < 1:
            what, where = f"at most {self.most_groups} groups", "largest number of groups"
            raise SettingError(f"there cannot be {what}", where=where, fix="allow at least 1")

    def slots(self, domains: tuple[Domain, ...]) -> int:
        """Return the number of equal slots in the half of the budget that pays for specializing.

        Each range of more than one step needs a slot for its first split point.
        """
        ranges = sum(isinstance(one, NumericDomain) and one.size > 1 for one in domains)
        return ranges + 2 * self.specializations


@dataclass(frozen=True, eq=False)
class Stage:
    """The groups after some specializations."""

    specializations: int
    growths: tuple[Growth, ...] = field(repr=False)  # how detailed each attribute is
    partitions: Partitions = field(repr=False)  # the groups and the rows in them; private
    step: Specialization | None  # the last specialization; None if all records are in one group

    @property
    def groups(self) -> CutGroups:
        """The groups without their rows, for publication."""
        cuts = tuple(growth.cut for growth in self.growths)
        codes, combinations = zip(*map(_places, self.growths, self.partitions.nodes), strict=True)
        return CutGroups(cuts, codes, combinations)


def roots(table: PrivateTable, threshold: Threshold) -> Iterator[Growth]:
    """Yield every attribute at its topmost value."""
    everything = np.ones(table.rows, dtype=np.bool_)
    for at, (domain, codes) in enumerate(zip(table.domains, table.codes, strict=True)):
        match domain:
            case NumericDomain():
                cut = NumericCut(domain, (0, domain.size))
                yield NumericGrowth(cut, codes, _tally(table, at, everything), {})
            case SetDomain():
                by_set = _by_set(table, at, everything)
                yield set_growth(domain, codes, table.sets_of(at), by_set, threshold)
            case CategoricalDomain():
                top = CategoricalCut(domain, (0,))
                yield CategoricalGrowth(top, codes, _tally(table, at, everything))


def _counted(growth: Growth, table: PrivateTable, at: int, alive: NDArray[np.bool_]) -> Growth:
    """Count the chosen records by the value of an attribute and by class."""
    if isinstance(growth, SetGrowth):
        return replace(growth, by_set=_by_set(table, at, alive))
    return replace(growth, tally=_tally(table, at, alive))


def _tally(table: PrivateTable, at: int, alive: NDArray[np.bool_]) -> Tally:
    codes, counts = table.codes[at][alive], table.counts[alive]
    return tally(codes, table.target[alive], counts, len(table.classes))


def _by_set(table: PrivateTable, at: int, alive: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the records by distinct set and class, in shape ``(sets, classes)``."""
    classes = len(table.classes)
    cells = table.codes[at][alive].astype(np.int64) * classes + table.target[alive]
    size = table.sets_of(at).size * classes
    counts = np.bincount(cells, weights=table.counts[alive], minlength=size)
    return counts.astype(np.int64).reshape(-1, classes)


def walk(
    table: PrivateTable, plan: Plan, accountant: Accountant, mechanisms: Mechanisms
) -> list[Stage]:
    """Perform all specializations of the plan with half of the budget, and return the stages."""
    slot = accountant.total / 2 / max(plan.slots(table.domains), 1)
    return list(stages(table, plan, slot, accountant, mechanisms))


def stages(
    table: PrivateTable, plan: Plan, slot: Fraction, accountant: Accountant, mechanisms: Mechanisms
) -> Iterator[Stage]:
    """Yield the groups before the first specialization, and after each specialization."""
    growths = list(roots(table, plan.threshold))
    partitions = whole((0,) * len(growths), table.rows)  # the topmost node of each attribute
    for at, growth in enumerate(growths):
        # Without specializations, split points are not used, so they are not paid for.
        if plan.specializations and isinstance(growth, NumericGrowth) and growth.undecided:
            grant = accountant.spend(BudgetStep("first-split", (growth.cut.attribute,)), slot)
            growths[at] = growth.with_splits(grant, plan.score.within, mechanisms)
    yield Stage(0, tuple(growths), partitions, None)
    for number in range(1, plan.specializations + 1):
        candidates = list(_candidates(growths, partitions, plan.most_groups))
        if not candidates:
            return
        scores = [int(plan.score.of(growths[at].under(node)[None])[0]) for at, node in candidates]
        grant = accountant.spend(BudgetStep("choice", number=number), slot)
        at, node = candidates[
            mechanisms.choose(
                grant,
                scores,
                plan.score.sensitivity(len(table.classes)),
                monotonic=plan.score.monotonic,
            )
        ]
        chosen = growths[at]
        step = specialization_of(chosen.cut, node)
        match chosen:
            case NumericGrowth() | CategoricalGrowth():
                below = chosen.child_of_row(node)
                partitions = split(partitions, at, node, below, chosen.children(node))
                grown = chosen.specialized(node)
                if isinstance(grown, NumericGrowth) and grown.undecided:
                    grant = accountant.spend(BudgetStep("splits", (chosen.cut.attribute,)), slot)
                    grown = grown.with_splits(grant, plan.score.within, mechanisms)
                growths[at] = grown
            case SetGrowth():
                grant = accountant.spend(BudgetStep("combinations", (chosen.cut.attribute,)), slot)
                growths[at], partitions = chosen.specialized(
                    node, partitions, at, table.counts, grant, mechanisms
                )
                # Scores use only the remaining records.
                alive = partitions.alive
                growths = [_counted(one, table, place, alive) for place, one in enumerate(growths)]
        yield Stage(number, tuple(growths), partitions, step)


def _candidates(
    growths: list[Growth], partitions: Partitions, most: int
) -> Iterator[tuple[int, int]]:
    """Yield the nodes that can be specialized without creating too many groups.

    The nodes are public. A node is not listed if all partitions that had the node were dropped
    because they seemed empty.
    """
    for at, growth in enumerate(growths):
        held = _held(growth, partitions.nodes[at])
        for node in growth.candidates:
            affected = held.get(node, 0)
            if isinstance(growth, SetGrowth):
                fits = affected * growth.options(node) <= MOST_TESTS
            else:
                fits = partitions.size + affected * (len(growth.children(node)) - 1) <= most
            if affected and fits:
                yield at, node


def _held(growth: Growth, nodes: NDArray[np.int32]) -> Mapping[int, int]:
    """Count the partitions that have each node of an attribute."""
    distinct, times = np.unique(nodes, return_counts=True)
    pairs = zip(distinct.tolist(), times.tolist(), strict=True)
    if not isinstance(growth, SetGrowth):
        return dict(pairs)
    held: Counter[int] = Counter()
    for number, partitions in pairs:
        for node in growth.combinations[number]:
            held[node] += partitions
    return held


def _places(
    growth: Growth, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Combinations | None]:
    """Return the nodes of partitions as positions in the cut, or as numbers of listed combinations.

    `nodes` gives the number of each partition's node in the attribute.
    """
    match growth:
        case NumericGrowth():
            return np.searchsorted(growth.cut.bounds, nodes).astype(np.int32), None
        case CategoricalGrowth():
            place = np.zeros(growth.cut.domain.taxonomy.nodes, dtype=np.int32)
            place[list(growth.cut.nodes)] = np.arange(growth.cut.size)
            return place[nodes], None
        case SetGrowth():
            places = {node: at for at, node in enumerate(growth.cut.nodes)}
            used, number = np.unique(nodes, return_inverse=True)
            named = tuple(
                tuple(places[node] for node in growth.combinations[one]) for one in used.tolist()
            )
            return number.astype(np.int32), named
