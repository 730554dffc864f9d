from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from effort import sparing
from frontier_cells import every_policy, synthetic_cells, tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.partition_losses import PartitionLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, Risk
from roadstead.search.frontiers.frontier import CLOSE, Frontier
from roadstead.search.frontiers.pareto_segments import ParetoSegments, partitions_of_others
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem
from roadstead.search.protocol import Control

RISKS: list[Risk] = [PopulationRisk(), PopulationRisk(2.0), RecordsAtRisk(3)]
LOSSES: list[PartitionLoss] = [
    partition_loss("divergence"),
    partition_loss("loss"),
    partition_loss("entropy"),
    partition_loss("discernibility"),
    partition_loss("class-size"),
]


@st.composite
def problems(draw: st.DrawFn, boundaries: int = 8) -> FrontierProblem:
    """Tiny tables and all sums."""
    return FrontierProblem(
        draw(tiny_cells(boundaries)), draw(st.sampled_from(RISKS)), draw(st.sampled_from(LOSSES))
    )


def enumerated(problem: FrontierProblem) -> Frontier[Partition]:
    """Judge every policy."""
    frontier: Frontier[Partition] = Frontier()
    for policy in every_policy(problem.domains):
        frontier.insert(*problem.point(policy), policy)
    return frontier


def same_staircase(one: Frontier[Partition], other: Frontier[Partition], close: float) -> bool:
    """Whether each frontier covers the other, except for rounding."""
    return all(
        by.dominates(member.risk + close, member.loss + close)
        for by, of in ((one, other), (other, one))
        for member in of
    )


def lower_of(found: FrontierOutcome[Partition]) -> Frontier[Any]:
    """Staircase that no policy is below."""
    assert found.lower is not None
    return found.lower


def gap_of(found: FrontierOutcome[Partition]) -> float:
    """Area between the staircases."""
    assert found.gap is not None
    return found.gap


@sparing
@given(problems())
def test_the_frontier_is_that_of_all_policies(problem: FrontierProblem) -> None:
    """Against the enumeration; nothing lies between the staircases."""
    found = ParetoSegments().run(problem, Control())
    assert found.ending == "complete"
    assert same_staircase(found.frontier, enumerated(problem), 1e-9)
    assert gap_of(found) <= 1e-9
    for member in found.frontier:
        assert problem.point(member.policy) == pytest.approx((member.risk, member.loss), abs=1e-9)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(3))
def test_twelve_boundaries_are_searched_as_by_enumeration(seed: int) -> None:
    cells = synthetic_cells(seed, (8, 2, 3, 3), 60, 400)
    problem = FrontierProblem(cells)
    assert problem.domains.boundaries == 12
    found = ParetoSegments().run(problem, Control())
    expected = enumerated(problem)
    assert same_staircase(found.frontier, expected, 1e-10)
    assert found.frontier.area == pytest.approx(expected.area, abs=1e-9)
    assert len(found.frontier) == len(expected)


@sparing
@given(problems(), st.integers(0, 3))
def test_any_attribute_may_be_the_long_one(problem: FrontierProblem, attribute: int) -> None:
    attribute %= len(problem.domains.sizes)
    found = ParetoSegments(attribute).run(problem, Control())
    assert same_staircase(found.frontier, enumerated(problem), 1e-9)


@sparing
@given(problems(), st.sampled_from([1e-3, 0.05, 0.3]))
def test_with_a_width_no_policy_lies_below_the_lower_staircase(
    problem: FrontierProblem, width: float
) -> None:
    """And what is found is true."""
    found = ParetoSegments(width=width).run(problem, Control())
    expected = enumerated(problem)
    for member in expected:
        assert lower_of(found).dominates(member.risk + 1e-9, member.loss + 1e-9)
    assert lower_of(found).area - 1e-9 <= expected.area <= found.frontier.area + 1e-9
    for member in found.frontier:
        assert problem.point(member.policy) == pytest.approx((member.risk, member.loss), abs=1e-9)


