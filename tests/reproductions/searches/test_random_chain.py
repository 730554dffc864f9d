from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from effort import sparing
from frontier_cells import every_policy, shares_by_definition, synthetic_cells, tiny_cells
from frontier_cells import worked_cells as worked
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem
from roadstead.search.protocol import Control
from roadstead_reproductions.searches.random_chain import Chains, RandomChain, random_chain

SMALL = synthetic_cells(seed=3, sizes=(25, 2, 4, 20), records=400, people=6_000)
"""47 boundaries; a chain has 48 policies."""


def members(outcome: FrontierOutcome[Partition]) -> list[tuple[float, float, int]]:
    """Everything about the frontier."""
    return [(one.risk, one.loss, one.policy.kept) for one in outcome.frontier]


def test_a_chain_puts_its_policies_on_the_frontier_with_their_worked_numbers() -> None:
    """The chain 111|1, 011|1, 010|1, 000|1, 000|0 of the example."""
    chains = Chains(FrontierProblem(worked()), Control())
    assert chains.follow(Partition(0b1111), np.array([0, 2, 1, 3])) is None
    assert chains.evaluated == 5
    assert [one.policy.kept for one in chains.frontier] == [0, 0b1000, 0b1010, 0b1110, 0b1111]
    assert [one.risk for one in chains.frontier] == pytest.approx(
        [0.116667, 0.232684, 0.505952, 0.724206, 1.0], abs=5e-7
    )
    assert [one.loss for one in chains.frontier] == pytest.approx(
        [loss / 0.331573 for loss in (0.331573, 0.321334, 0.222313, 0.123292, 0.0)], abs=5e-6
    )


def test_the_budget_of_the_paper_is_twenty_chains() -> None:
    """14,780 evaluations are 20 chains of the 739 policies between the ends of 738 boundaries."""
    cells = synthetic_cells(records=2_000, people=20_000)
    outcome = RandomChain().run(FrontierProblem(cells), Control(budget=739))
    assert outcome.evaluated == 739 == 14_780 // 20
    told: list[int] = []
    outcome = RandomChain().run(
        FrontierProblem(SMALL), Control(budget=20 * 48, watch=lambda n, _: told.append(n))
    )
    assert (outcome.evaluated, outcome.ending) == (20 * 48, "budget")
    assert told[0] == 0  # top and bottom
    assert told == sorted(told)
    assert set(range(48, 20 * 48 + 1, 48)) <= set(told)


def test_a_budget_does_not_break_a_chain_off() -> None:
    """A chain that has begun is finished."""
    outcome = RandomChain().run(FrontierProblem(SMALL), Control(budget=49))
    assert (outcome.evaluated, outcome.ending) == (96, "budget")
    assert RandomChain().run(FrontierProblem(SMALL), Control(budget=0)).evaluated == 0


def test_a_first_chain_may_be_the_initial_frontier_and_is_counted() -> None:
    """Then a budget of two chains leaves one."""
    search = RandomChain(seed=1, initial=random_chain)
    assert search.run(FrontierProblem(SMALL), Control(budget=48)).evaluated == 48
    assert search.run(FrontierProblem(SMALL), Control(budget=96)).evaluated == 96


@sparing
@given(tiny_cells(boundaries=4), st.integers(0, 9))
def test_it_is_complete_when_every_policy_was_met(cells: Cells, seed: int) -> None:
    """Then the frontier dominates all policies, and its members are what they are said to be."""
    outcome = RandomChain(seed).run(FrontierProblem(cells), Control())
    assert outcome.ending == "complete"
    for policy in every_policy(cells.domains):
        risk, loss = shares_by_definition(cells, policy)
        assert outcome.frontier.dominates(risk + 1e-11, loss + 1e-11)
    for one in outcome.frontier:
        assert (one.risk, one.loss) == pytest.approx(
            shares_by_definition(cells, one.policy), rel=0, abs=1e-11
        )


def test_a_seed_repeats_a_run_and_another_does_not() -> None:
    """Chance comes from the seed alone."""
    problem = FrontierProblem(SMALL)
    runs = [RandomChain(seed).run(problem, Control(budget=200)) for seed in (5, 5, 6)]
    assert members(runs[0]) == members(runs[1])
    assert members(runs[0]) != members(runs[2])


def test_it_stops_in_the_middle_of_a_chain_when_told_to() -> None:
    """With what was found so far."""
    asked = count()
    outcome = RandomChain().run(FrontierProblem(SMALL), Control(stopped=lambda: next(asked) >= 3))
    assert outcome.ending == "interrupted"
    assert 0 < outcome.evaluated < 48
    assert len(outcome.frontier) > 2


def test_a_time_limit_ends_it() -> None:
    """No time leaves the top and the bottom."""
    outcome = RandomChain().run(FrontierProblem(SMALL), Control(time_limit=0.0))
    assert (outcome.ending, outcome.evaluated) == ("time limit", 0)
    assert [one.policy.kept for one in outcome.frontier] == [0, (1 << 47) - 1]


def test_the_frontier_told_while_searching_only_gets_better() -> None:
    """The area never grows."""
    areas: list[float] = []

    def watch(_: int, frontier: Frontier[Partition]) -> None:
        areas.append(frontier.area)

    RandomChain().run(FrontierProblem(SMALL), Control(budget=300, watch=watch))
    assert areas == sorted(areas, reverse=True)
    assert areas[0] > areas[-1]
