"""The problem of the frontier, points as shares, and how a search is steered."""

from __future__ import annotations

import pytest
from effort import unhurried
from frontier_cells import tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import (
    LOSSES,
    RISKS,
    Definition,
    RarestRecord,
    any_policy,
    cells_of,
    divergence,
    population_risk,
)

from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.quality.partition_losses import SummedLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, SummedRisk
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, report_frontier
from roadstead.search.protocol import Control, Progress

WORKED = [
    ("1111", 1.0, 0.0),
    ("0111", 0.724206, 0.123292),
    ("1011", 0.6875, 0.099021),
    ("1101", 0.781746, 0.099021),
    ("1110", 0.46875, 0.222313),
    ("0101", 0.505952, 0.222313),
    ("0100", 0.232684, 0.321334),
    ("0001", 0.232684, 0.321334),
    ("0000", 0.116667, 0.331573),
]


@pytest.mark.parametrize(("bits", "risk", "nats"), WORKED)
def test_points_of_the_worked_example(bits: str, risk: float, nats: float) -> None:
    """Risk by 2.4, divergence by that of one class; from six decimals."""
    problem = FrontierProblem(worked_cells())
    point = problem.point(problem.domains.of_bits([int(bit) for bit in bits]))
    assert point.risk == pytest.approx(risk, abs=6e-7)
    assert point.loss == pytest.approx(nats / 0.331573, abs=4e-6)


def test_the_usual_measures_are_those_of_the_paper() -> None:
    """Expected re-identifications, and divergence, in their own units."""
    problem = FrontierProblem(worked_cells())
    assert problem.risk == PopulationRisk()
    assert problem.loss == partition_loss("divergence")
    assert problem.greatest_risk == pytest.approx(2.4, rel=1e-12)
    assert problem.greatest_loss == pytest.approx(0.331573, abs=6e-7)
    assert problem.least_loss == pytest.approx(0.0, abs=1e-12)
    assert problem.shares(1.2, problem.greatest_loss) == pytest.approx((0.5, 1.0))


@unhurried
@given(
    cells=tiny_cells(),
    risk=st.sampled_from(RISKS),
    loss=st.sampled_from(LOSSES),
    data=st.data(),
)
def test_points_are_shares_of_the_ends(
    cells: Cells,
    risk: tuple[SummedRisk, Definition],
    loss: tuple[SummedLoss, Definition],
    data: st.DataObject,
) -> None:
    """Shares of the risk of the data, and of the range of the loss, by the definitions."""
    problem = FrontierProblem(cells, risk[0], loss[0])
    policy = data.draw(any_policy(cells))
    bottom, top = cells.domains.most_specific, cells.domains.most_general
    most = risk[1](cells, bottom)
    least, greatest = loss[1](cells, bottom), loss[1](cells, top)
    point = problem.point(policy)
    assert point.risk == pytest.approx(risk[1](cells, policy) / (most or 1.0), abs=1e-11)
    span = greatest - least if greatest - least > 1e-9 else 1.0
    assert point.loss == pytest.approx((loss[1](cells, policy) - least) / span, abs=1e-11)
    assert -1e-12 <= point.risk <= 1 + 1e-12
    assert -1e-12 <= point.loss <= 1 + 1e-12
    assert problem.point(bottom).loss == pytest.approx(0.0, abs=1e-12)
    if most > 0:
        assert problem.point(bottom).risk == pytest.approx(1.0)
    if greatest - least > 1e-9:
        assert problem.point(top).loss == pytest.approx(1.0)


@unhurried
@given(tiny_cells(), st.data())
def test_usual_points_are_those_of_the_definition(cells: Cells, data: st.DataObject) -> None:
    """Paper 000, equations 2 and 4."""
    problem = FrontierProblem(cells)
    policy = data.draw(any_policy(cells))
    most = population_risk(cells, cells.domains.most_specific)
    greatest = divergence(cells, cells.domains.most_general)
    risk, loss = problem.point(policy)
    assert risk == pytest.approx(population_risk(cells, policy) / most, abs=1e-12)
    unit = greatest if greatest > 1e-12 else 1.0  # below it is a sum of zeros
    assert loss == pytest.approx(divergence(cells, policy) / unit, abs=1e-11)


def test_nothing_to_share_is_no_share() -> None:
    """No one at risk, and one value in each domain: both are 0, and nothing is divided by 0."""
    cells = cells_of((1, 1), {(0, 0): (2, 9)})
    problem = FrontierProblem(cells, RecordsAtRisk(5))
    assert problem.risk_unit == problem.loss_unit == 1.0
    assert problem.point(Partition(0)) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_an_even_table_loses_nothing() -> None:
    """If all combinations are equally frequent, rounding is not a unit."""
    cells = cells_of((3, 7), {(a, b): (3, 5) for a in range(3) for b in range(7)})
    problem = FrontierProblem(cells)
    assert problem.loss_unit == 1.0
    assert problem.point(Partition(0)).loss == pytest.approx(0.0, abs=1e-12)
    assert problem.point(Partition(0)).risk == pytest.approx(1 / 21)


def test_a_risk_that_is_no_sum_has_points() -> None:
    """One over the fewest people: 2, and 3 when the sexes are joined."""
    problem = FrontierProblem(worked_cells(), RarestRecord())
    assert problem.greatest_risk == 0.5
    assert problem.point(problem.domains.of_bits([1, 1, 1, 0])).risk == pytest.approx(2 / 3)


def test_a_search_ends_by_its_budget_its_time_or_when_told_to() -> None:
    """The budget is looked at first."""
    assert Control().ending(10**9) is None
    assert Control(budget=5).ending(4) is None
    assert Control(budget=5).ending(5) == "budget"
    assert Control(budget=5, stopped=lambda: True).ending(6) == "budget"
    assert Control(budget=5, stopped=lambda: True).ending(4) == "interrupted"
    late = Control(time_limit=0.0)
    late.begin()
    assert late.ending(0) == "time limit"
    early = Control(time_limit=1e6)
    early.begin()
    assert early.ending(0) is None


class Clock(Control):
    """Seconds as they are set."""

    now = 0.0

    @property
    def seconds(self) -> float:
        """Time of the clock."""
        return self.now


def test_a_watcher_is_told_always_and_a_reporter_now_and_then() -> None:
    """At most every tenth of a second, from the first policy on, in each search."""
    frontier: Frontier[Partition] = Frontier()
    frontier.insert(0.5, 0.5, Partition(0))
    watched: list[int] = []
    reported: list[Progress] = []
    clock = Clock(watch=lambda n, _: watched.append(n), report=reported.append)
    for _ in range(2):
        clock.now = 0.0
        clock.begin()
        for evaluated in range(5):
            clock.now = evaluated * 0.0625
            report_frontier(clock, evaluated, frontier)
    assert watched == [*range(5), *range(5)]
    area = 0.75
    assert (
        reported
        == [
            Progress(0, 0.0, members=1, area=area),
            Progress(2, 0.125, members=1, area=area),
            Progress(4, 0.25, members=1, area=area),
        ]
        * 2
    )
