"""The map of releases: every release has its dot and its number, and no two numbers overlap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports.charts.risk_utility import MapPoint, RiskUtilityChart
from roadstead.reports.charts.svg import WIDE, ChartLabel, Dot

SHARES = st.floats(0.0, 1.0)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=12))
def test_every_number_stands_by_its_dot_once(places: list[tuple[float, float]]) -> None:
    """Numbers of dots that lie close together are one label."""
    points = tuple(MapPoint(f"release {at}", *own) for at, own in enumerate(places))
    shapes = RiskUtilityChart(points, 1.0).draw(WIDE).shapes
    dots = [one for one in shapes if isinstance(one, Dot) and one.said.startswith("release")]
    assert len(dots) == len(points)
    labels = [
        one
        for one in shapes
        if isinstance(one, ChartLabel) and one.said.replace(", ", "").isdecimal()
    ]
    told = {int(number): one for one in labels for number in one.said.split(", ")}
    assert sorted(told) == list(range(1, len(points) + 1))
    assert sum(len(one.said.split(", ")) for one in labels) == len(points)
    for number, one in told.items():
        assert abs(one.x - dots[number - 1].x) < 30
        assert abs(one.y - dots[number - 1].y) < 30
    for at, one in enumerate(labels):
        assert all(abs(one.x - two.x) >= 14 or abs(one.y - two.y) >= 14 for two in labels[:at])
