"""The map of all possible releases: places of points, and numbers that cover nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from roadstead.reports.charts.risk_axis import RiskAxis
from roadstead.reports.charts.svg import (
    NARROW,
    WIDE,
    Canvas,
    ChartLabel,
    Dot,
    Rule,
    Specks,
    picture,
)
from roadstead.reports.charts.tradeoff import PlacedRelease, TradeoffChart

FRONTIER = [(0.2 / 1.01**n, n / 600) for n in range(600)]


def chart(*releases: tuple[float, float]) -> TradeoffChart:
    """Make a map with a frontier and some releases."""
    made = (
        PlacedRelease(n, f"release <{n}>", risk, loss, "global", n == 1)
        for n, (risk, loss) in enumerate(releases, 1)
    )
    return TradeoffChart(FRONTIER, tuple(made), (0.2, 0.0), (0.1, 0.02))


@pytest.mark.parametrize("canvas", [WIDE, NARROW])
def test_thousands_of_policies_are_one_element(canvas: Canvas) -> None:
    """And every one is inside of the plot."""
    made = chart()
    scale = made.scale(canvas)
    (specks,) = [one for one in made.draw(canvas).shapes if isinstance(one, Specks)]
    assert len(specks.places) == len(FRONTIER)
    assert all(scale.left <= x <= scale.right and 0 <= y <= scale.bottom for x, y in specks.places)
    assert str(picture(made).wide).count("<path") == 1


def test_less_risk_is_left_and_less_loss_is_down() -> None:
    """A tenth of the risk is one line further to the left, wherever it is."""
    scale = chart().scale(WIDE)
    steps = [scale.across(10.0**n) for n in (-3, -2, -1)]
    assert steps[1] - steps[0] == pytest.approx(steps[2] - steps[1])
    assert scale.up(0.0) == scale.bottom > scale.up(0.01) > scale.up(0.5)


def test_numbers_of_releases_that_lie_together_hide_no_other() -> None:
    """Each has a place of its own."""
    made = chart(*((0.01 + n / 4000, 0.05 + n / 900) for n in range(5)))
    labels = [s for s in made.draw(WIDE).shapes if isinstance(s, ChartLabel) and s.strong]
    assert [one.said for one in labels] == ["1", "2", "3", "4", "5"]
    apart = [
        abs(a.x - b.x) >= 7 or abs(a.y - b.y) >= 12
        for n, a in enumerate(labels)
        for b in labels[n + 1 :]
    ]
    assert all(apart)


@pytest.mark.parametrize("canvas", [WIDE, NARROW])
def test_a_name_near_the_edge_stands_next_to_its_point(canvas: Canvas) -> None:
    """Above or below, moved aside. Fault class: "Safe Harbor" next to the dot of a release."""
    tried = [(0.0295, 0.241), (0.107, 0.136), (0.157, 0.0995), (0.172, 0.0402)]
    releases = (PlacedRelease(n, "one", *at, "local") for n, at in enumerate(tried, 1))
    frontier = [(0.144, 0.126), (0.24, 0.121), (0.279, 0.12), (0.287, 0.11), (0.29, 0.0594)]
    frontier += [(0.485, 0.0463), (0.71, 0.0297), (1e-5, 1.0)]
    safe_harbor = (0.659, 0.104)
    made = TradeoffChart(frontier, tuple(releases), (1.0, 0.0), safe_harbor)
    scale = made.scale(canvas)
    x, y = scale.across(safe_harbor[0]), scale.up(safe_harbor[1])
    labels = [one for one in made.draw(canvas).shapes if isinstance(one, ChartLabel)]
    (name,) = [one for one in labels if one.said == "Safe Harbor"]
    assert abs(name.y - y) <= 16
    assert abs(name.x - x) < 45
    assert name.x + 41 <= canvas.width


def test_what_is_no_risk_at_all_has_a_place_too() -> None:
    """For example, a release without any people."""
    made = TradeoffChart((), (PlacedRelease(1, "nobody", 0.0, 1.0, "noisy"),), None, None)
    dots = [one for one in made.draw(WIDE).shapes if isinstance(one, Dot)]
    assert dots[0].x == made.scale(WIDE).left


def test_no_risk_is_left_of_the_least_risk_and_moves_nothing_else_far() -> None:
    """Half a step, on a dashed line called 0, where the page's script finds it too."""
    made = chart((0.01, 0.05), (0.0, 0.3))
    scale, without = made.scale(WIDE), chart((0.01, 0.05)).scale(WIDE)
    assert scale.across(0.0) == scale.left
    assert scale.low == without.low - 0.5
    step = scale.across(0.1) - scale.across(0.01)
    assert scale.across(10**without.low) - scale.left == pytest.approx(step / 2)
    shapes = made.draw(WIDE).shapes
    assert [one.x for one in shapes if isinstance(one, Rule) and one.dashed] == [scale.left]
    assert "0" in [one.said for one in shapes if isinstance(one, ChartLabel)]


@pytest.mark.parametrize("canvas", [WIDE, NARROW])
@pytest.mark.parametrize("least", [0.5, 0.02, 1e-4, 1e-6, 1e-9, 1e-30])
@pytest.mark.parametrize("none", [False, True])
def test_labels_of_powers_of_ten_have_room(canvas: Canvas, least: float, none: bool) -> None:  # noqa: FBT001 - a parameter
    """However many there are; each has a line."""
    axis = RiskAxis.over([least, 1.0, *([0.0] if none else [])], 50, canvas.width - 20)
    ticks = axis.ticks()
    assert len(ticks) == axis.high - axis.low + 1 + none
    assert [tick.x for tick in ticks] == sorted(tick.x for tick in ticks)
    said = [tick for tick in ticks if tick.said]
    assert len(said) >= 2
    assert said[-1].said == "100%"
    for one, following in pairwise(said):
        room = 6.6 * (len(one.said) + len(following.said)) / 2
        assert following.x - one.x >= room


def test_titles_become_no_markup() -> None:
    """Whatever a candidate is called."""
    assert "<1>" not in str(picture(chart((0.01, 0.1))).wide)
