"""Local recoding compared with every partition of tiny tables, and with its definition.

Properties of a release are computed from the values of its records, in plain Python.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lattices import Attribute
from recodings_by_definition import Tiny, drawn, least_loss

from roadstead.policies.full_domain import FullDomain
from roadstead.privacy.conditions import LeastSize
from roadstead.search.protocol import Control
from roadstead.search.recoding import local
from roadstead.search.recoding.divisions import division_of, nodes_of
from roadstead.search.recoding.first_fit import _mean_costs, ascending, first_fit_classes
from roadstead.search.recoding.local import LocalSearch
from roadstead.search.recoding.protocol import (
    OUT,
    Recoded,
    RecodingProblem,
    opened,
    within_limit,
)
from roadstead.search.recoding.redivision import joined, parts_of, prepared

if TYPE_CHECKING:
    from roadstead.search.recoding.redivision import DividedPart

CLOSE = 1e-9


def grouped(name: str, values: int, *widths: int) -> Attribute:
    """Make an attribute whose levels put so many neighbors together, and last all of them."""
    columns = [tuple(f"{width}:{value // width}" for value in range(values)) for width in widths]
    names = tuple(f"{name}{value}" for value in range(values))
    return Attribute(name, names, (*columns, ("*",) * values), (1,) * values)


SHAPES = (
    grouped("a", 24, 1, 3, 6, 12),
    grouped("b", 5, 1),
    grouped("c", 9, 1, 3),
    grouped("d", 2, 1),
)


def table(seed: int, records: int, k: int, limit: int = 0) -> Tiny:
    """Draw a table of more records than can be tried; some values are frequent."""
    chance = random.Random(seed)  # noqa: S311 - of test cases, not of secrets
    rows = tuple(
        tuple(
            attribute.values[int(len(attribute.values) * chance.random() ** 1.7)]
            for attribute in SHAPES
        )
        for _ in range(records)
    )
    levels = tuple((0, attribute.height - 1) for attribute in SHAPES)
    return Tiny(SHAPES, rows, k, limit, (2, 1, 1, 1), levels)


def test_the_highest_level_costs_the_share_of_the_attribute() -> None:
    """In each record, also if the attribute has only two values."""
    problem = table(3, 40, 3).problem(intervals=False)
    costs = [own[-1] for own in _mean_costs(problem)]
    assert costs == pytest.approx([share * problem.records for share in problem.shares])


def check(case: Tiny, problem: RecodingProblem, recoded: Recoded) -> float:
    """Compare a recoding with its definition; give its loss."""
    rows = sorted(set(case.records))
    shown = []
    for part in recoded.parts.tolist():
        sets = []
        for at, (level, code) in enumerate(part):
            lookup = problem.encoding.lookups[at][level].tolist()
            domain = problem.encoding.table.domains[at]
            values = {value for value, own in zip(domain, lookup, strict=True) if own == code}
            label_of = dict(
                zip(case.attributes[at].values, case.attributes[at].columns[level], strict=True)
            )
            label = label_of[min(values)]
            assert case.levels[at][0] <= level <= case.levels[at][1]
            sets.append((values, list(label_of.values()).count(label)))
        shown.append(sets)
    sizes: Counter[int] = Counter()
    lost = 0.0
    for row, place in zip(rows, recoded.rows.tolist(), strict=True):
        fits = (
            at
            for at, sets in enumerate(shown)
            if all(value in own for value, (own, _) in zip(row, sets, strict=True))
        )
        assert place == next(fits, OUT)
        number = case.records.count(row)
        sizes[place] += number
        if place == OUT:
            lost += number
            continue
        shares = (
            weight * (leaves - 1) / max(len(attribute.values) - 1, 1)
            for weight, attribute, (_, leaves) in zip(
                case.weights, case.attributes, shown[place], strict=True
            )
        )
        lost += number * sum(shares) / sum(case.weights)
    suppressed = sizes.pop(OUT, 0)
    assert suppressed <= case.limit
    assert set(sizes) == set(range(len(shown)))
    assert all(size >= case.k for size in sizes.values())
    return lost / len(case.records)


def test_never_better_than_the_best_partition_and_often_as_good() -> None:
    """Among all partitions of tiny tables."""
    alike = found = 0
    for seed in range(80):
        case = drawn(seed, 7, whole=seed % 2 == 0)
        problem = case.problem(intervals=False)
        outcome = LocalSearch().run(problem, Control())
        best = least_loss(case, intervals=False)
        if outcome.best is None or outcome.best.suppressed(problem) > case.limit:
            continue
        assert best is not None
        assert check(case, problem, outcome.best) == pytest.approx(outcome.loss, abs=CLOSE)
        assert outcome.loss >= float(best) - CLOSE
        found += 1
        alike += outcome.loss <= float(best) + CLOSE
    assert found >= 40
    assert alike >= 0.85 * found


@pytest.mark.quick(1)
@pytest.mark.parametrize(("seed", "k", "limit"), [(0, 2, 0), (1, 3, 0), (2, 5, 6), (3, 12, 0)])
def test_keeps_its_definition_and_beats_first_fit(seed: int, k: int, limit: int) -> None:
    """And comes to the same each time."""
    case = table(seed, 260, k, limit)
    problem = case.problem(intervals=False)
    outcome = LocalSearch().run(problem, Control())
    assert outcome.best is not None
    assert outcome.ending == "complete"
    assert check(case, problem, outcome.best) == pytest.approx(outcome.loss, abs=CLOSE)
    first = first_fit_classes(problem, Control()).best
    assert first is not None
    plain = within_limit(problem, first)
    assert plain is not None
    assert outcome.loss < plain.loss(problem) - CLOSE
    again = LocalSearch().run(problem, Control())
    assert again.best is not None
    assert np.array_equal(again.best.parts, outcome.best.parts)


@pytest.mark.nightly
def test_parts_of_a_table_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gain of the parts is the gain of the table, to the last record."""
    gained = 0.0
    for seed, turn in product(range(4), range(3)):
        case = table(seed, 400, 4)
        problem = case.problem(intervals=False)
        first = first_fit_classes(problem, Control()).best
        assert first is not None
        start = within_limit(problem, first)
        assert start is not None
        nodes = nodes_of(problem)
        division = division_of(nodes, start, problem)
        same = division.recoded(problem, nodes)
        assert same.loss(problem) == pytest.approx(start.loss(problem), abs=CLOSE)
        parts = parts_of(nodes, problem.encoding.counts, division, 70, turn)
        assert len(parts) > 1
        assert sorted(np.concatenate([part.rows for part in parts]).tolist()) == list(
            range(problem.encoding.counts.size)
        )
        done: list[DividedPart] = []
        gain = 0.0
        for part in parts:
            ready = prepared(problem, nodes, division, part, 0)
            gain += ready.improve(local._seeds(ready, 0), 24, 200)
            _holds(ready)
            done.append(ready)
        found = joined(division, done).recoded(problem, nodes)
        check(case, problem, found)
        lost = start.loss(problem) - found.loss(problem)
        assert lost == pytest.approx(gain / len(case.records), abs=CLOSE)
        gained += lost
    assert gained > 0
    monkeypatch.setattr(local, "_MOST_ROWS_OF_PART", 70)
    case = table(9, 400, 4)
    problem = case.problem(intervals=False)
    outcome = LocalSearch().run(problem, Control())
    assert outcome.best is not None
    assert check(case, problem, outcome.best) == pytest.approx(outcome.loss, abs=CLOSE)


