"""The steepest chain: its policies are on its frontier, and it stops on request."""

from __future__ import annotations

import numpy as np
import pytest
from effort import sparing, unhurried
from frontier_cells import synthetic_cells, tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import (
    LOSSES,
    RISKS,
    RarestRecord,
    any_policy,
    cells_of,
    divergence,
    population_risk,
    true_staircase,
)

from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition, is_below
from roadstead.quality.partition_losses import PartitionLoss
from roadstead.risk.measures import Risk
from roadstead.search.frontiers import steepest
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, FrontierRun
from roadstead.search.frontiers.steepest import Steepest, SteepestChain
from roadstead.search.frontiers.walks import Descent, walk
from roadstead.search.protocol import Control, Progress

risks: st.SearchStrategy[Risk] = st.sampled_from([*(risk for risk, _ in RISKS), RarestRecord()])
losses: st.SearchStrategy[PartitionLoss] = st.sampled_from([loss for loss, _ in LOSSES])


def mid_size() -> FrontierProblem:
    """Thirty-nine boundaries."""
    return FrontierProblem(synthetic_cells(1, (20, 2, 4, 17), 400, 4_000))


def check_members(problem: FrontierProblem, frontier: Frontier[Partition]) -> None:
    """Every member's policy has its point, and no member dominates another."""
    for risk, loss, policy in frontier:
        assert (risk, loss) == pytest.approx(problem.point(policy), abs=1e-9)
    assert (np.diff(frontier.risks) > 0).all()
    assert (np.diff(frontier.losses) < 0).all()


def met(problem: FrontierProblem) -> list[Partition]:
    """All policies of the chain and their neighbors."""
    removable = np.ones(problem.domains.boundaries, dtype=np.bool_)
    start = problem.domains.most_specific
    descent = walk(problem, start).descend(removable, removable.size)
    found = [start]
    policy = start
    for boundary in descent.boundaries.tolist():
        kept = np.flatnonzero(problem.domains.bits(policy)).tolist()
        found += [policy.without(near) for near in kept]
        policy = policy.without(boundary)
    return found


@unhurried
@given(tiny_cells(), risks, losses)
def test_the_frontier_is_that_of_all_policies_met(
    cells: Cells, risk: Risk, loss: PartitionLoss
) -> None:
    """Each counted from the cells; sums or not."""
    problem = FrontierProblem(cells, risk, loss)
    outcome = Steepest().run(problem, Control())
    everything = met(problem)
    expected = true_staircase([problem.point(policy) for policy in everything])
    found = [(round(m.risk, 10), round(m.loss, 10)) for m in outcome.frontier]
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-9)
    check_members(problem, outcome.frontier)
    assert {member.policy for member in outcome.frontier} <= set(everything)
    assert outcome.ending == "complete"
    boundaries = problem.domains.boundaries
    assert outcome.evaluated == boundaries + 1
    assert outcome.evaluated + outcome.derived == len(everything)
    assert outcome.derived == boundaries * (boundaries - 1) // 2


def test_the_chain_of_the_worked_example_is_that_of_plain_python() -> None:
    """Always the least loss for the risk; its policies and their neighbors make the staircase."""
    cells = worked_cells()
    problem = FrontierProblem(cells)
    greatest = divergence(cells, problem.domains.most_general)

    def point(policy: Partition) -> tuple[float, float]:
        return population_risk(cells, policy) / 2.4, divergence(cells, policy) / greatest

    def price_without(policy: Partition, boundary: int) -> float:
        (risk, loss), (after, more) = point(policy), point(policy.without(boundary))
        return float((more - loss) / (risk - after))

    policy = problem.domains.most_specific
    points = [point(policy)]
    while policy.rank:
        kept = [b for b in range(4) if b in policy]
        points += [point(policy.without(b)) for b in kept]
        prices = {b: price_without(policy, b) for b in kept}
        policy = policy.without(min(prices, key=prices.__getitem__))
    outcome = Steepest().run(problem, Control())
    found = [(member.risk, member.loss) for member in outcome.frontier]
    assert np.array(found) == pytest.approx(np.array(true_staircase(points)), abs=1e-9)
    assert outcome.frontier.area >= 0.595743 - 1e-6


