"""Draw a map of releases: their risk, and how much their column pairs differ from the original.

The risk increases to the right, and the distance increases upward. Releases at the lower left are
better. Each release is a numbered dot. Dots may overlap, because a list below the map gives the
name for each number.
"""

from __future__ import annotations

from typing import NamedTuple

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    SUPPRESSED,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Scale,
    Shape,
)
from roadstead.reports.numbers import percent
from roadstead.reports.wording import shortened

_HEIGHT, _ROW, _RADIUS = 300, 20, 5
_WIDE, _HIGH = 14, 14
"""Dots that are closer than this distance share one label, which lists the numbers of all dots."""
_TICKS = 5
_STEPS = (1, 2, 5)


class MapPoint(NamedTuple):
    """A release on the map: its name, its risk, and its distance."""

    name: str
    risk: float
    distance: float
    noisy: bool = False  # whether noise, not group size, protects the records


class RiskUtilityChart(NamedTuple):
    """All releases on the same scales. The original table has a distance of 0."""

    points: tuple[MapPoint, ...]
    original: float
    name: str = "risk-utility"
    title: str = "Map of releases by risk and by distance from the original"

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        said = "; ".join(
            f"{one.name}: average risk {percent(one.risk)}, distance {percent(one.distance)}"
            for one in self.points
        )
        return f"Average prosecutor risk and mean two-way distance. {said}."

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw the axes, one dot per release, and the list of names."""
        left, right = 52, canvas.width - 14
        most_risk = _above(max([one.risk for one in self.points]))
        most_far = _above(max(one.distance for one in self.points))
        across, up = Scale(most_risk, left, right), Scale(most_far, _HEIGHT, 0)
        shapes: list[Shape] = []
        for tick in range(_TICKS + 1):
            risk, far = most_risk * tick / _TICKS, most_far * tick / _TICKS
            shapes += [
                Rule(left, up.place(far), right - left, 0, LINE),
                ChartLabel(left - 8, up.place(far), percent(far), "right", muted=True),
                ChartLabel(across.place(risk), _HEIGHT + 16, percent(risk), "center", muted=True),
            ]
        shapes += [
            Rule(left, 0, 0, _HEIGHT, MUTED),
            ChartLabel(0, -16, "mean two-way distance from the original", muted=True),
            ChartLabel(right, _HEIGHT + 36, "average prosecutor risk", "right", muted=True),
        ]
        numbers: dict[tuple[float, float], list[int]] = {}
        for number, one in enumerate(self.points, 1):
            x, y = across.place(one.risk), up.place(one.distance)
            close = (at for at in numbers if abs(at[0] - x) < _WIDE and abs(at[1] - y) < _HIGH)
            numbers.setdefault(next(close, (x, y)), []).append(number)
            said = f"{one.name}: average risk {percent(one.risk)}, distance {percent(one.distance)}"
            shapes.append(Dot(x, y, _RADIUS, SUPPRESSED if one.noisy else AFTER, said))
        shapes += [
            ChartLabel(x + _RADIUS + 3, y - _RADIUS, ", ".join(map(str, own)))
            for (x, y), own in numbers.items()
        ]
        top = _HEIGHT + 62
        longest = 40 if canvas.narrow else 88
        for number, one in enumerate(self.points, 1):
            y = top + (number - 1) * _ROW
            shapes += [
                Dot(10, y, _RADIUS, SUPPRESSED if one.noisy else AFTER),
                ChartLabel(22, y, f"{number}  {shortened(one.name, longest)}"),
            ]
        y = top + len(self.points) * _ROW
        shapes += [
            Dot(10, y, _RADIUS, BEFORE),
            ChartLabel(22, y, f"the original: average risk {percent(self.original)}, distance 0%"),
        ]
        if self.original <= most_risk:
            shapes.append(Dot(across.place(self.original), up.place(0), _RADIUS, BEFORE))
        return Drawing(tuple(shapes), canvas.width, y + _ROW, head=30)


def _above(number: float) -> float:
    """Return the end of an axis: the next larger 1, 2, or 5 times a power of ten."""
    if number <= 0:
        return 0.01
    power = 1.0
    while power > number:
        power /= 10
    return next(step * power for step in (*_STEPS, 10) if step * power >= number - 1e-12)