def _holds(ready: DividedPart) -> None:
    """Check what the kernel keeps up to date against what it is."""
    cells, weights = ready.cells, ready.table.weights
    sizes: dict[int, int] = defaultdict(int)
    for row, cell in enumerate(cells.cell_of.tolist()):
        open_ones = [
            at
            for at in np.flatnonzero(cells.open).tolist()
            if all(
                ready.table.paths[row, column] == ready.table.paths[cells.samples[at], column]
                for column in cells.columns[at]
            )
        ]
        assert cell == min(open_ones, key=lambda at: cells.keys[at], default=OUT)
        if cell != OUT:
            sizes[cell] += int(weights[row])
    for cell in np.flatnonzero(cells.open).tolist():
        assert cells.sizes[cell] == sizes[cell]
        assert sizes[cell] >= cells.needs[cell]


class _Patience:
    """Say stop after so many questions."""

    def __init__(self, lasts: int) -> None:
        self.lasts, self.asked = lasts, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked > self.lasts


def test_stopped_early_it_has_a_recoding() -> None:
    """After first fit, in a turn, and between turns."""
    case = table(5, 300, 3)
    problem = case.problem(intervals=False)
    asked = _Patience(10**9)
    LocalSearch().run(problem, Control(stopped=asked))
    for asks in (1, asked.asked - 60, asked.asked - 30, asked.asked - 2):
        outcome = LocalSearch().run(problem, Control(stopped=_Patience(asks)))
        assert outcome.ending == "interrupted"
        if outcome.best is not None:
            assert check(case, problem, outcome.best) == pytest.approx(outcome.loss, abs=CLOSE)


