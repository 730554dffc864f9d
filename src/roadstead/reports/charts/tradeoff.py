"""Draw a map of all possible releases by their risk and loss.

The risk increases to the right on a logarithmic scale, and the loss increases upward. The loss axis
has a square-root scale, because useful releases have a small loss. Policies of a frontier are small
points, because there may be thousands. Finished releases are numbered dots. A risk of zero is drawn
at the left edge, half a step before the smallest power of ten. The page uses the parameters of the
scales to find the point nearest to the pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import NamedTuple

from roadstead.reports.charts.placing import Box, around, free_box
from roadstead.reports.charts.risk_axis import RiskAxis, highest_power
from roadstead.reports.charts.svg import (
    AFTER,
    ALARM,
    BEFORE,
    INK,
    LINE,
    MUTED,
    SUPPRESSED,
    Align,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Shape,
    Specks,
)
from roadstead.reports.numbers import percent

LEFT, RIGHT, HEIGHT, LOW = 52, 18, 400, 320
"""The margins for the axis labels, and the heights of the plot in wide and narrow windows."""
_TICKS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The values marked on the loss axis, as shares of the largest loss."""
_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0)
_SPECK, _RADIUS, _CROSS = 1.8, 6, 2.6
LESS = "; does not meet the declared requirements"
_RIGHT_EDGE = 2
"""The distance from the last text to the right edge."""
NOISY = "#7b5aa6"
COLORS = {"global": AFTER, "local": SUPPRESSED, "noisy": NOISY}


class PlacedRelease(NamedTuple):
    """A release on the map. `kind` is ``global``, ``local`` or ``noisy``."""

    number: int
    title: str
    risk: float
    loss: float
    kind: str
    chosen: bool = False
    below: bool = False  # whether the release does not meet the declared requirements


class MapScale(NamedTuple):
    """The scale of the risk, in exponents of ten, and the scale of the loss, from 0 to `most`.

    The risk scale extends from `low` to `high`. If there is a risk of 0, `low` is the position of
    this risk, between two powers of ten.
    """

    low: float
    high: float
    most: float
    left: float
    right: float
    bottom: float

    def across(self, risk: float) -> float:
        """Return the horizontal position of a risk."""
        return self.axis.place(risk)

    @property
    def axis(self) -> RiskAxis:
        """The scale of the risks."""
        none = self.low != ceil(self.low)
        return RiskAxis(ceil(self.low), int(self.high), none, self.left, self.right)

    def up(self, loss: float) -> float:
        """Return the vertical position of a loss."""
        return self.bottom * (1 - sqrt(min(max(loss, 0.0) / self.most, 1.0)))


