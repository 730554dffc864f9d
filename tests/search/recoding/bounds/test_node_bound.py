"""Bounds for recodings by nodes, compared with every partition of tiny tables."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from lattices import Attribute
from recodings_by_definition import Tiny, drawn, group_cost, least_loss
from scipy.optimize import linprog

from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds import cell_walk
from roadstead.search.recoding.bounds.nodes import NodeBound, node_bound

ROUNDED = 1e-12


def bounds(seed: int, *, whole: bool) -> tuple[NodeBound, float]:
    """Give the bound of a table that is drawn, and the loss of its best recoding."""
    tiny = drawn(seed, whole=whole)
    best = least_loss(tiny, intervals=False)
    found = node_bound(tiny.problem(intervals=False), Control())
    return found, inf if best is None else float(best)


@pytest.mark.quick(1)
@pytest.mark.parametrize("whole", [True, False])
def test_no_partition_loses_less(*, whole: bool) -> None:
    """Of hundreds of tables, with and without limits on the levels and on suppression."""
    ratios, improved = [], 0
    for seed in range(250):
        found, best = bounds(seed, whole=whole)
        assert found.first <= best + ROUNDED, seed
        assert found.value <= best + ROUNDED, seed
        assert found.value >= found.first
        if 0.0 < best < inf:
            ratios.append(found.value / best)
            improved += found.value > found.first + 1e-6
    assert np.mean(ratios) > 0.9
    assert improved > 10


def relaxed(tiny: Tiny) -> float:
    """Least loss where a record may be in several groups by parts: a bound on that of recodings.

    The linear program over every group of records, as a solver finds it.
    """
    number = len(tiny.records)
    groups = [
        (group, cost)
        for group in range(1, 1 << number)
        if (cost := group_cost(tiny, group, intervals=False)) is not None
    ]
    holds = np.array([[group >> at & 1 for group, _ in groups] for at in range(number)])
    solved = linprog(
        np.array([float(cost) for _, cost in groups] + [1.0] * number),
        A_eq=np.hstack([holds, np.eye(number)]),
        b_eq=np.ones(number),
        A_ub=[[0.0] * len(groups) + [1.0] * number],
        b_ub=[tiny.limit],
    )
    return inf if solved.fun is None else float(solved.fun) / number


def test_it_comes_near_the_relaxed_problem() -> None:
    """The tightened bound is that of the linear program over all groups, and not above it."""
    gaps = []
    for seed in range(80):
        tiny = drawn(seed, 8)
        most = relaxed(tiny)
        found = node_bound(tiny.problem(intervals=False), Control(), rounds=40).value
        assert found <= most + 1e-9 or most == inf, seed
        if 0.0 < most < inf:
            gaps.append(1.0 - found / most)
    assert np.mean(gaps) < 0.02


def test_where_there_is_no_recoding_the_bound_is_infinite() -> None:
    """Three records alone, of which two may be suppressed."""
    tiny = Tiny(
        (Attribute("age", ("1", "2", "3"), (("1", "2", "3"), ("*",) * 3), (1, 1, 1)),),
        (("1",), ("2",), ("3",)),
        k=2,
        limit=2,
        weights=(1,),
        levels=((0, 0),),
    )
    assert least_loss(tiny, intervals=False) is None
    assert node_bound(tiny.problem(intervals=False), Control()).value == inf
    all_suppressed = replace(tiny, limit=3)
    assert node_bound(all_suppressed.problem(intervals=False), Control()).value > 0.999


def test_stopped_at_any_step_it_is_still_a_bound() -> None:
    """And more steps never make it worse."""
    for seed in range(40):
        tiny = drawn(seed)
        best, problem = least_loss(tiny, intervals=False), tiny.problem(intervals=False)
        values = [
            node_bound(problem, Control(), steps=steps).value for steps in (1, 10, 100, 1000, 10000)
        ]
        assert values[-1] <= (inf if best is None else float(best)) + ROUNDED
        assert values == sorted(values)


def test_a_control_that_says_stop_is_obeyed() -> None:
    """With what is known by then."""
    problem = drawn(5).problem(intervals=False)
    found = node_bound(problem, Control(stopped=lambda: True))
    assert found.ending == "interrupted"
    assert found.rounds == 0


def test_it_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though two threads work on it."""
    monkeypatch.setattr(cell_walk, "_QUOTA", 50)
    monkeypatch.setattr(cell_walk, "_WITHOUT_THREADS", 1)
    problem = drawn(21, 40).problem(intervals=False)
    one, two = (node_bound(problem, Control()) for _ in range(2))
    assert one.value == two.value
    assert np.array_equal(one.prices, two.prices)
    assert one.steps == two.steps