def test_stretches_of_a_chain_are_one_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few points are kept at a time."""
    problem = mid_size()
    whole = Steepest().run(problem, Control())
    monkeypatch.setattr(steepest, "_MOST_POINTS", 50)
    calls: list[int] = []
    parts = Steepest().run(problem, Control(watch=lambda evaluated, _: calls.append(evaluated)))
    assert len(calls) > 5
    assert calls == sorted(set(calls))
    assert calls[-1] == parts.evaluated == whole.evaluated
    assert parts.derived == whole.derived
    assert parts.frontier.risks == pytest.approx(whole.frontier.risks, abs=1e-9)
    assert parts.frontier.losses == pytest.approx(whole.frontier.losses, abs=1e-9)
    check_members(problem, parts.frontier)


@pytest.mark.parametrize("budget", [0, 1, 2, 7, 39, 40, 41])
def test_a_budget_is_kept(budget: int) -> None:
    """Policies of the chain are counted, their neighbors are not; one is always evaluated."""
    problem = mid_size()
    whole = problem.domains.boundaries + 1
    assert whole == 40
    outcome = Steepest().run(problem, Control(budget=budget))
    assert outcome.evaluated == max(1, min(budget, whole))
    assert outcome.ending == ("complete" if budget >= whole else "budget")
    check_members(problem, outcome.frontier)
    assert len(outcome.frontier) >= 1


def test_a_search_that_may_not_begin_has_the_data_as_they_are() -> None:
    """Stopped, or out of time."""
    problem = mid_size()
    for control, ending in [
        (Control(time_limit=0.0), "time limit"),
        (Control(stopped=lambda: True), "interrupted"),
    ]:
        outcome = Steepest().run(problem, control)
        assert outcome.ending == ending
        assert [m.policy for m in outcome.frontier] == [problem.domains.most_specific]
        assert (outcome.evaluated, outcome.derived) == (1, 0)


def test_a_search_stops_between_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """And answers with what it has."""
    monkeypatch.setattr(steepest, "_MOST_POINTS", 50)
    asked = iter([False, False, False, True])
    problem = mid_size()
    outcome = Steepest().run(problem, Control(stopped=lambda: next(asked)))
    assert outcome.ending == "interrupted"
    assert 1 < outcome.evaluated < 40
    check_members(problem, outcome.frontier)


def test_progress_is_reported() -> None:
    """Policies evaluated, and the present frontier."""
    told_so: list[Progress] = []
    outcome = Steepest().run(mid_size(), Control(report=told_so.append))
    assert told_so
    assert told_so[-1].members == len(outcome.frontier)
    assert told_so[-1].area == outcome.frontier.area
    assert told_so[-1].evaluated == outcome.evaluated


@sparing
@given(tiny_cells(), st.data())
def test_a_way_goes_through_the_policy_it_is_led_to(cells: Cells, data: st.DataObject) -> None:
    """First to a more general policy, and on to the end."""
    problem = FrontierProblem(cells)
    start = problem.domains.most_specific
    within = data.draw(any_policy(cells))
    run = FrontierRun(problem, Control())
    way = SteepestChain(run, within)
    passed = [start]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(steepest, "_MOST_POINTS", 1)
        while not way.ended:
            way.go_on()
            passed.append(way._walk.partition)
    assert within in passed
    assert passed[-1] == problem.domains.most_general
    assert run.evaluated == len(passed) == start.rank + 1
    assert run.derived == start.rank * (start.rank - 1) // 2
    check_members(problem, run.frontier)
    assert all(is_below(start, member.policy) for member in run.frontier)
    assert all(run.frontier.dominates(*problem.point(policy)) for policy in passed)


def test_a_single_value_is_all_there_is() -> None:
    """No boundary, no chain."""
    outcome = Steepest().run(FrontierProblem(cells_of((1,), {(0,): (2, 3)})), Control())
    assert (outcome.ending, outcome.evaluated, outcome.derived) == ("complete", 1, 0)
    assert [tuple(m) for m in outcome.frontier] == [(1.0, 0.0, Partition(0))]


def test_a_descent_is_inserted_with_the_policies_of_its_rows() -> None:
    """Two steps over three boundaries: boundary 2, then 0; the filled-up place is not a policy."""
    descent = Descent(
        start=Partition(0b111),
        boundaries=np.array([2, 0]),
        removable=np.array([[0, 1, 2], [1, 0, -1]]),
        risks=np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.0]]),
        losses=np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.0]]),
    )
    frontier: Frontier[Partition] = Frontier()
    assert descent.insert_into(frontier) == descent.number == 5
    assert [(m.risk, m.policy.kept) for m in frontier] == [
        *[(0.5, 0b010), (0.6, 0b001)],
        *[(0.7, 0b011), (0.8, 0b101), (0.9, 0b110)],
    ]
