"""Draw the frontier of risk and loss as a staircase, and mark Safe Harbor.

Each step of the risk axis is a factor of ten, because the frontier bends at small risks. A risk of
0 is drawn on a dashed line at the left edge. The interactive picture uses Vega-Lite, and has three
views: the whole frontier, the whole frontier with a linear risk axis, and the part near Safe
Harbor. In both pictures, the letters and the name of Safe Harbor are placed where they do not cover
other items.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import Any, Literal, NamedTuple, TypeAlias

from roadstead.reports.charts.placing import Box, around, free_box
from roadstead.reports.charts.risk_axis import APART, RiskAxis
from roadstead.reports.charts.svg import (
    AFTER,
    FONT,
    INK,
    LINE,
    MUTED,
    SMALL,
    SUPPRESSED,
    TRACK,
    USUAL,
    WIDE,
    Block,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Scale,
    Shape,
)
from roadstead.reports.frontier.facts import FrontierFacts
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted
from roadstead.search.frontiers.frontier import Point

View: TypeAlias = Literal["log", "whole", "near"]

VIEWS: dict[View, str] = {
    "log": "Risk, on a scale with factors of ten",
    "whole": "Risk, on a linear scale",
    "near": "Around Safe Harbor",
}
"""The titles of the views, in order."""

_LEFT, _RIGHT, _HEAD, _FOOT = 46, 14, 30, 44
_HEIGHT, _NARROW_HEIGHT = 400, 320
_LEAST_DECADES = 2
_MOST_STILL = 400
_FEW = 60
_MARGIN = 0.3
_HARBOR = "Safe Harbor"
_OF_HARBOR, _OF_LETTER, _OF_DOT = 7, 6, 3
"""The radii of the dots for Safe Harbor, for lettered policies, and for other policies."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RISK_AXIS = "Risk, as a share of the original data\N{RIGHT SINGLE QUOTATION MARK}s risk"
_LOSS_AXIS = "Loss, as a share of the largest loss"
_PERCENT = "replace(format(datum.value, '.3~%'), '%', ' %')"
_LOOKS = {
    "labelFont": FONT,
    "labelFontSize": SMALL,
    "labelColor": MUTED,
    "titleFont": FONT,
    "titleFontSize": SMALL,
    "titleFontWeight": 400,
    "titleColor": MUTED,
    "gridColor": LINE,
    "domain": False,
    "ticks": False,
    "labelPadding": 6,
}
"""The style of both axes."""


class ChartPoint(NamedTuple):
    """A policy on the frontier: its number and its position."""

    policy: int
    risk: float
    loss: float
    dominating: bool


