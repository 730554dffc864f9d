"""The searches for boxes, compared with the definition on small enough tables."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from lattices import Attribute
from numpy.typing import NDArray
from recodings_by_definition import Tiny, drawn, least_loss

from roadstead.policies.classes import Classes
from roadstead.search.protocol import Control, Progress
from roadstead.search.recoding.intervals import IntervalSearch
from roadstead.search.recoding.points import points_of
from roadstead.search.recoding.protocol import (
    OUT,
    Recoded,
    RecodingOutcome,
    RecodingProblem,
    RecodingSearch,
)
from roadstead_reproductions.searches.mondrian import Mondrian

SEARCHES: tuple[Callable[[], RecodingSearch], ...] = (IntervalSearch, Mondrian)


def ages(values: list[str], k: int, limit: int = 0) -> Tiny:
    """Make a table of two columns of which only the first varies."""
    domain = tuple(f"{value:02d}" for value in range(40))
    attribute = Attribute("age", domain, (domain, ("*",) * 40), (1,) * 40)
    return Tiny((attribute,), tuple((value,) for value in values), k, limit, (1,), ((0, 1),))


def wide(seed: int, rows: int, k: int, axes: int = 4) -> Tiny:
    """Draw a table too large for the definition, of columns with twelve values, some rows twice."""
    chance = np.random.default_rng(seed)
    domain = tuple(f"{value:02d}" for value in range(12))
    attributes = tuple(
        Attribute(name, domain, (domain, ("*",) * 12), (1,) * 12) for name in "abcd"[:axes]
    )
    codes = np.minimum(chance.geometric(0.25, size=(rows, axes)) - 1, 11)
    records = tuple(tuple(domain[value] for value in row) for row in codes.tolist())
    return Tiny(attributes, records, k, rows // 20, (1,) * axes, ((0, 1),) * axes)


def assert_it_is_a_release(problem: RecodingProblem, found: Recoded, least: int) -> None:
    """Every class is large enough and shows its records' values; the classes are their own."""
    records: Counter[int] = Counter()
    for row, (own, count) in enumerate(
        zip(found.rows.tolist(), problem.encoding.counts.tolist(), strict=True)
    ):
        if own != OUT:
            records[own] += count
            for axis, codes, (first, last) in zip(
                problem.axes, problem.encoding.codes, found.parts[own].tolist(), strict=True
            ):
                assert first <= axis.places[codes[row]] <= last
    assert set(records) == set(range(found.parts.shape[0]))
    assert min(records.values()) >= least
    assert np.array_equal(problem.place(found.parts), found.rows)
    assert found.suppressed(problem) <= problem.limit
    costs = problem.costs(found.parts)
    assert (np.diff(costs) >= 0).all()
    lost = sum(records[own] * cost for own, cost in enumerate(costs.tolist()))
    mean = (lost + found.suppressed(problem)) / problem.records
    assert found.loss(problem) == pytest.approx(mean)


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", SEARCHES)
def test_nothing_is_better_than_the_best_and_much_is_as_good(
    search: Callable[[], RecodingSearch],
) -> None:
    """Tables of up to eight records, with every partition of them."""
    alike = possible = 0
    for seed in range(60):
        case = drawn(seed, 8)
        problem = case.problem(intervals=True)
        found = search().run(problem, Control())
        best = least_loss(case, intervals=True)
        assert found.ending == "complete"
        if found.best is None:
            continue
        assert best is not None
        possible += 1
        assert_it_is_a_release(problem, found.best, case.k)
        assert found.loss >= float(best) - 1e-12
        alike += bool(np.isclose(found.loss, float(best)))
    assert possible > 50
    assert alike / possible > (0.8 if search is IntervalSearch else 0.3)


def test_annealing_beats_medians_by_far() -> None:
    """Else it would not be worth its time."""
    for seed, k in ((1, 3), (2, 8)):
        case = wide(seed, 400, k)
        problem = case.problem(intervals=True)
        found, base = (search().run(problem, Control()) for search in SEARCHES)
        assert found.best is not None
        assert_it_is_a_release(problem, found.best, k)
        assert found.loss < 0.85 * base.loss


def test_along_one_attribute_it_is_as_good_as_the_best_runs() -> None:
    """They are found by trying every last run; boxes within boxes may be better still."""
    chance = np.random.default_rng(3)
    for _ in range(5):
        values = sorted(chance.integers(0, 40, size=60).tolist())
        best = [0.0, *[np.inf] * len(values)]
        for end in range(4, len(values) + 1):
            alike = end < len(values) and values[end] == values[end - 1]
            for start in range(end - 3 if not alike else 0):
                width = (values[end - 1] - values[start]) / 39
                best[end] = min(best[end], best[start] + width * (end - start))
        case = ages([f"{value:02d}" for value in values], 4)
        found = IntervalSearch().run(case.problem(intervals=True), Control())
        assert found.best is not None
        assert_it_is_a_release(case.problem(intervals=True), found.best, 4)
        assert found.loss <= best[-1] / len(values) * 1.02


def same(one: RecodingOutcome, other: RecodingOutcome) -> bool:
    """Whether two searches found the same."""
    assert one.best is not None
    assert other.best is not None
    return np.array_equal(one.best.parts, other.best.parts) and one.tried == other.tried


