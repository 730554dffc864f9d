"""Redivision: its reports about a policy agree with the cells, and it stops when nothing helps."""

from __future__ import annotations

import pytest
from effort import sparing
from frontier_cells import synthetic_cells, tiny_cells
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.quality.partition_losses import PartitionLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk
from roadstead.search.frontiers.closure import Redivision
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, FrontierRun
from roadstead.search.protocol import Control

LOSSES: list[PartitionLoss] = [
    partition_loss("divergence"),
    partition_loss("loss"),
    partition_loss("entropy"),
    partition_loss("discernibility"),
    partition_loss("class-size"),
]


class Everything(Frontier[Partition]):
    """Keeps all that it is shown, and lets nothing go."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[float, float, Partition]] = []

    def insert(self, risk: float, loss: float, policy: Partition) -> bool:
        """Take note."""
        self.seen.append((risk, loss, policy))
        return super().insert(risk, loss, policy)


def begun(problem: FrontierProblem, *policies: Partition) -> tuple[FrontierRun, Everything]:
    """Put the ends and some policies on a frontier."""
    frontier = Everything()
    for policy in (problem.domains.most_specific, problem.domains.most_general, *policies):
        frontier.insert(*problem.point(policy), policy)
    return FrontierRun(problem, Control(), frontier), frontier


@sparing
@given(
    cells=tiny_cells(),
    kept=st.integers(0, 255),
    loss=st.sampled_from(LOSSES),
    risk=st.sampled_from([PopulationRisk(), PopulationRisk(0.5), RecordsAtRisk(3)]),
)
def test_every_policy_told_of_has_its_own_point(
    cells: Cells, kept: int, loss: PartitionLoss, risk: PopulationRisk | RecordsAtRisk
) -> None:
    """Flips and new divisions are both evaluated from the cells."""
    problem = FrontierProblem(cells, risk, loss)
    some = Partition(kept & problem.domains.most_specific.kept)
    run, frontier = begun(problem, some)
    redivision = Redivision(run)
    for _ in range(3):
        redivision.step()
    for told_risk, told_loss, policy in frontier.seen:
        point = problem.point(policy)
        assert (told_risk, told_loss) == pytest.approx((point.risk, point.loss), abs=1e-9)


@sparing
@given(cells=tiny_cells())
def test_at_the_end_no_change_of_a_boundary_improves_the_frontier(cells: Cells) -> None:
    """Each member with each boundary changed is dominated, or is a member."""
    problem = FrontierProblem(cells)
    run, frontier = begun(problem)
    redivision = Redivision(run)
    while redivision.step():
        pass
    assert not redivision.step()
    for member in frontier:
        for boundary in range(problem.domains.boundaries):
            risk, loss = problem.point(Partition(member.policy.kept ^ (1 << boundary)))
            assert frontier.dominates(risk + 1e-9, loss + 1e-9)


def test_the_best_division_of_one_attribute_is_found_at_once() -> None:
    """From everything merged, without any chain; the reports are counted."""
    problem = FrontierProblem(synthetic_cells(2, (12, 1, 1, 1), 200, 2_000))
    run, frontier = begun(problem)
    redivision = Redivision(run)
    assert redivision.step()
    assert run.evaluated == 12
    assert run.derived >= 11
    assert len(frontier) > 2


def test_an_attribute_of_one_value_is_passed_over() -> None:
    """It has nothing to divide."""
    problem = FrontierProblem(synthetic_cells(2, (12, 2, 1, 1), 20, 200))
    run, _ = begun(problem)
    redivision = Redivision(run)
    assert redivision.step()
    assert run.evaluated == 12 + 2
