"""Cell suppression, held against every choice of levels, patterns and groups of tiny tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf

import numpy as np
import pytest
from recodings_by_definition import Tiny, drawn

from roadstead.policies.classes import Classes
from roadstead.search.protocol import Control
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
    """Count what is released from the table itself: k, the limit, the loss, one level beside *."""
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