class TradeoffChart(NamedTuple):
    """The points on a map: policies of a frontier, releases, and policies for comparison."""

    frontier: Sequence[tuple[float, float]]
    releases: tuple[PlacedRelease, ...]
    original: tuple[float, float] | None
    safe_harbor: tuple[float, float] | None
    units: str = "records"
    name: str = "tradeoff"
    title: str = "Chart of the risk of all releases, and the share of values left open"
    below: Sequence[tuple[float, float]] = ()  # policies that do not meet the declared requirements

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        said = []
        if number := len(self.frontier) + len(self.below):
            said.append(f"{number:,} policies of a frontier")
        if self.below:
            said.append(
                f"{len(self.below):,} of these do not meet the declared requirements (crosses)"
            )
        if self.safe_harbor is not None:
            risk, loss = self.safe_harbor
            said.append(f"Safe Harbor: risk {percent(risk)}, left open {percent(loss)}")
        said += [
            f"{one.number} {one.title}: risk {percent(one.risk)}, left open {percent(one.loss)}"
            f"{LESS if one.below else ''}"
            for one in self.releases
        ]
        means = (
            "Average re-identification risk, compared with the share left open: the average share "
            "of a column's values that are still possible for a cell."
        )
        return f"{means} {'; '.join(said)}."

    def scale(self, canvas: Canvas) -> MapScale:
        """Return the scale of risks and losses."""
        every = [*self.frontier, *self.below, *((one.risk, one.loss) for one in self.releases)]
        every += [one for one in (self.original, self.safe_harbor) if one is not None]
        risks = [risk for risk, _ in every]
        axis = RiskAxis.over(risks, LEFT, canvas.width - RIGHT, high=highest_power(risks))
        losses = max((loss for _, loss in every), default=1.0)
        most = next((one for one in _STEPS if one >= losses), 1.0)
        bottom = LOW if canvas.narrow else HEIGHT
        return MapScale(axis.edge, axis.high, most, axis.start, axis.end, bottom)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw the axes, the points, the dots, and the numbers of the dots."""
        scale = self.scale(canvas)
        shapes = _axes(scale, canvas, self.units)
        places = tuple((scale.across(risk), scale.up(loss)) for risk, loss in self.frontier)
        if places:
            shapes.append(Specks(places, _SPECK, BEFORE))
        short = tuple((scale.across(risk), scale.up(loss)) for risk, loss in self.below)
        if short:
            shapes.append(Specks(short, _CROSS, ALARM, crosses=True))
        places += short
        compared = ((self.original, "unchanged"), (self.safe_harbor, "Safe Harbor"))
        to_name: list[tuple[str, tuple[float, float], bool]] = []
        taken: list[Box] = []
        for point, said in compared:
            if point is not None:
                x, y = scale.across(point[0]), scale.up(point[1])
                taken.append(around(x, y, 5))
                to_name.append((said, (x, y), False))
                shapes.append(Dot(x, y, 4.5, INK, f"{said}: {_figures(*point)}"))
        for one in self.releases:
            x, y = scale.across(one.risk), scale.up(one.loss)
            taken.append(around(x, y, _RADIUS))
            to_name.append((str(one.number), (x, y), True))
            if one.chosen:
                shapes.append(Dot(x, y, _RADIUS + 3.5, LINE))
            said = f"{one.number} {one.title}: {_figures(one.risk, one.loss)}"
            said += LESS if one.below else ""
            shapes.append(Dot(x, y, _RADIUS, COLORS[one.kind], said))
            if one.below:
                shapes.append(Specks(((x, y),), _RADIUS + 2, ALARM, crosses=True))
        inside = Box(scale.left + 2, -24, canvas.width, scale.bottom - 1)
        # Place the numbers before the names, because names are longer and can be farther away.
        for said, at, number in sorted(to_name, key=lambda one: not one[2]):
            box = free_box(said, *at, inside=inside, taken=taken, specks=places)
            taken.append(box)
            label = ChartLabel(*box.middle, said, "center", strong=number, muted=not number)
            shapes.append(label)
        return Drawing(tuple(shapes), canvas.width, scale.bottom + 46, head=30)


def _figures(risk: float, loss: float) -> str:
    return f"risk {percent(risk)}, left open {percent(loss)}"


def _axes(scale: MapScale, canvas: Canvas, units: str) -> list[Shape]:
    shapes: list[Shape] = []
    for tick in _TICKS:
        loss = scale.most * tick
        y = scale.up(loss)
        shapes.append(Rule(scale.left, y, scale.right - scale.left, 0, LINE))
        shapes.append(ChartLabel(scale.left - 8, y, percent(loss), "right", muted=True))
    for mark in scale.axis.ticks():
        shapes.append(Rule(mark.x, 0, 0, scale.bottom, LINE, dashed=mark.risk == 0))
        last = mark.x == scale.right
        x = mark.x + (RIGHT - _RIGHT_EDGE if last else 0)
        align: Align = "right" if last else "center"
        if mark.said:
            shapes.append(ChartLabel(x, scale.bottom + 16, mark.said, align, muted=True))
    person = "person" if units == "persons" else "record"
    across = f"re-identification risk per {person} \N{RIGHTWARDS ARROW}"
    shapes.append(Rule(scale.left, scale.bottom, scale.right - scale.left, 0, MUTED))
    if not scale.axis.none:
        shapes.append(Rule(scale.left, 0, 0, scale.bottom, MUTED))
    shapes.append(
        ChartLabel(
            0, -17, "\N{UPWARDS ARROW} left open: share of values still possible", muted=True
        )
    )
    shapes.append(
        ChartLabel(canvas.width - _RIGHT_EDGE, scale.bottom + 36, across, "right", muted=True)
    )
    return shapes
