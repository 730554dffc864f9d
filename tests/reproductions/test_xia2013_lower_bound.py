from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from effort import sparing
from frontier_cells import every_policy, synthetic_cells, tiny_cells
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.partition_losses import PartitionLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, Risk
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead_reproductions.xia2013.lower_bound import gap, lower_bound, lower_staircase

RISKS: list[Risk] = [PopulationRisk(), PopulationRisk(2.0), RecordsAtRisk(3)]
LOSSES: list[PartitionLoss] = [
    partition_loss("divergence"),
    partition_loss("loss"),
    partition_loss("discernibility"),
    partition_loss("class-size"),
]
PRICES = (0.01, 0.2, 1.0, 5.0)


@st.composite
def problems(draw: st.DrawFn) -> FrontierProblem:
    """Tiny tables of one to four attributes, and all sums."""
    return FrontierProblem(
        draw(tiny_cells(8)), draw(st.sampled_from(RISKS)), draw(st.sampled_from(LOSSES))
    )


@pytest.mark.nightly
@sparing
@given(problems())
def test_no_policy_costs_less_than_the_bound(problem: FrontierProblem) -> None:
    """For every price, against every policy."""
    bound = lower_bound(problem, PRICES)
    points = [problem.point(policy) for policy in every_policy(problem.domains)]
    for price, cost in zip(PRICES, bound.costs, strict=True):
        assert cost <= min(point.risk + price * point.loss for point in points) + 1e-9


@sparing
@given(problems())
def test_no_policy_lies_below_the_staircase(problem: FrontierProblem) -> None:
    lower = lower_staircase(problem, PRICES)
    frontier: Frontier[Partition] = Frontier()
    for policy in every_policy(problem.domains):
        risk, loss = problem.point(policy)
        assert lower.dominates(risk + 1e-9, loss + 1e-9)
        frontier.insert(risk, loss, policy)
    assert lower.area <= frontier.area + 1e-9
    assert gap(frontier, lower) == pytest.approx(max(0.0, frontier.area - lower.area))


@pytest.mark.nightly
@sparing
@given(st.integers(0, 1000), st.sampled_from(LOSSES))
def test_one_attribute_without_gaps_is_bounded_exactly(seed: int, loss: PartitionLoss) -> None:
    random = np.random.default_rng(seed)
    records = random.integers(1, 4, 7)
    domains = OrderedDomains(("age", "sex"), (7, 1))
    codes = np.array([range(7), [0] * 7], dtype=np.uint32)
    cells = Cells(domains, codes, records, records + random.integers(0, 9, 7))
    problem = FrontierProblem(cells, loss=loss)
    points = [problem.point(policy) for policy in every_policy(domains)]
    least = [min(point.risk + price * point.loss for point in points) for price in PRICES]
    assert lower_bound(problem, PRICES).costs == pytest.approx(least, abs=1e-9)


def test_two_attributes_are_bounded_by_slabs_cut_each_in_its_own_way() -> None:
    """Against the enumeration of all such cuts, on a full grid of 4 by 3."""
    random = np.random.default_rng(3)
    records = random.integers(1, 5, (3, 4))
    people = records + random.integers(0, 20, (3, 4))
    codes = np.array(list(product(range(3), range(4))), dtype=np.uint32).T.copy()
    domains = OrderedDomains(("sex", "age"), (3, 4))
    problem = FrontierProblem(Cells(domains, codes, records.ravel(), people.ravel()))
    greatest = (records / people).sum()
    total = records.sum()

    def cost(rows: range, columns: range, price: float) -> float:
        box = np.ix_(rows, columns)
        f, g, volume = records[box].sum(), people[box].sum(), len(rows) * len(columns)
        own = records[box].astype(float)
        divergence = float((own * np.log(own)).sum() - f * np.log(f / volume)) / total
        return float(f / g / greatest + price * divergence / problem.greatest_loss)

    def cuts(size: int) -> list[list[range]]:
        found = []
        for bits in product([False, True], repeat=size - 1):
            firsts = [0, *(i + 1 for i, kept in enumerate(bits) if kept)]
            ends = [*firsts[1:], size]
            found.append([range(*pair) for pair in zip(firsts, ends, strict=True)])
        return found

    for price, bound in zip(PRICES, lower_bound(problem, PRICES).costs, strict=True):
        least = min(
            sum(
                min(sum(cost(rows, columns, price) for columns in cut) for cut in cuts(4))
                for rows in slabs
            )
            for slabs in cuts(3)
        )
        assert bound == pytest.approx(least, abs=1e-9)


def test_the_bound_is_of_use_on_four_attributes() -> None:
    """It is more than half of what the best policy of each price costs."""
    problem = FrontierProblem(synthetic_cells(2, (5, 2, 3, 4), 200, 900))
    points = np.array([problem.point(policy) for policy in every_policy(problem.domains)])
    for price, cost in zip(PRICES, lower_bound(problem, PRICES).costs, strict=True):
        least = (points[:, 0] + price * points[:, 1]).min()
        assert 0.5 * least < cost <= least + 1e-12


def test_what_cannot_be_bounded_is_refused() -> None:
    cells = synthetic_cells(2, (5, 2, 3, 4), 200, 900)
    with pytest.raises(SettingError, match="'entropy' has terms of whole intervals"):
        lower_bound(FrontierProblem(cells, loss=partition_loss("entropy")))
    domains = OrderedDomains(("a", "b"), (10_000, 10_000))
    one = Cells(domains, np.zeros((2, 1), np.uint32), np.array([1]), np.array([1]))
    with pytest.raises(SettingError, match="values"):
        lower_bound(FrontierProblem(one))
