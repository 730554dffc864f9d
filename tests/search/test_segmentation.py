from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from effort import sparing, unhurried
from frontier_cells import worked_cells
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, Risk
from roadstead.search.frontiers.frontier import Point
from roadstead.search.frontiers.interval_costs import IntervalCounter
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.frontiers.segmentation import PRICES, Segmentation, descend, descent
from roadstead.search.protocol import Control

RISKS: list[Risk] = [PopulationRisk(), PopulationRisk(0.5), RecordsAtRisk(3)]
LOSSES: list[Any] = [
    partition_loss("divergence"),
    partition_loss("loss"),
    partition_loss("entropy"),
    partition_loss("discernibility"),
    partition_loss("class-size"),
]


@st.composite
def problems(draw: st.DrawFn, most: int = 8) -> FrontierProblem:
    """Two or three attributes, the first of up to 8 values; many cells are empty."""
    sizes = (draw(st.integers(1, most)), *draw(st.lists(st.integers(1, 3), min_size=1, max_size=2)))
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    cells = np.array(list(product(*map(range, sizes))), dtype=np.uint32)
    cells = cells[random.random(len(cells)) < draw(st.sampled_from([0.4, 1.0]))]
    if not len(cells):
        cells = np.zeros((1, len(sizes)), dtype=np.uint32)
    records = random.poisson(0.8, len(cells)).astype(np.int64)
    records[0] += 1
    people = records + random.poisson(1.5, len(cells))
    some = people > 0
    domains = OrderedDomains(tuple("abc"[: len(sizes)]), sizes)
    found = Cells(domains, cells[some].T.copy(), records[some], people[some])
    return FrontierProblem(found, draw(st.sampled_from(RISKS)), draw(st.sampled_from(LOSSES)))


def partitions_of(problem: FrontierProblem) -> st.SearchStrategy[Partition]:
    """Any policy."""
    return st.integers(0, problem.domains.most_specific.kept).map(Partition)


def of_attribute(problem: FrontierProblem, partition: Partition, attribute: int) -> list[Partition]:
    """Every way to divide one attribute while the others stay."""
    begin, end = problem.domains.offsets[attribute : attribute + 2]
    others = partition.kept & ~((1 << end) - (1 << begin))
    return [Partition(others | own << begin) for own in range(1 << (end - begin))]


def cost(point: Point, price: float) -> float:
    """The quantity that the descent minimizes."""
    return point.risk + price * point.loss


@unhurried
@given(st.data())
def test_interval_costs_add_up_to_the_points_of_policies(data: st.DataObject) -> None:
    """For every measure, every attribute and every partition of it."""
    problem = data.draw(problems(6))
    partition = data.draw(partitions_of(problem))
    counter = IntervalCounter(problem)
    for attribute in range(len(problem.domains.sizes)):
        costs = counter.costs(partition, attribute)
        for other in of_attribute(problem, partition, attribute):
            intervals = problem.domains.intervals(other)[attribute]
            firsts = np.array([first for first, _ in intervals])
            assert costs.point(firsts) == pytest.approx(problem.point(other), abs=1e-9)


@unhurried
@given(st.data())
def test_a_step_finds_the_best_of_all_partitions_of_an_attribute(data: st.DataObject) -> None:
    problem = data.draw(problems())
    partition = data.draw(partitions_of(problem))
    price = data.draw(st.sampled_from([0.01, 0.3, 1.0, 20.0]))
    costs = IntervalCounter(problem).costs(partition, 0)
    found = cost(costs.point(costs.cheapest(price)), price)
    every = [cost(problem.point(p), price) for p in of_attribute(problem, partition, 0)]
    assert found == pytest.approx(min(every), abs=1e-9)


@unhurried
@given(st.data())
def test_a_descent_never_worsens_and_ends_where_no_attribute_can_be_bettered(
    data: st.DataObject,
) -> None:
    problem = data.draw(problems(6))
    start = data.draw(partitions_of(problem))
    price = data.draw(st.sampled_from([0.01, 0.3, 1.0, 20.0]))
    costs = [cost(problem.point(start), price)]
    for step in descent(IntervalCounter(problem), start, price):
        assert step.point == pytest.approx(problem.point(step.partition), abs=1e-9)
        costs.append(cost(step.point, price))
    assert all(after <= before + 1e-9 for before, after in pairwise(costs))
    end = descend(problem, start, price)
    reached = cost(problem.point(end), price)
    assert reached == pytest.approx(costs[-1], abs=1e-9)
    for attribute in range(len(problem.domains.sizes)):
        every = [cost(problem.point(p), price) for p in of_attribute(problem, end, attribute)]
        assert reached <= min(every) + 1e-9