@sparing
@given(problems(), st.integers(0, 12))
def test_stopped_anywhere_the_lower_staircase_holds(problem: FrontierProblem, after: int) -> None:
    """Policies not searched lie above its hull, and nothing is claimed about those not weighed."""
    asked = iter(range(after))
    control = Control(stopped=lambda: next(asked, None) is None)
    found = ParetoSegments().run(problem, control)
    for member in enumerated(problem):
        assert lower_of(found).dominates(member.risk + 1e-9, member.loss + 1e-9)
    assert gap_of(found) <= found.frontier.area + CLOSE


def test_hulls_alone_leave_less_than_half_of_the_area_open() -> None:
    """Stopped when all ways have been weighed, and before any label."""
    problem = FrontierProblem(synthetic_cells(1, (20, 2, 3, 1), 300, 3000))
    asked = iter(range(8))
    control = Control(stopped=lambda: next(asked, None) is None)
    found = ParetoSegments().run(problem, control)
    assert found.ending == "interrupted"
    exact = ParetoSegments().run(problem, Control()).frontier.area
    assert 0.5 * exact < lower_of(found).area <= exact + 1e-9
    assert exact <= found.frontier.area


def test_too_many_labels_are_thinned_and_the_gap_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = FrontierProblem(synthetic_cells(1, (20, 2, 3, 1), 300, 3000))
    exact = ParetoSegments().run(problem, Control()).frontier.area
    monkeypatch.setattr("roadstead.search.frontiers.pareto_segments._MOST_LABELS", 400)
    found = ParetoSegments().run(problem, Control())
    assert lower_of(found).area <= exact + 1e-12 <= found.frontier.area + 2e-12
    assert 0 < gap_of(found) < 0.2 * exact


def test_the_worked_example_has_its_known_frontier() -> None:
    found = ParetoSegments().run(FrontierProblem(worked_cells()), Control())
    known = [0.1167, 0.2327, 0.2525, 0.2543, 0.3393, 0.4291, 0.6875, 1.0]
    assert [round(member.risk, 4) for member in found.frontier] == known
    assert found.frontier.area == pytest.approx(0.595743, abs=1e-6)
    assert found.evaluated >= 2 + 2 * 4


def test_every_way_to_divide_the_others_occurs_once() -> None:
    domains = OrderedDomains(tuple("abc"), (3, 4, 2))
    ways = partitions_of_others(domains, 1)
    kept = {way.kept for way in ways}
    assert len(kept) == len(ways) == 8
    assert all(not any(boundary in way for boundary in (2, 3, 4)) for way in ways)


def test_a_budget_and_reports_are_kept() -> None:
    problem = FrontierProblem(worked_cells())
    counts: list[int] = []
    steering = Control(budget=5, watch=lambda evaluated, _: counts.append(evaluated))
    found = ParetoSegments().run(problem, steering)
    assert found.ending == "budget"
    assert all(a <= b for a, b in pairwise(counts))


def test_too_many_ways_to_divide_the_others_are_refused() -> None:
    codes = np.zeros((2, 1), np.uint32)
    cells = Cells(OrderedDomains(("age", "zip"), (20, 30)), codes, np.array([1]), np.array([1]))
    with pytest.raises(SettingError, match=r"other than 'zip' can be divided in 2\^19 ways"):
        ParetoSegments().run(FrontierProblem(cells), Control())
    with pytest.raises(SettingError, match="below 0"):
        ParetoSegments(width=-1.0)


def test_what_cannot_be_lost_is_no_rounding_error_writ_large() -> None:
    """A table spread evenly loses nothing however it is cut, so one interval is best."""
    domains = OrderedDomains(("age", "sex"), (20, 2))
    codes = np.array([[i // 2 for i in range(40)], [i % 2 for i in range(40)]], np.uint32)
    three = np.full(40, 3, np.int64)
    found = ParetoSegments().run(FrontierProblem(Cells(domains, codes, three, three)), Control())
    assert [member.policy for member in found.frontier] == [domains.most_general]
    assert gap_of(found) == 0.0