class FrontierChart(NamedTuple):
    """The data of a frontier's chart."""

    points: tuple[ChartPoint, ...]
    safe_harbor: Point | None
    medoids: tuple[int, ...]
    name: str = "frontier"
    title: str = "Chart of the frontier of risk and loss"

    @property
    def views(self) -> tuple[View, ...]:
        """The names of the available views."""
        return ("log", "whole", "near") if self.safe_harbor else ("log", "whole")

    @property
    def riskless(self) -> bool:
        """Indicates whether the risk axis needs a position for a risk of zero."""
        risks = [point.risk for point in self.points]
        return min(risks) <= 0 or (self.safe_harbor is not None and self.safe_harbor.risk <= 0)

    def axis(self, canvas: Canvas) -> RiskAxis:
        """Return the scale of the risks."""
        risks = [point.risk for point in self.points]
        if self.safe_harbor is not None:
            risks.append(self.safe_harbor.risk)
        return RiskAxis.over(risks, _LEFT, canvas.width - _RIGHT, least=_LEAST_DECADES)

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        first, last = self.points[0], self.points[-1]
        said = (
            f"{counted(len(self.points), 'policy', 'policies')}, from a risk of "
            f"{percent(first.risk)} with a loss of {percent(first.loss)} to a risk of "
            f"{percent(last.risk)} with a loss of {percent(last.loss)}."
        )
        if self.safe_harbor is None:
            return said
        better = sum(point.dominating for point in self.points)
        return (
            f"{said} Safe Harbor has a risk of {percent(self.safe_harbor.risk)} and a loss "
            f"of {percent(self.safe_harbor.loss)}; {better:,} of the policies dominate it."
        )

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw the whole frontier as a static picture.

        If there are thousands of policies, the picture shows only the policies that dominate Safe
        Harbor, and some other policies.
        """
        height = _NARROW_HEIGHT if canvas.narrow else _HEIGHT
        axis, down = self.axis(canvas), Scale(1.0, height, 0.0)

        def place(spot: Point | ChartPoint) -> tuple[float, float]:
            return axis.place(spot.risk), down.place(spot.loss)

        shapes: list[Shape] = []
        if self.safe_harbor is not None:
            x, y = place(self.safe_harbor)
            shapes.append(Block(_LEFT, y, x - _LEFT, height - y, TRACK))
        shapes += _grid(axis, down)
        others = [point for point in self.points if not point.dominating]
        if len(others) > _MOST_STILL:  # evenly spaced policies, including the first and the last
            last = len(others) - 1
            others = [others[round(at * last / (_MOST_STILL - 1))] for at in range(_MOST_STILL)]
        better = [point for point in self.points if point.dominating]
        steps: list[Point | ChartPoint] = [*sorted((*others, *better)), *_end(self)]
        for one, following in pairwise(steps):
            (x, y), (right, lower) = place(one), place(following)
            shapes += [
                Rule(x, y, right - x, 0, AFTER, 1.5),
                Rule(right, y, 0, lower - y, AFTER, 1.5),
            ]
        few = len(self.points) <= _FEW
        for point in (*others, *better):
            x, y = place(point)
            if point.policy in self.medoids:
                shapes.append(Dot(x, y, 5.5, INK))
            radius = 3.4 if few else 2.8 if point.dominating else 2.0
            shapes.append(Dot(x, y, radius, SUPPRESSED if point.dominating else AFTER))
        if self.safe_harbor is not None:
            diamond = "\N{BLACK DIAMOND}"
            shapes.append(ChartLabel(*place(self.safe_harbor), diamond, "center", strong=True))
        shapes += [
            ChartLabel(*box.middle, said, "center", strong=True)
            for said, _, box in _named(self, canvas, "log")
        ]
        return Drawing(tuple(shapes), canvas.width, height, head=_HEAD, foot=_FOOT)


def gather_frontier(facts: FrontierFacts[Any], shown: Sequence[int]) -> FrontierChart:
    """Return the chart's data for the displayed policies."""
    better = set(facts.dominating)
    return FrontierChart(
        tuple(ChartPoint(i, *facts.members[i][:2], i in better) for i in shown),
        facts.safe_harbor.point if facts.safe_harbor else None,
        tuple(one.medoid for one in facts.clusters),
    )


def letter(place: int) -> str:
    """Return the name of a cluster by its index: A, B, ..., Z, A1, ..."""
    round_, at = divmod(place, len(_LETTERS))
    return f"{_LETTERS[at]}{round_ or ''}"


