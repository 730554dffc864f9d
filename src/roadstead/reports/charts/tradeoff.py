"""All that could be released on one map: risk to the right, on a log scale, and loss upwards.

Loss is stretched towards zero (by its square root), as releases of use are there. The nearer to the
lower left corner, the better. Policies of a frontier are specks, as there may be thousands;
releases that were made are numbered dots, and their numbers stand where they hide no other. What a
scale needs to find a place again, as when somebody points at it, is given with the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10, sqrt
from typing import NamedTuple

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    INK,
    LINE,
    MUTED,
    SUPPRESSED,
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
"""Room for the numbers of the axes, and the height of the plot: usual, and in narrow windows."""
_TICKS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Of the largest loss."""
_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0)
_SPECK, _RADIUS = 1.8, 6
_LEAST = 1e-6
_AROUND = ((11, -9), (11, 9), (-11, -9), (-11, 9), (0, -16), (0, 16), (22, 0), (-22, 0))
"""Where a dot's number may stand, the best place first."""
_NEAR = ((10, -10), (10, -25), (10, -40), (-10, -14), (-10, 16), (-10, -28), (10, 12))
"""Where a name may stand next to its point."""
_NAME = 6.7
_NUMBER = (7.5, 13)
"""About how wide a digit is, and how high."""
NOISY = "#7b5aa6"
COLORS = {"global": AFTER, "local": SUPPRESSED, "noisy": NOISY}


class PlacedRelease(NamedTuple):
    """A release on the map; `kind` is ``global``, ``local`` or ``noisy``."""

    number: int
    title: str
    risk: float
    loss: float
    kind: str
    chosen: bool = False


