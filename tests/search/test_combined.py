"""The default search: its members are what they say, and it is proven or close to the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from effort import sparing
from frontier_cells import every_policy, synthetic_cells, tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import RarestRecord

from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.registry import partition_loss
from roadstead.search.frontiers.combined import Combined, grid, is_provable
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.pareto_segments import ParetoSegments
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem
from roadstead.search.frontiers.steepest import Steepest
from roadstead.search.protocol import Control

IS_PROVABLE = "roadstead.search.frontiers.combined.is_provable"


def search(problem: FrontierProblem, steering: Control | None = None) -> FrontierOutcome[Partition]:
    """Run it."""
    return Combined().run(problem, steering or Control())


def enumerated(problem: FrontierProblem) -> Frontier[Partition]:
    """Judge every policy."""
    frontier: Frontier[Partition] = Frontier()
    for policy in every_policy(problem.domains):
        frontier.insert(*problem.point(policy), policy)
    return frontier


@pytest.fixture
def _unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the proof out, wherever one is in reach."""
    monkeypatch.setattr(IS_PROVABLE, lambda _: False)


def instance(seed: int) -> Cells:
    """Fourteen boundaries: sparse, dense, or of very uneven numbers of records and people."""
    chance = np.random.default_rng(seed)
    sizes = (8, 2, 4, 4)
    number = int(np.prod(sizes))
    makers: list[Callable[[], tuple[np.ndarray, np.ndarray]]] = [
        lambda: (chance.binomial(1, 0.12, number), chance.binomial(3, 0.3, number)),
        lambda: (chance.poisson(3, number), chance.poisson(20, number)),
        lambda: _uneven(chance, number),
    ]
    records, others = makers[seed % 3]()
    records[0] += 1
    people = records + others
    some = people > 0
    codes = np.array(np.unravel_index(np.flatnonzero(some), sizes), dtype=np.uint32)
    return Cells(
        OrderedDomains(tuple("abcd"), sizes),
        codes,
        records[some].astype(np.int64),
        people[some].astype(np.int64),
    )


def _uneven(chance: np.random.Generator, number: int) -> tuple[np.ndarray, np.ndarray]:
    weights = chance.lognormal(0, 1.8, number)
    share = weights / weights.mean()
    return chance.poisson(share * 0.8), chance.poisson(share * 6)


@sparing
@given(tiny_cells())
def test_where_a_proof_is_in_reach_all_policies_are_judged(cells: Cells) -> None:
    """The frontier is that of the enumeration, and the gap is 0."""
    problem = FrontierProblem(cells)
    found = search(problem)
    expected = enumerated(problem)
    assert is_provable(problem)
    assert (found.gap, found.ending) == (0.0, "complete")
    assert found.frontier.area == pytest.approx(expected.area, abs=1e-9)
    for member in expected:
        assert found.frontier.dominates(member.risk + 1e-9, member.loss + 1e-9)


@pytest.mark.usefixtures("_unproven")
def test_without_a_proof_members_are_what_they_say() -> None:
    """And nothing is claimed; a steepest chain alone is never better."""
    for seed in range(3):
        problem = FrontierProblem(instance(seed))
        found = search(problem)
        assert (found.gap, found.ending) == (None, "complete")
        for member in found.frontier:
            assert problem.point(member.policy) == pytest.approx(
                (member.risk, member.loss), abs=1e-9
            )
        for member in Steepest().run(problem, Control()).frontier:
            assert found.frontier.dominates(member.risk + 1e-9, member.loss + 1e-9)


def away_from_the_truth(seed: int) -> float:
    """By which share the area is above that of the true frontier."""
    problem = FrontierProblem(instance(seed))
    true = ParetoSegments().run(problem, Control())
    assert true.gap == pytest.approx(0.0, abs=1e-9)
    return search(problem).frontier.area / true.frontier.area - 1.0


@pytest.mark.usefixtures("_unproven")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_a_proof_the_area_is_close_to_the_truth(seed: int) -> None:
    """One of each kind."""
    assert -1e-9 <= away_from_the_truth(seed) < 0.005


@pytest.mark.slow
@pytest.mark.usefixtures("_unproven")
@pytest.mark.parametrize("seed", range(3, 15))
def test_without_a_proof_many_areas_are_close_to_the_truth(seed: int) -> None:
    """A dozen more."""
    assert -1e-9 <= away_from_the_truth(seed) < 0.005


