"""Closure: when complete, no merge improves a member, and it stops on request."""

from __future__ import annotations

import numpy as np
import pytest
from effort import sparing, unhurried
from frontier_cells import every_policy, synthetic_cells, tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import LOSSES, RISKS, RarestRecord, cells_of

from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.quality.partition_losses import PartitionLoss
from roadstead.risk.measures import Risk
from roadstead.search.frontiers.closure import Closure, Expansion, _next, _prices
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, FrontierRun
from roadstead.search.protocol import Control, Progress

risks: st.SearchStrategy[Risk] = st.sampled_from([*(risk for risk, _ in RISKS), RarestRecord()])
losses: st.SearchStrategy[PartitionLoss] = st.sampled_from([loss for loss, _ in LOSSES])


def mid_size() -> FrontierProblem:
    """Nine boundaries."""
    return FrontierProblem(synthetic_cells(2, (5, 2, 2, 4), 60, 500))


def kept(problem: FrontierProblem, policy: Partition) -> list[int]:
    """Boundaries of a policy."""
    return [b for b in range(problem.domains.boundaries) if b in policy]


def check_members(problem: FrontierProblem, frontier: Frontier[Partition]) -> None:
    """Every member's policy has its point, and no member dominates another."""
    for risk, loss, policy in frontier:
        assert (risk, loss) == pytest.approx(problem.point(policy), abs=1e-9)
    assert (np.diff(frontier.risks) > 0).all()
    assert (np.diff(frontier.losses) < 0).all()


@unhurried
@given(tiny_cells(), risks, losses)
def test_no_merge_of_a_member_improves_a_closed_frontier(
    cells: Cells, risk: Risk, loss: PartitionLoss
) -> None:
    """Every neighbor of every member is dominated, counted from the cells; sums or not."""
    problem = FrontierProblem(cells, risk, loss)
    outcome = Closure().run(problem, Control())
    assert outcome.ending == "complete"
    check_members(problem, outcome.frontier)
    for _, _, policy in outcome.frontier:
        for boundary in kept(problem, policy):
            point = problem.point(policy.without(boundary))
            assert outcome.frontier.loss_within(point.risk + 1e-10) <= point.loss + 1e-10
    for policy in (problem.domains.most_specific, problem.domains.most_general):
        risk_, loss_ = problem.point(policy)
        assert outcome.frontier.loss_within(risk_ + 1e-10) <= loss_ + 1e-10


@sparing
@given(tiny_cells(boundaries=6))
def test_a_closed_frontier_is_not_better_than_the_true_one(cells: Cells) -> None:
    """And it ends where the true one does."""
    problem = FrontierProblem(cells)
    true: Frontier[Partition] = Frontier()
    for policy in every_policy(cells.domains):
        true.insert(*problem.point(policy), policy)
    outcome = Closure().run(problem, Control())
    assert outcome.frontier.area >= true.area - 1e-9
    assert outcome.frontier[0].risk == pytest.approx(true[0].risk, abs=1e-9)
    assert outcome.frontier[len(outcome.frontier) - 1].loss == pytest.approx(0.0, abs=1e-9)
    assert outcome.evaluated <= 2**problem.domains.boundaries + 1


def test_the_worked_example_has_its_whole_frontier() -> None:
    """Area and members as enumerated."""
    outcome = Closure().run(FrontierProblem(worked_cells()), Control())
    assert outcome.frontier.area == pytest.approx(0.595743, abs=6e-7)
    assert len(outcome.frontier) == 8
    assert outcome.ending == "complete"


def test_a_larger_frontier_is_close_to_the_true_one() -> None:
    """Within half a percent of the area, of 512 policies."""
    problem = mid_size()
    assert problem.domains.boundaries == 9
    true: Frontier[Partition] = Frontier()
    for policy in every_policy(problem.domains):
        true.insert(*problem.point(policy), policy)
    outcome = Closure().run(problem, Control())
    assert true.area - 1e-9 <= outcome.frontier.area <= 1.005 * true.area