@sparing
@given(problems(6))
def test_a_sweep_tells_true_points_that_do_not_dominate_each_other(
    problem: FrontierProblem,
) -> None:
    """Both ends are always there, and each price's descent is on the frontier or bettered."""
    counts: list[int] = []
    outcome = Segmentation().run(
        problem, Control(watch=lambda evaluated, _: counts.append(evaluated))
    )
    assert outcome.ending == "complete"
    assert counts == sorted(counts)
    assert counts[-1:] in ([], [outcome.evaluated])
    for member in outcome.frontier:
        assert problem.point(member.policy) == pytest.approx((member.risk, member.loss), abs=1e-9)
    assert (np.diff(outcome.frontier.risks) > 0).all()
    assert (np.diff(outcome.frontier.losses) < 0).all()
    for end in (problem.domains.most_general, problem.domains.most_specific):
        assert outcome.frontier.dominates(*problem.point(end))
    own = problem.point(descend(problem, problem.domains.most_specific, PRICES[-1]))
    least = min(cost(Point(m.risk, m.loss), PRICES[-1]) for m in outcome.frontier)
    assert least <= cost(own, PRICES[-1]) + 1e-9


def worked_example() -> FrontierProblem:
    """Four ages and two sexes: all 16 policies are known."""
    return FrontierProblem(worked_cells())


def test_the_worked_example_gives_supported_points_of_its_known_frontier() -> None:
    """The sweep finds some of the eight known points."""
    known = [0.1167, 0.2327, 0.2525, 0.2543, 0.3393, 0.4291, 0.6875, 1.0]
    outcome = Segmentation().run(worked_example(), Control())
    assert {round(float(risk), 4) for risk in outcome.frontier.risks} <= set(known)
    assert outcome.frontier.area == pytest.approx(0.595743, abs=0.06)


def test_a_budget_ends_the_sweep_after_the_step_begun() -> None:
    problem = worked_example()
    outcome = Segmentation().run(problem, Control(budget=3))
    assert outcome.ending == "budget"
    assert 3 <= outcome.evaluated <= 2 + 4 + 24
    stopped = Segmentation().run(problem, Control(stopped=lambda: True))
    assert stopped.ending == "interrupted"


def test_where_nothing_can_be_divided_there_is_one_policy() -> None:
    domains = OrderedDomains(("a",), (1,))
    cells = Cells(domains, np.zeros((1, 1), np.uint32), np.array([2]), np.array([5]))
    outcome = Segmentation().run(FrontierProblem(cells), Control())
    assert [member.policy for member in outcome.frontier] == [Partition(0)]


def test_large_tables_of_groups_are_counted_by_sorting() -> None:
    """Three long domains have more boxes than can be addressed one by one."""
    random = np.random.default_rng(5)
    codes = random.integers(0, 300, (3, 200)).astype(np.uint32)
    records = np.asarray(random.poisson(0.5, codes.shape[1]), dtype=np.int64)
    records[0] += 1
    cells = Cells(OrderedDomains(tuple("abc"), (300, 300, 300)), codes, records, records + 1)
    problem = FrontierProblem(cells)
    partition = problem.domains.of_bits(random.random(problem.domains.boundaries) < 0.5)
    costs = IntervalCounter(problem).costs(partition, 1)
    firsts = np.array([first for first, _ in problem.domains.intervals(partition)[1]])
    assert costs.point(firsts) == pytest.approx(problem.point(partition), abs=1e-9)


def test_measures_that_are_no_sums_are_refused() -> None:
    class Greatest:
        name = "greatest"

    problem = worked_example()
    with pytest.raises(SettingError, match="'greatest' is not a sum"):
        IntervalCounter(FrontierProblem(problem.cells, risk=Greatest()))  # type: ignore[arg-type] # the wrong one