class MapScale(NamedTuple):
    """From `low` to `high`, powers of ten, the risk; from 0 to `most` the loss."""

    low: float
    high: float
    most: float
    left: float
    right: float
    bottom: float

    def across(self, risk: float) -> float:
        """Give the place of a risk."""
        share = (log10(max(risk, 10**self.low)) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def up(self, loss: float) -> float:
        """Give the place of a loss."""
        return self.bottom * (1 - sqrt(min(max(loss, 0.0) / self.most, 1.0)))


class TradeoffChart(NamedTuple):
    """A frontier, if one was searched, what was tried, and what to compare with."""

    frontier: Sequence[tuple[float, float]]
    releases: tuple[PlacedRelease, ...]
    original: tuple[float, float] | None
    safe_harbor: tuple[float, float] | None
    units: str = "records"
    name: str = "tradeoff"
    title: str = "Risk and loss of all that could be released"

    @property
    def description(self) -> str:
        """What there is to see."""
        said = []
        if self.frontier:
            said.append(f"{len(self.frontier):,} policies of a frontier")
        if self.safe_harbor is not None:
            risk, loss = self.safe_harbor
            said.append(f"Safe Harbor: risk {percent(risk)}, loss {percent(loss)}")
        said += [
            f"{one.number} {one.title}: risk {percent(one.risk)}, loss {percent(one.loss)}"
            for one in self.releases
        ]
        return f"Mean risk of being found, and mean loss. {'; '.join(said)}."

    def scale(self, canvas: Canvas) -> MapScale:
        """Say where risks and losses lie."""
        every = [*self.frontier, *((one.risk, one.loss) for one in self.releases)]
        every += [one for one in (self.original, self.safe_harbor) if one is not None]
        risks = [max(risk, _LEAST) for risk, _ in every] or [1.0]
        low, high = floor(log10(min(risks))), ceil(log10(max(risks)) - 1e-9)
        losses = max((loss for _, loss in every), default=1.0)
        most = next((one for one in _STEPS if one >= losses), 1.0)
        bottom = LOW if canvas.narrow else HEIGHT
        return MapScale(low, max(high, low + 1), most, LEFT, canvas.width - RIGHT, bottom)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw axes, specks, dots and their numbers."""
        scale = self.scale(canvas)
        shapes = _axes(scale, canvas, self.units)
        places = tuple((scale.across(risk), scale.up(loss)) for risk, loss in self.frontier)
        if places:
            shapes.append(Specks(places, _SPECK, BEFORE))
        taken: list[tuple[float, float, float, float]] = []
        compared = ((self.original, "as it is"), (self.safe_harbor, "Safe Harbor"))
        for point, said in compared:
            if point is not None:
                x, y = scale.across(point[0]), scale.up(point[1])
                taken.append((x - 5, y - 5, x + 5, y + 5))
                shapes.append(Dot(x, y, 4.5, INK, f"{said}: {_figures(*point)}"))
        dots = [(scale.across(one.risk), scale.up(one.loss)) for one in self.releases]
        taken += [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in dots]
        shapes += _named(scale, compared, taken, places)
        for one, (x, y) in zip(self.releases, dots, strict=True):
            if one.chosen:
                shapes.append(Dot(x, y, _RADIUS + 3.5, LINE))
            said = f"{one.number} {one.title}: {_figures(one.risk, one.loss)}"
            shapes.append(Dot(x, y, _RADIUS, COLORS[one.kind], said))
        for one, (x, y) in zip(self.releases, dots, strict=True):
            at = _free(str(one.number), x, y, taken, scale)
            shapes.append(ChartLabel(*at, str(one.number), "center", strong=True))
        return Drawing(tuple(shapes), canvas.width, scale.bottom + 46, head=30)


def _figures(risk: float, loss: float) -> str:
    return f"risk {percent(risk)}, loss {percent(loss)}"


def _axes(scale: MapScale, canvas: Canvas, units: str) -> list[Shape]:
    shapes: list[Shape] = []
    for tick in _TICKS:
        loss = scale.most * tick
        y = scale.up(loss)
        shapes.append(Rule(scale.left, y, scale.right - scale.left, 0, LINE))
        shapes.append(ChartLabel(scale.left - 8, y, percent(loss), "right", muted=True))
    for power in range(int(scale.low), int(scale.high) + 1):
        x = scale.across(10.0**power)
        shapes.append(Rule(x, 0, 0, scale.bottom, LINE))
        last = power == int(scale.high) and power > scale.low
        shapes.append(
            ChartLabel(
                x + (RIGHT - 2 if last else 0),
                scale.bottom + 16,
                percent(10.0**power),
                "right" if last else "center",
                muted=True,
            )
        )
    person = "person" if units == "persons" else "record"
    across = f"chance that a {person} is found \N{RIGHTWARDS ARROW}"
    shapes.append(Rule(scale.left, scale.bottom, scale.right - scale.left, 0, MUTED))
    shapes.append(Rule(scale.left, 0, 0, scale.bottom, MUTED))
    shapes.append(ChartLabel(0, -17, "\N{UPWARDS ARROW} lost of what the columns say", muted=True))
    shapes.append(ChartLabel(canvas.width - 2, scale.bottom + 36, across, "right", muted=True))
    return shapes


Box = tuple[float, float, float, float]


def _named(
    scale: MapScale,
    points: Sequence[tuple[tuple[float, float] | None, str]],
    taken: list[Box],
    specks: Sequence[tuple[float, float]],
) -> list[Shape]:
    """Name the points to compare with where there is room."""
    shapes: list[Shape] = []
    for point, text in points:
        if point is None:
            continue
        x, y = scale.across(point[0]), scale.up(point[1])
        width = len(text) * _NAME
        best: tuple[int, Box] | None = None
        for right, down in _NEAR:
            left = x + right if right >= 0 else x + right - width
            box = (left, y + down - 7, left + width, y + down + 7)
            if box[0] < scale.left + 2 or box[2] > scale.right + RIGHT or box[3] > scale.bottom - 1:
                continue
            hidden = sum(_meet(box, other) for other in taken) * len(specks or "-")
            hidden += sum(box[0] < a < box[2] and box[1] < b < box[3] for a, b in specks)
            if best is None or hidden < best[0]:
                best = (hidden, box)
            if not hidden:
                break
        if best is not None:
            box = best[1]
            taken.append(box)
            shapes.append(ChartLabel(box[0], (box[1] + box[3]) / 2, text, muted=True))
    return shapes


def _free(text: str, x: float, y: float, taken: list[Box], scale: MapScale) -> tuple[float, float]:
    """Find where a number hides nothing, or else the first place."""
    wide, high = len(text) * _NUMBER[0] / 2, _NUMBER[1] / 2
    for right, down in _AROUND:
        at = (x + right + (wide - 4 if right > 0 else 4 - wide if right < 0 else 0), y + down)
        box = (at[0] - wide, at[1] - high, at[0] + wide, at[1] + high)
        inside = box[0] > scale.left and box[2] < scale.right + RIGHT and box[3] < scale.bottom
        if inside and not any(_meet(box, other) for other in taken):
            taken.append(box)
            return at
    return x + _AROUND[0][0], y + _AROUND[0][1]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