@pytest.mark.parametrize("budget", [0, 2, 3, 10])
def test_a_budget_is_kept(budget: int) -> None:
    """The two ends are always evaluated; then one policy for each expansion."""
    problem = mid_size()
    watched: list[tuple[int, float]] = []
    steering = Control(budget=budget, watch=lambda n, frontier: watched.append((n, frontier.area)))
    outcome = Closure().run(problem, steering)
    assert outcome.ending == "budget"
    assert outcome.evaluated == max(2, budget)
    check_members(problem, outcome.frontier)
    assert [n for n, _ in watched] == list(range(3, outcome.evaluated + 1))
    areas = [area for _, area in watched]
    assert areas == sorted(areas, reverse=True)


def test_a_search_that_is_stopped_has_what_it_met() -> None:
    """At once, or after two expansions."""
    problem = mid_size()
    asked = iter([False, False, True])
    for control, ending, evaluated in [
        (Control(time_limit=0.0), "time limit", 2),
        (Control(stopped=lambda: True), "interrupted", 2),
        (Control(stopped=lambda: next(asked)), "interrupted", 4),
    ]:
        outcome = Closure().run(problem, control)
        assert (outcome.ending, outcome.evaluated) == (ending, evaluated)
        assert (outcome.derived == 0) is (evaluated == 2)
        check_members(problem, outcome.frontier)


def test_progress_is_reported() -> None:
    """At least once, with the numbers of its moment."""
    told: list[Progress] = []
    outcome = Closure().run(mid_size(), Control(report=told.append))
    assert told
    assert all(2 < own.evaluated <= outcome.evaluated for own in told)
    assert all(own.area >= outcome.frontier.area for own in told)
    assert all(own.members >= 1 for own in told)


def test_the_member_beside_the_largest_gap_is_expanded_first() -> None:
    """Of three members the one whose step takes in most, though another has the longer side."""
    frontier: Frontier[Partition] = Frontier()
    policies = [Partition(0b000000001), Partition(0b000000011), Partition(0b111111111)]
    for (risk, loss), policy in zip([(0.1, 0.9), (0.5, 0.5), (1.0, 0.4)], policies, strict=True):
        frontier.insert(risk, loss, policy)
    order = []
    expanded: set[Partition] = set()
    while (place := _next(frontier, expanded)) is not None:
        order.append(frontier[place].policy)
        expanded.add(order[-1])
    assert order == [policies[1], policies[2], policies[0]]


def test_the_prices_of_a_member_are_the_slopes_to_its_neighbors() -> None:
    """Additional risk per loss that is saved, once each; the first and last have one neighbor."""
    frontier: Frontier[Partition] = Frontier()
    for kept, (risk, loss) in enumerate([(0.125, 0.75), (0.25, 0.5), (0.5, 0.375), (0.75, 0.25)]):
        frontier.insert(risk, loss, Partition(kept))
    found = [_prices(frontier, place) for place in range(4)]
    assert found == [[0.5], [0.5, 2.0], [2.0], [2.0]]


def test_an_expansion_inserts_the_neighbors() -> None:
    """The neighbors of the original data, each with one boundary less."""
    problem = FrontierProblem(worked_cells())
    run = FrontierRun(problem, Control())
    run.evaluate(problem.domains.most_specific)
    assert Expansion(run).step()
    assert run.derived == 4
    assert {member.policy.kept for member in run.frontier} == {0b1111, 0b1101, 0b0111}


def test_a_single_value_is_all_there_is() -> None:
    """No boundary, nothing to expand."""
    outcome = Closure().run(FrontierProblem(cells_of((1,), {(0,): (2, 3)})), Control())
    assert outcome.ending == "complete"
    assert [tuple(m) for m in outcome.frontier] == [(1.0, 0.0, Partition(0))]
    assert outcome.derived == 0