def test_the_result_does_not_depend_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on the number of its cores, nor on what ran before."""
    problem = wide(5, 300, 4).problem(intervals=True)
    monkeypatch.setattr("roadstead.search.recoding.annealing._PART", 60)
    first = IntervalSearch(moves=200).run(problem, Control())
    assert same(first, IntervalSearch(moves=200).run(problem, Control()))
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert same(first, IntervalSearch(moves=200).run(problem, Control()))


def test_it_may_be_stopped_at_any_time() -> None:
    """The present result is a release, and more time never makes it worse."""
    problem = wide(6, 300, 5).problem(intervals=True)
    losses = []
    for patience in (0, 1, 5, 40, 10_000):
        asked = 0

        def stopped(most: int = patience) -> bool:
            nonlocal asked
            asked += 1
            return asked > most

        found = IntervalSearch(moves=200).run(problem, Control(stopped=stopped))
        assert found.best is not None
        assert_it_is_a_release(problem, found.best, 5)
        losses.append(found.loss)
        assert found.ending == ("complete" if patience == 10_000 else "interrupted")
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]
    timed = IntervalSearch().run(problem, Control(time_limit=0.0))
    assert timed.ending == "time limit"
    assert IntervalSearch().run(problem, Control(budget=1)).ending == "budget"


def test_progress_is_reported() -> None:
    """With the best so far."""
    reports: list[Progress] = []
    control = Control(report=reports.append, interval=0.0)
    found = IntervalSearch(moves=100).run(wide(7, 200, 4).problem(intervals=True), control)
    assert reports[-1].best is not None
    assert reports[-1].best.loss >= found.loss
    assert reports[-1].evaluated <= found.tried


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("values", "k", "loss"),
    [
        (["05"] * 9, 4, 0.0),
        (["05"] * 4 + ["30"] * 5, 4, 0.0),
        (["05"] * 3 + ["30"] * 6, 4, 25 / 39),
        (["05", "06", "30", "39"], 3, 34 / 39),
        (["05", "06"], 3, None),
    ],
)
def test_by_hand(
    search: Callable[[], RecodingSearch], values: list[str], k: int, loss: float | None
) -> None:
    """Equal records stay together; more than half of the table is one box."""
    found = search().run(ages(values, k).problem(intervals=True), Control())
    if loss is None:
        assert found.best is None
        assert found.loss == 1.0
    else:
        assert found.loss == pytest.approx(loss)


def test_an_outlier_is_suppressed_where_that_loses_less() -> None:
    """One of 30 records, which would widen the box of others to the whole domain."""
    values = ["05", "06"] * 15 + ["39"]
    near = IntervalSearch().run(ages(values, 15, limit=1).problem(intervals=True), Control())
    assert near.best is not None
    assert near.loss == pytest.approx(1 / 31)
    whole = IntervalSearch().run(ages(values, 15, limit=0).problem(intervals=True), Control())
    assert whole.loss > 10 / 31


@dataclass(frozen=True)
class _Varied:
    """A model that is not on sizes alone: at least `least` records, not all of one kind."""

    kinds: NDArray[np.int64]
    least: int
    merges = True
    per_class = True

    @property
    def monotone_part(self) -> _Varied:
        """Itself."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is large enough, and of both kinds."""
        kinds = [
            set(self.kinds[classes.rows[classes.ids == one]].tolist()) for one in classes.numbers
        ]
        return np.array([len(kind) > 1 for kind in kinds]) & (classes.sizes >= self.least)


@pytest.mark.parametrize("search", SEARCHES)
def test_any_model_is_kept(search: Callable[[], RecodingSearch]) -> None:
    """Each class is of both kinds, and cuts that part them are given up for others."""
    problem = wide(8, 200, 4, axes=2).problem(intervals=True)
    rows = problem.encoding.counts.size
    kinds = np.random.default_rng(1).integers(0, 2, size=rows)
    kinds[problem.axes[0].places[problem.encoding.codes[0]] < 2] = 0
    found = search().run(replace(problem, privacy=_Varied(kinds, 4)), Control())
    assert found.best is not None
    assert_it_is_a_release(problem, found.best, 4)
    assert found.best.parts.shape[0] > 5
    for own in range(found.best.parts.shape[0]):
        assert set(kinds[found.best.rows == own].tolist()) == {0, 1}
    alike = replace(problem, privacy=_Varied(np.zeros(rows, dtype=np.int64), 4))
    assert search().run(alike, Control()).best is None


def test_values_at_one_place_are_one_point() -> None:
    """The same number written in two ways, and people who are not in the table."""
    problem = ages(["05", "06", "07", "07", "30"], 2).problem(intervals=True)
    own = problem.axes[0]
    axis = replace(
        own,
        places=np.array([0, 0, 1, 2], dtype=np.int32),
        ends=own.ends[1:],
        closed=own.closed[:3],
    )
    points = points_of(replace(problem, axes=(axis,)))
    assert points.places.tolist() == [[0], [1], [2]]
    assert points.records.tolist() == [2, 2, 1]
    assert points.point_of.tolist() == [0, 0, 1, 2]
    counts = np.array([1, 0, 2, 1])
    encoding = replace(problem.encoding, counts=counts)
    without = points_of(replace(problem, encoding=encoding))
    assert without.records.tolist() == [1, 2, 1]
    assert without.point_of.tolist() == [0, OUT, 1, 2]