def test_other_models_judge_each_class() -> None:
    """If the number of records is not the only requirement, each class is checked."""

    class Even(LeastSize):
        """Classes of an even number of records."""

        def satisfied(self, classes):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - as above
            return super().satisfied(classes) & (classes.sizes % 2 == 0)

    case = table(6, 200, 4, limit=200)
    plain = case.problem(intervals=False)
    problem = replace(plain, privacy=Even(4))
    assert not problem.alone
    outcome = LocalSearch().run(problem, Control())
    assert outcome.best is not None
    inside = outcome.best.rows != OUT
    sizes = np.bincount(outcome.best.rows[inside], problem.encoding.counts[inside])
    assert (sizes >= 4).all()
    assert (sizes % 2 == 0).all()


def test_vectors_ascend() -> None:
    """Each once, in the order of what they lose."""
    costs = [[0.0, 0.25, 1.0], [0.125], [0.0, 0.0, 0.5, 0.75]]
    found = list(ascending((1, 0, 2), costs))
    assert sorted(found) == sorted(product((1, 2, 3), (0,), (2, 3, 4, 5)))
    total = [costs[0][a - 1] + costs[1][b] + costs[2][c - 2] for a, b, c in found]
    assert total == sorted(total)
    many = [[0.0, 0.1, 0.5, 1.0]] * 16  # four thousand million vectors
    assert len(list(islice(ascending((0,) * 16, many), 50))) == 50


@pytest.mark.nightly
def test_a_lattice_that_cannot_be_listed() -> None:
    """Sixteen attributes of four levels."""
    chance = random.Random(3)  # noqa: S311 - of test cases
    attributes = tuple(grouped(f"q{at:02}", 12, 1, 3, 6) for at in range(16))
    rows = tuple(
        tuple(chance.choice(attribute.values) for attribute in attributes) for _ in range(60)
    )
    case = Tiny(attributes, rows, 3, 0, (1,) * 16, ((0, 3),) * 16)
    problem = case.problem(intervals=False)
    assert (
        FullDomain(problem.space.attributes, problem.space.bottom, problem.space.top).size == 4**16
    )
    outcome = LocalSearch().run(problem, Control(budget=21_000))
    assert outcome.best is not None
    assert check(case, problem, outcome.best) == pytest.approx(outcome.loss, abs=CLOSE)


def test_the_order_decides_who_is_in_which_class() -> None:
    """A class with more loss may come first."""
    case = table(1, 200, 5)
    problem = case.problem(intervals=False)
    proposed = first_fit_classes(problem, Control()).best
    assert proposed is not None
    order = np.argsort(-problem.costs(proposed.parts), kind="stable")
    recoded = opened(problem, proposed.parts[order])
    lost = partial(check, replace(case, limit=len(case.records)), problem)
    assert lost(recoded) == pytest.approx(recoded.loss(problem), abs=CLOSE)
