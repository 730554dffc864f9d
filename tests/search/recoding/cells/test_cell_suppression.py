"""Cell suppression, compared with every choice of levels, patterns, and groups of tiny tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from lattices import Attribute
from numpy.typing import NDArray
from recodings_by_definition import Tiny, drawn

from roadstead.policies.classes import Classes
from roadstead.search.protocol import Control, Progress
from roadstead.search.recoding.cells.at_levels import Levelled
from roadstead.search.recoding.cells.bounds import BestFirst
from roadstead.search.recoding.cells.search import CellSuppression
from roadstead.search.recoding.protocol import OUT, RecodingOutcome, RecodingProblem

ROUNDED = 1e-9
TABLES = 120


def least_of_cells(tiny: Tiny) -> Fraction | None:
    """Loss of the best cell suppression by the definition; None where there is none."""
    ranges = [range(low, high + 1) for low, high in tiny.levels]
    found = [loss for levels in product(*ranges) if (loss := _least_at(tiny, levels)) is not None]
    return min(found, default=None)


def _least_at(tiny: Tiny, levels: tuple[int, ...]) -> Fraction | None:
    """Put the records into groups that each have an own set of suppressed attributes."""
    number = len(tiny.records)
    costs = [None, *(_cost(tiny, levels, group) for group in range(1, 1 << number))]

    @cache
    def best(left: int, out: int) -> Fraction | None:
        if not left:
            return Fraction(0)
        first = left & -left
        others = left ^ first
        found = []
        if out:
            rest = best(others, out - 1)
            found += [] if rest is None else [rest + 1]
        chosen = others
        while True:
            cost = costs[chosen | first]
            rest = None if cost is None else best(others ^ chosen, out)
            if cost is not None and rest is not None:
                found.append(cost + rest)
            if not chosen:
                return min(found, default=None)
            chosen = (chosen - 1) & others

    loss = best((1 << number) - 1, tiny.limit)
    return None if loss is None else loss / number


def _cost(tiny: Tiny, levels: tuple[int, ...], group: int) -> Fraction | None:
    """Loss of all records of a group under its best pattern; None where it cannot be a group."""
    members = [record for at, record in enumerate(tiny.records) if group >> at & 1]
    if len(members) < tiny.k:
        return None
    total = Fraction(0)
    for at, (attribute, weight) in enumerate(zip(tiny.attributes, tiny.weights, strict=True)):
        shown = []
        for level in (levels[at], tiny.levels[at][1]):
            column = attribute.columns[level]
            labels = {column[attribute.values.index(record[at])] for record in members}
            if len(labels) == 1:
                shown.append(column.count(*labels))
        if not shown:
            return None
        total += weight * Fraction(min(shown) - 1, max(len(attribute.values) - 1, 1))
    return total / sum(tiny.weights) * len(members)


def check(tiny: Tiny, problem: RecodingProblem, found: RecodingOutcome) -> None:
    """Count the release from the table: k, the limit, the loss, one level apart from *."""
    best = found.best
    assert best is not None
    assert best.suppressed(problem) <= tiny.limit
    codes, counts = problem.encoding.codes, problem.encoding.counts
    shown: Counter[tuple[tuple[int, int], ...]] = Counter()
    for row, one in enumerate(best.rows):
        if one == OUT:
            continue
        parts = tuple((int(level), int(code)) for level, code in best.parts[one])
        shown[parts] += int(counts[row])
        for at, (level, code) in enumerate(parts):
            assert problem.encoding.lookups[at][level][codes[at, row]] == code
    assert all(number >= tiny.k for number in shown.values())
    assert len(shown) == best.parts.shape[0]
    for at, (_, high) in enumerate(tiny.levels):
        assert len({parts[at][0] for parts in shown} - {high}) <= 1


@pytest.mark.quick(1)
@pytest.mark.parametrize("whole", [True, False])
def test_no_choice_loses_less_than_the_bound_and_none_found_less_than_the_best(
    *, whole: bool
) -> None:
    """And mostly what is found is the best, and the bound is close."""
    alike, ratios = [], []
    for seed in range(TABLES):
        tiny = drawn(seed, 7, whole=whole)
        problem = tiny.problem(intervals=False)
        best = least_of_cells(tiny)
        found = CellSuppression().run(problem, Control())
        if best is None:
            assert found.best is None, seed
            continue
        assert found.lower_bound <= float(best) + 1e-12, seed
        assert found.loss >= float(best) - ROUNDED, seed
        check(tiny, problem, found)
        alike.append(found.loss <= float(best) + ROUNDED)
        if best:
            ratios.append(found.lower_bound / float(best))
    assert np.mean(alike) > 0.9
    assert np.mean(ratios) > 0.9


def same(one: RecodingOutcome, other: RecodingOutcome) -> bool:
    """Whether two searches found the same."""
    if one.best is None or other.best is None:
        return one.best is other.best
    return (
        np.array_equal(one.best.parts, other.best.parts)
        and np.array_equal(one.best.rows, other.best.rows)
        and (one.lower_bound, one.tried) == (other.lower_bound, other.tried)
    )


def test_the_same_table_gives_the_same() -> None:
    """Though two threads work on it."""
    for seed in range(10):
        problem = drawn(seed).problem(intervals=False)
        found = [CellSuppression().run(problem, Control()) for _ in range(2)]
        assert same(*found)


def _after(looks: int) -> Callable[[], bool]:
    """Say stop when asked once more than so often."""
    left = iter(range(looks))
    return lambda: next(left, None) is None


def test_stopped_early_it_has_something_valid() -> None:
    """After so many looks at whether to stop: at once, then later and later."""
    for seed in range(12):
        tiny = drawn(seed, 9)
        problem = tiny.problem(intervals=False)
        whole = CellSuppression().run(problem, Control())
        for looks in (0, 1, 2, 5, 9, 14):
            found = CellSuppression().run(problem, Control(stopped=_after(looks)))
            assert found.ending == "interrupted" or looks
            assert (found.best is None) == (whole.best is None)
            if found.best is not None:
                check(tiny, problem, found)
                assert found.lower_bound <= whole.loss + ROUNDED


@dataclass(frozen=True)
class _TwoKinds:
    """A model that wants rows of two kinds in each class, the even and the odd ones."""

    k: int
    merges: bool = True
    per_class: bool = True

    @property
    def monotone_part(self) -> _TwoKinds:
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        even = np.zeros(classes.sizes.size, dtype=np.bool_)
        odd = even.copy()
        even[classes.ids[classes.rows % 2 == 0]] = True
        odd[classes.ids[classes.rows % 2 == 1]] = True
        return even & odd & (classes.sizes >= self.k)


def test_other_models_judge_each_class() -> None:
    """Those that look at more than the number of records."""
    released = 0
    for seed in range(60):
        tiny = drawn(seed, 9)
        problem = replace(tiny.problem(intervals=False), privacy=_TwoKinds(tiny.k))
        assert not problem.alone
        found = CellSuppression().run(problem, Control())
        if found.best is None:
            assert problem.encoding.counts.size == 1 or not problem.limit
            continue
        check(tiny, problem, found)
        released += found.best.parts.shape[0]
        for one in range(found.best.parts.shape[0]):
            rows = np.flatnonzero(found.best.rows == one)
            assert len({int(row) % 2 for row in rows}) == 2
    assert released > 40


@pytest.mark.nightly
def test_many_attributes_are_not_walked_through_all_patterns() -> None:
    """Nevertheless, each record matches k - 1 others, and the bound is correct."""
    chance = random.Random(3)  # noqa: S311 - of test cases, not of secrets
    names = [f"a{i:02}" for i in range(14)]
    attributes = tuple(
        Attribute(name, ("x", "y"), (("x", "y"), ("*", "*")), (1, 1)) for name in names
    )
    kinds = [[chance.choice("xy") for _ in names] for _ in range(6)]
    records = tuple(
        tuple(v if chance.random() < 0.9 else chance.choice("xy") for v in kinds[i % 6])
        for i in range(120)
    )
    tiny = Tiny(attributes, records, 4, 5, (1,) * 14, ((0, 1),) * 14)
    problem = tiny.problem(intervals=False)
    found = CellSuppression().run(problem, Control(budget=12))
    check(tiny, problem, found)
    assert found.ending == "budget"
    assert found.tried <= 16  # four at once
    assert found.loss < 0.4
    search = BestFirst(Levelled(problem), lambda _: None, {}, lambda: search.looks > 20)
    assert 0.0 < search.run(found.loss * 120) <= found.loss * 120


def test_it_says_how_far_it_is() -> None:
    """The best so far and a bound that it does not pass."""
    met: list[Progress] = []
    found = CellSuppression().run(
        drawn(3, 9).problem(intervals=False), Control(report=met.append, interval=0.0)
    )
    assert met
    assert all(one.best is None or one.best.loss >= found.loss for one in met)
    assert all(one.lower_bound <= found.loss + ROUNDED for one in met)