def test_a_risk_that_is_no_sum_is_searched_without_a_proof() -> None:
    """One over the people of the smallest class."""
    problem = FrontierProblem(worked_cells(), RarestRecord(), partition_loss("divergence"))
    found = search(problem)
    assert not is_provable(problem)
    assert found.gap is None
    for member in found.frontier:
        assert problem.point(member.policy) == pytest.approx((member.risk, member.loss), abs=1e-9)


@pytest.mark.usefixtures("_unproven")
@pytest.mark.parametrize("budget", [1, 5, 20, 60, 90, 150, 400])
def test_a_budget_ends_every_stage(budget: int) -> None:
    """Within a step: a stretch of a chain is cut to what is left, a member is expanded whole."""
    problem = FrontierProblem(synthetic_cells(1, (30, 2, 3, 12), 300, 3_000))
    found = search(problem, Control(budget=budget))
    assert found.ending == "budget"
    expansion = sum(size for size in problem.domains.sizes if size > 1)
    assert budget <= found.evaluated <= budget + expansion
    for member in list(found.frontier)[::10]:
        assert problem.point(member.policy) == pytest.approx((member.risk, member.loss), abs=1e-9)


@pytest.mark.usefixtures("_unproven")
@given(st.integers(0, 400))
@sparing
def test_told_to_stop_it_stops_in_every_stage(asked_before: int) -> None:
    """With what it has; that is asked once a step."""
    problem = FrontierProblem(worked_cells())
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > asked_before

    found = search(problem, Control(stopped=stopped))
    assert asked <= asked_before + 1
    assert found.ending == ("interrupted" if asked > asked_before else "complete")
    assert len(found.frontier) >= 1


def test_what_is_proven_was_not_ended_by_a_budget() -> None:
    """Even where the proof takes the last of it."""
    problem = FrontierProblem(worked_cells())
    whole = search(problem)
    last = search(problem, Control(budget=whole.evaluated))
    assert (whole.gap, last.gap) == (0.0, 0.0)
    assert (whole.ending, last.ending) == ("complete", "complete")


def test_stopped_in_the_proof_it_tells_the_gap() -> None:
    """The true area lies no further below."""
    problem = FrontierProblem(synthetic_cells(1, (20, 2, 3, 1), 300, 3_000))
    asked = iter(range(6))
    stopping = Control(stopped=lambda: next(asked, None) is None)
    found = search(problem, stopping)
    true = ParetoSegments().run(problem, Control()).frontier.area
    assert found.ending == "interrupted"
    assert found.gap is not None
    assert found.gap > 0
    assert found.frontier.area - found.gap - 1e-9 <= true <= found.frontier.area + 1e-9


def test_the_area_that_is_reported_never_grows() -> None:
    """Nor does the number evaluated shrink."""
    problem = FrontierProblem(instance(1))
    seen: list[tuple[int, float]] = []
    search(problem, Control(watch=lambda number, frontier: seen.append((number, frontier.area))))
    assert seen
    numbers, areas = zip(*seen, strict=True)
    assert list(numbers) == sorted(numbers)
    assert list(areas) == sorted(areas, reverse=True)


def test_the_grid_holds_no_policy_twice_and_neither_end() -> None:
    """At most 256, whatever the domains are."""
    for sizes in ((121, 2, 7, 120), (9, 2, 1, 1), (3, 2, 2, 2), (20, 20, 20, 20)):
        problem = FrontierProblem(synthetic_cells(3, sizes, 500, 5_000))
        policies = list(grid(problem))
        assert len(policies) == len(set(policies)) <= 256
        assert problem.domains.most_general not in policies
        assert problem.domains.most_specific not in policies
        assert policies


def test_a_table_that_nothing_can_be_done_to_has_one_policy() -> None:
    """One value of each attribute."""
    codes = np.zeros((2, 1), dtype=np.uint32)
    cells = Cells(OrderedDomains(("a", "b"), (1, 1)), codes, np.array([3]), np.array([5]))
    found = search(FrontierProblem(cells))
    assert [member.policy.kept for member in found.frontier] == [0]
    assert found.gap == 0.0
