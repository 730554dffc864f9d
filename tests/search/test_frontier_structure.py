"""The frontier against brute force over lists: dominance, the staircase, areas and shares."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from effort import thorough, unhurried
from frontier_cells import every_policy, worked_cells
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier, Member, Point
from roadstead.search.frontiers.protocol import FrontierProblem

GRID = 8
"""Points lie on eighths, a little off them by rounding, and now and then outside of the square."""


@st.composite
def shares(draw: st.DrawFn) -> float:
    """An eighth, from below 0 to above 1, or within rounding of it."""
    return draw(st.integers(-1, GRID + 1)) / GRID + draw(st.sampled_from([0, 0, 1e-13, -1e-13]))


points = st.builds(Point, shares(), shares())
many = st.lists(points, max_size=25)


def snapped(share: float) -> int:
    """Eighths, without the rounding."""
    return round(share * GRID)


def staircase(found: Iterable[tuple[float, float]]) -> list[tuple[int, int]]:
    """The points in eighths that no other point dominates, by brute force over all pairs."""
    places = {(snapped(risk), snapped(loss)) for risk, loss in found}
    return sorted(
        (r, u)
        for r, u in places
        if not any(r2 <= r and u2 <= u and (r2, u2) != (r, u) for r2, u2 in places)
    )


def built(found: Iterable[Point]) -> Frontier[int]:
    """Insert one by one; policies are places in the list."""
    frontier: Frontier[int] = Frontier()
    for place, (risk, loss) in enumerate(found):
        frontier.insert(risk, loss, place)
    return frontier


def corners(frontier: Frontier[int]) -> list[tuple[int, int]]:
    """The members in eighths."""
    return [(snapped(risk), snapped(loss)) for risk, loss, _ in frontier]


def worked() -> Frontier[str]:
    """The four points of the worked numbers."""
    frontier: Frontier[str] = Frontier()
    for risk, loss in [(1.0, 0.0), (0.3, 0.5), (0.1, 1.0), (0.6, 0.2)]:
        assert frontier.insert(risk, loss, f"{risk}")
    return frontier


def test_the_area_of_four_points() -> None:
    """0.1, then 0.2 at 1, 0.3 at 0.5, 0.4 at 0.2."""
    assert worked().area == pytest.approx(0.53, rel=1e-12)


@pytest.mark.parametrize(
    ("general", "specific", "share"),
    [
        ((0.20, 0.80), (0.70, 0.10), 0.571429),
        ((0.05, 1.00), (0.20, 0.60), 1.0),
        ((0.65, 0.15), (0.90, 0.05), 1.0),
        ((0.40, 0.60), (0.50, 0.50), 0.0),
        ((0.70, 0.30), (0.90, 0.25), 0.0),
    ],
)
def test_shares_outside_are_the_worked_ones(
    general: tuple[float, float], specific: tuple[float, float], share: float
) -> None:
    """Where the formula as printed gives 0.628571, 0.666667, 1.5, 0 and 0."""
    found = worked().share_outside(Point(*general), Point(*specific))
    assert found == pytest.approx(share, abs=6e-7)


def test_the_frontier_of_the_worked_example() -> None:
    """All 16 policies of four ages and two sexes; 1101 is as lossy as 1011, and riskier."""
    problem = FrontierProblem(worked_cells())
    frontier: Frontier[Partition] = Frontier()
    for policy in every_policy(problem.domains):
        frontier.insert(*problem.point(policy), policy)
    bits = ["".join(str(int(bit)) for bit in problem.domains.bits(m.policy)) for m in frontier]
    assert [found for found in bits if found not in {"0100", "0001"}] == [
        *["0000", "0010", "1000", "1100"],
        *["0011", "1011", "1111"],
    ]
    assert len(bits) == 8
    assert frontier.risks == pytest.approx(
        [0.1167, 0.2327, 0.2525, 0.2543, 0.3393, 0.4291, 0.6875, 1.0], abs=6e-5
    )
    assert frontier.losses == pytest.approx(
        [1.0, 0.9691, 0.8959, 0.7720, 0.7437, 0.4509, 0.2986, 0.0], abs=6e-5
    )
    assert frontier.area == pytest.approx(0.595743, abs=6e-7)


@thorough
@given(many)
def test_members_are_what_no_other_point_betters(found: list[Point]) -> None:
    """In ascending order of risk, and of equal points the first that came."""
    frontier = built(found)
    assert corners(frontier) == staircase(found)
    assert len(frontier) == len(list(frontier))
    assert [frontier[place] for place in range(len(frontier))] == list(frontier)
    for member in frontier:
        assert isinstance(member, Member)
        assert (member.risk, member.loss) == found[member.policy]
        corner = (snapped(member.risk), snapped(member.loss))
        assert [(snapped(r), snapped(u)) for r, u in found].index(corner) == member.policy
    for (risk, loss, _), (risker, better, _) in pairwise(frontier):
        assert risk + 1e-12 < risker
        assert loss - 1e-12 > better
    assert frontier.risks.tolist() == [m.risk for m in frontier]
    assert frontier.losses.tolist() == [m.loss for m in frontier]


@thorough
@given(many, points)
def test_insertion_tells_whether_the_point_joined(found: list[Point], new: Point) -> None:
    """It joins unless a member is as good in both."""
    frontier = built(found)
    r, u = snapped(new.risk), snapped(new.loss)
    beaten = any(snapped(r2) <= r and snapped(u2) <= u for r2, u2 in found)
    assert frontier.dominates(*new) is beaten
    assert frontier.insert(*new, -1) is not beaten
    assert (-1 in {member.policy for member in frontier}) is not beaten
    assert frontier.dominates(*new)


@thorough
@given(many, shares())
def test_the_least_loss_within_a_risk(found: list[Point], risk: float) -> None:
    """Among all points, including dominated ones; infinity below the least risk."""
    frontier = built(found)
    within = [snapped(u) / GRID for r, u in found if snapped(r) <= snapped(risk)]
    assert frontier.loss_within(risk) == pytest.approx(min(within, default=inf), abs=1e-12)
    assert frontier.losses_within(np.array([risk, risk])).tolist() == [
        frontier.loss_within(risk),
        frontier.loss_within(risk),
    ]


@thorough
@given(many, st.lists(points, max_size=40), st.data())
def test_many_points_in_any_order_give_the_staircase_of_one_by_one(
    before: list[Point], added: list[Point], data: st.DataObject
) -> None:
    """Policies consist of those that join, and belong to their points."""
    order = data.draw(st.permutations(range(len(added))))
    shuffled = [added[place] for place in order]
    frontier = built(before)
    made: list[int] = []

    def policy(at: int) -> int:
        made.append(at)
        return 1000 + at

    risks = np.array([risk for risk, _ in shuffled])
    losses = np.array([loss for _, loss in shuffled])
    improving = frontier.improving(risks, losses).tolist()
    count = frontier.insert_all(risks, losses, policy)
    assert corners(frontier) == staircase([*before, *added])
    new = [member for member in frontier if member.policy >= 1000]
    assert sorted(made) == sorted(improving)
    assert count == len(set(improving)) >= len(new)
    assert {member.policy - 1000 for member in new} <= set(improving)
    for risk, loss, policy_ in new:
        assert (risk, loss) == shuffled[policy_ - 1000]
    if len({tuple(map(snapped, point)) for point in added}) == len(added):
        assert len({(snapped(r), snapped(u)) for r, u, _ in new}) == len(new)


@thorough
@given(many, st.lists(points, max_size=40))
def test_improving_points_are_dominated_by_none(before: list[Point], added: list[Point]) -> None:
    """Neither by members nor by each other; each undominated point is reported once."""
    frontier = built(before)
    exact = [Point(snapped(r) / GRID, snapped(u) / GRID) for r, u in added]
    risks, losses = (np.array([point[i] for point in exact]) for i in range(2))
    told = [exact[at] for at in frontier.improving(risks, losses)]
    old = {(snapped(r), snapped(u)) for r, u in before}
    expected = [p for p in staircase([*before, *added]) if p not in old]
    assert [(snapped(r), snapped(u)) for r, u in told] == expected


def exact_area(found: list[tuple[int, int]]) -> float:
    """Area of the unit square under the staircase, small square by small square."""
    covered = 0
    for column in range(GRID):
        within = [u for r, u in found if r <= column]
        covered += max(0, min([GRID, *within]))
    return covered / GRID**2


@thorough
@given(many)
def test_the_area_is_counted_in_small_squares(found: list[Point]) -> None:
    """Members outside of the square count as far as they reach into it."""
    above = [Point(risk, max(loss, 0.0)) for risk, loss in found]
    assert built(above).area == pytest.approx(exact_area(staircase(above)), abs=1e-11)


def test_the_area_of_nothing_is_the_square_and_that_of_an_ideal_policy_is_none() -> None:
    """Where no policy is known the loss counts as 1."""
    frontier: Frontier[int] = Frontier()
    assert frontier.area == 1.0
    assert frontier.loss_within(1.0) == inf
    assert not frontier.dominates(1.0, 1.0)
    frontier.insert(0.0, 0.0, 1)
    assert frontier.area == 0.0


def exact_share(found: list[Point], general: Point, specific: Point) -> float:
    """Share of a box outside, small square by small square."""
    (left, top), (right, bottom) = [
        (snapped(point.risk), snapped(point.loss)) for point in (general, specific)
    ]
    places = [(snapped(r), snapped(u)) for r, u in found]
    if left == right or top == bottom:
        return float(not any(r <= left and u <= bottom for r, u in places))
    squares = [(x, y) for x in range(left, right) for y in range(bottom, top)]
    outside = sum(not any(r <= x and u <= y for r, u in places) for x, y in squares)
    return outside / len(squares)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[Point, Point]:
    """A general policy's point and a more specific one's; the box may have no width or height."""
    one, other = draw(points), draw(points)
    (left, right), (bottom, top) = (sorted((one[i], other[i])) for i in range(2))
    return Point(left, top), Point(right, bottom)


@thorough
@given(many, boxes())
def test_the_share_outside_is_counted_in_small_squares(
    found: list[Point], box: tuple[Point, Point]
) -> None:
    """And it is 0 if and only if the corner of the box is dominated."""
    frontier = built(found)
    share = frontier.share_outside(*box)
    assert share == pytest.approx(exact_share(found, *box), abs=1e-10)
    assert 0.0 <= share <= 1.0 + 1e-10
    assert (share == 0.0) is frontier.dominates(box[0].risk, box[1].loss)


@unhurried
@given(many, many, boxes())
def test_what_cannot_improve_never_will(
    found: list[Point], later: list[Point], box: tuple[Point, Point]
) -> None:
    """More insertions leave a share at 0, and never raise one."""
    frontier = built(found)
    share = frontier.share_outside(*box)
    for place, (risk, loss) in enumerate(later):
        frontier.insert(risk, loss, place)
        lower = frontier.share_outside(*box)
        assert lower <= share + 1e-10
        if share == 0.0:
            assert lower == 0.0
        share = lower


@unhurried
@given(st.lists(st.builds(Point, st.floats(0, 1), st.floats(0, 1)), max_size=12), st.data())
def test_the_share_outside_is_what_random_points_of_the_box_find(
    found: list[Point], data: st.DataObject
) -> None:
    """Monte Carlo, for points anywhere; five standard deviations and a half."""
    frontier = built(found)
    one, other = (data.draw(st.builds(Point, st.floats(0, 1), st.floats(0, 1))) for _ in range(2))
    (left, right), (bottom, top) = (sorted((one[i], other[i])) for i in range(2))
    if right - left < 1e-6 or top - bottom < 1e-6:
        return
    random = np.random.default_rng(7)
    xs, ys = random.uniform(left, right, 2_000), random.uniform(bottom, top, 2_000)
    free = sum(not any(r <= x and u <= y for r, u in found) for x, y in zip(xs, ys, strict=True))
    share = frontier.share_outside(Point(left, top), Point(right, bottom))
    assert share == pytest.approx(free / 2_000, abs=5.5 * 0.5 / 2_000**0.5)


def test_equal_points_are_one_and_the_first_stays() -> None:
    """By a tenth of a millionth of a millionth the second one is better in both."""
    frontier: Frontier[str] = Frontier()
    assert frontier.insert(0.5, 0.5, "first")
    assert not frontier.insert(0.5, 0.5, "second")
    assert not frontier.insert(0.5 - 1e-13, 0.5 - 1e-13, "third")
    assert [member.policy for member in frontier] == ["first"]
    assert frontier.insert(0.5 - 1e-13, 0.4, "better")
    assert [member.policy for member in frontier] == ["better"]
    assert frontier.insert(0.5 - 1e-11, 0.4, "less risk")
    assert [member.policy for member in frontier] == ["less risk"]


def test_a_policy_without_risk_ends_the_staircase_at_zero() -> None:
    """The area to its left is zero."""
    frontier: Frontier[str] = Frontier()
    frontier.insert(0.0, 0.75, "none")
    frontier.insert(0.5, 0.25, "some")
    assert frontier.area == pytest.approx(0.5 * 0.75 + 0.5 * 0.25)
    assert not frontier.insert(0.0, 0.8, "no better")
    assert frontier.insert(0.0, 0.2, "best")
    assert [member.policy for member in frontier] == ["best"]