def chart_data(chart: FrontierChart) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of data for each layer of the interactive chart."""
    points = chart.points
    at: dict[str, dict[str, float]] = {}
    for view in chart.views:
        for said, (x, y), box in _named(chart, WIDE, view):
            middle_x, middle_y = box.middle
            at.setdefault(said, {}).update({f"{view}_x": middle_x - x, f"{view}_y": middle_y - y})
    letters = {index: letter(place) for place, index in enumerate(chart.medoids)}
    return {
        "stairs": [*map(_row, points), *map(_row, _end(chart))],
        "points": [_row(point) for point in points if not point.dominating],
        "dominating": [_row(point) for point in points if point.dominating],
        "medoids": [
            {**_row(point), "said": letters[point.policy], **at.get(letters[point.policy], {})}
            for point in points
            if point.policy in letters
        ],
        "harbor": [{**_row(chart.safe_harbor), "said": _HARBOR, **at[_HARBOR]}]
        if chart.safe_harbor
        else [],
        "picked": [],
    }


def _grid(axis: RiskAxis, down: Scale) -> list[Shape]:
    """Draw the axis titles, a line for each power of ten of the risk, and lines for the loss."""
    shapes: list[Shape] = []
    for tick in axis.ticks():
        shapes.append(Rule(tick.x, 0, 0, down.start, LINE, dashed=tick.risk == 0))
        if tick.said:
            x = min(tick.x, axis.end - 6)
            shapes.append(ChartLabel(x, down.start + 12, tick.said, "center", muted=True))
    for fifth in range(6):
        y, share = down.place(fifth / 5), percent(fifth / 5)
        shapes += [
            Rule(axis.start, y, axis.end - axis.start, 0, LINE),
            ChartLabel(axis.start - 6, y, share, "right", muted=True),
        ]
    return [
        *shapes,
        ChartLabel(axis.end, down.start + 32, _RISK_AXIS, "right", muted=True),
        ChartLabel(4, -18, _LOSS_AXIS, muted=True),
    ]


def _named(
    chart: FrontierChart, canvas: Canvas, view: View
) -> list[tuple[str, tuple[float, float], Box]]:
    """Label Safe Harbor's point with its name, and the other points with their letters.

    A point outside a view has no label in that view.
    """
    height = _NARROW_HEIGHT if canvas.narrow else _HEIGHT
    left, right = _LEFT, canvas.width - _RIGHT
    risks, losses = _around(chart) if view == "near" else ((0.0, 1.0), (0.0, 1.0))
    axis = chart.axis(canvas)

    def place(spot: Point | ChartPoint) -> tuple[float, float]:
        across = (spot.risk - risks[0]) / (risks[1] - risks[0])
        x = axis.place(spot.risk) if view == "log" else left + across * (right - left)
        return x, height * (1 - (spot.loss - losses[0]) / (losses[1] - losses[0]))

    dots = [at for at in map(place, chart.points) if left - 1 <= at[0] <= right + 1]
    by_policy = {point.policy: point for point in chart.points}
    to_name = [(_HARBOR, place(chart.safe_harbor))] if chart.safe_harbor else []
    taken = [around(*at, _OF_HARBOR) for _, at in to_name]
    medoids = [by_policy[policy] for policy in chart.medoids if policy in by_policy]
    named = {point.policy: letter(chart.medoids.index(point.policy)) for point in medoids}
    to_name += [(named[point.policy], place(point)) for point in medoids]
    taken += [around(*at, _OF_LETTER) for _, at in to_name[len(taken) :]]
    if len(chart.points) <= _FEW:
        taken += [around(*at, _OF_DOT) for at in dots]
        dots = []
    inside = Box(left, -_HEAD / 2, canvas.width, height)
    found = []
    for said, at in to_name:
        box = free_box(said, *at, inside=inside, taken=taken, specks=dots)
        taken.append(box)
        found.append((said, at, box))
    return found


def specification(chart: FrontierChart, canvas: Canvas, view: View) -> dict[str, Any]:
    """Return a view of the interactive chart in Vega-Lite, without its data."""
    height = _NARROW_HEIGHT if canvas.narrow else _HEIGHT
    place = {"x": _x(chart, canvas, view), "y": _y(chart, view)}
    few = len(chart.points) <= _FEW

    def layer(name: str, kind: str, more: dict[str, Any] | None = None, **looks: Any) -> Any:  # noqa: ANN401 - JSON
        mark = {"type": kind, "aria": False, "clip": view == "near", **looks}
        return {"data": {"name": name}, "mark": mark, "encoding": {**place, **(more or {})}}

    def dots(name: str, color: str, size: int, **looks: Any) -> Any:  # noqa: ANN401 - JSON
        return layer(name, "point", filled=True, color=color, size=size, opacity=1, **looks)

    ring: dict[str, Any] = {"filled": False, "color": INK}
    corner = {"x2": {"value": 0}, "y2": {"value": height}}
    names = {"text": {"field": "said", "type": "nominal"}}
    text: dict[str, Any] = {"color": INK, "font": FONT, "fontSize": USUAL, "fontWeight": 600}
    text |= {"align": "center", "baseline": "middle"}
    text |= {f"d{way}": {"expr": f"datum.{view}_{way}"} for way in "xy"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": canvas.width - _LEFT - _RIGHT,
        "height": height,
        "autosize": {"type": "none"},
        "padding": {"left": _LEFT, "right": _RIGHT, "top": _HEAD, "bottom": _FOOT},
        "background": "transparent",
        "config": {"view": {"stroke": None}},
        "layer": [
            layer("harbor", "rect", corner, color=TRACK, opacity=0.7),
            layer("stairs", "line", color=AFTER, strokeWidth=1.5, interpolate="step-after"),
            dots("points", AFTER, 36 if few else 12),
            dots("dominating", SUPPRESSED, 36 if few else 24),
            layer("medoids", "point", **ring, size=90, strokeWidth=1.5, opacity=1),
            layer("medoids", "text", names, **text),
            dots("harbor", INK, 110, shape="diamond"),
            layer("harbor", "text", names, **text),
            layer("picked", "point", **ring, size=150, strokeWidth=2.5, opacity=1),
        ],
    }


def _x(chart: FrontierChart, canvas: Canvas, view: View) -> dict[str, Any]:
    looks = {**_LOOKS, "title": _RISK_AXIS, "titleAnchor": "end", "titleAlign": "right"}
    looks["titlePadding"] = 8
    if view != "log":
        domain = _around(chart)[0] if view == "near" else (0.0, 1.0)
        return _axis("risk", {"domain": domain}, looks)
    axis = chart.axis(canvas)
    scale = {"type": "log", "domain": [10.0**axis.edge, 1], "clamp": True}
    ticks = [(tick.risk or 10.0**axis.edge, tick.said) for tick in axis.ticks()]
    if axis.none:
        none = f"datum.value < {10.0 ** (axis.low - APART / 2)}"
        dashes = {"condition": {"test": none, "value": [4, 3]}, "value": []}
        looks = {**looks, "gridDash": dashes}
    # Powers of ten are not exact, so the chart compares exponents to find a label.
    said = [f"abs(log(datum.value) - {log(value)}) < 0.1 ? '{text}' : " for value, text in ticks]
    labels = {"values": [value for value, _ in ticks], "labelExpr": f"{''.join(said)}''"}
    return _axis("risk", scale, {**looks, **labels})


def _y(chart: FrontierChart, view: View) -> dict[str, Any]:
    looks = {
        **_LOOKS,
        "title": _LOSS_AXIS,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleBaseline": "bottom",
        "titleX": -_LEFT + 4,
        "titleY": -12,
    }
    return _axis("loss", {"domain": _around(chart)[1] if view == "near" else (0.0, 1.0)}, looks)


def _axis(field: str, scale: dict[str, Any], axis: dict[str, Any]) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {**scale, "nice": False},
        "axis": {"tickCount": 5, "labelExpr": _PERCENT, **axis},
    }


def _around(chart: FrontierChart) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the range of the policies that dominate Safe Harbor, plus a margin on all sides."""
    assert chart.safe_harbor is not None  # noqa: S101 - there is no such view otherwise
    risk, loss = chart.safe_harbor
    better = [point for point in chart.points if point.dominating]
    least_risk = min([point.risk for point in better], default=risk / 2)
    least_loss = min([point.loss for point in better], default=loss / 2)
    return _spanned(least_risk, risk), _spanned(least_loss, loss)


def _spanned(least: float, most: float) -> tuple[float, float]:
    room = max(_MARGIN * (most - least), _MARGIN * most / 10, 1e-6)
    return max(0.0, least - room), min(1.0, most + room) if most < 1.0 else 1.0


def _end(chart: FrontierChart) -> tuple[Point, ...]:
    """Return the end of the last step, at the edge of the chart."""
    last = chart.points[-1]
    return (Point(1.0, last.loss),) if last.risk < 1.0 else ()


def _row(spot: Point | ChartPoint) -> dict[str, Any]:
    return {"risk": rounded(spot.risk), "loss": rounded(spot.loss)}


def rounded(share: float) -> float:
    """Round a share to the precision of the drawing. The page may contain thousands of shares."""
    return float(f"{share:.7g}")
