"""Chart: the frontier as a staircase of risk and loss, with Safe Harbor on it.

One drawing serves the still picture and the one that answers to the pointer: its layers name
their data, which are handed over beside it. Three views show the whole, the whole with the risk
in steps of ten, and what lies around Safe Harbor.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    FONT,
    INK,
    LINE,
    MUTED,
    SMALL,
    SUPPRESSED,
    TRACK,
    USUAL,
    Align,
    Canvas,
)
from roadstead.reports.frontier_view import FrontierView, Spot
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted

if TYPE_CHECKING:
    import altair as alt

T = TypeVar("T")
View: TypeAlias = Literal["whole", "log", "near"]

VIEWS: dict[View, str] = {
    "whole": "The whole frontier",
    "log": "Risk in steps of ten",
    "near": "Around Safe Harbor",
}
"""The views, and how they are called."""

_LEFT, _RIGHT, _HEAD, _FOOT = 46, 14, 30, 44
_HEIGHT, _NARROW_HEIGHT = 400, 320
_LEAST_DECADES, _MOST_DECADES = 2, 9
_MOST_SEEN, _STILL_SEEN, _MOST_STILL = 800, 400, 400
_FEW = 60
_MARGIN = 0.3
_MIDDLE = 0.6
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ChartPoint(NamedTuple):
    """A policy on the frontier: the number it is chosen by, and where it lies."""

    policy: int
    risk: float
    loss: float
    dominating: bool


class FrontierChart(NamedTuple):
    """A frontier as it is drawn."""

    points: tuple[ChartPoint, ...]
    seen: tuple[Spot, ...]
    safe_harbor: Spot | None
    medoids: tuple[int, ...]

    @property
    def views(self) -> tuple[View, ...]:
        """The views there are; what is not there needs none around it."""
        return ("whole", "log", "near") if self.safe_harbor else ("whole", "log")

    @property
    def title(self) -> str:
        """The chart in a few words, for those who do not see it."""
        return "Chart of the frontier of risk and loss"

    @property
    def description(self) -> str:
        """What there is to see."""
        first, last = self.points[0], self.points[-1]
        told = (
            f"{counted(len(self.points), 'policy', 'policies')}, from a risk of "
            f"{percent(first.risk)} at a loss of {percent(first.loss)} to a risk of "
            f"{percent(last.risk)} at a loss of {percent(last.loss)}."
        )
        if self.safe_harbor is None:
            return told
        better = sum(point.dominating for point in self.points)
        return (
            f"{told} Safe Harbor has a risk of {percent(self.safe_harbor.risk)} at a loss of "
            f"{percent(self.safe_harbor.loss)}; {better:,} of the policies dominate it."
        )


def gather_frontier(view: FrontierView) -> FrontierChart:
    """Gather what is drawn: all of the frontier, and some of the other policies seen."""
    points = tuple(
        ChartPoint(policy.index, *policy.spot, policy.index in view.dominating)
        for policy in view.policies
    )
    return FrontierChart(
        points,
        _thinned(view.seen, _MOST_SEEN),
        view.safe_harbor.spot if view.safe_harbor else None,
        tuple(cluster.medoid for cluster in view.clusters),
    )


def letter(place: int) -> str:
    """Name a cluster by its place: A, B, ..., Z, A1, ..."""
    round_, at = divmod(place, len(_LETTERS))
    return f"{_LETTERS[at]}{round_ or ''}"


def chart_data(chart: FrontierChart, *, still: bool) -> dict[str, list[dict[str, Any]]]:
    """Give the rows of the layers by the names they use.

    Parameters
    ----------
    chart
        What is drawn.
    still
        Whether nobody can point at it. The staircase shows all; of thousands of points on it, a
        still picture then draws those that dominate Safe Harbor, and some of the others.
    """
    points = chart.points
    if still:
        others = _thinned([point for point in points if not point.dominating], _MOST_STILL)
        points = tuple(sorted((*others, *(point for point in points if point.dominating))))
    medoids = {index: place for place, index in enumerate(chart.medoids)}
    return {
        "stairs": [*map(_row, chart.points), *map(_row, _end(chart))],
        "points": [_row(point) for point in points if not point.dominating],
        "dominating": [_row(point) for point in points if point.dominating],
        "medoids": [
            {**_row(point), "letter": letter(medoids[point.policy])}
            for point in chart.points
            if point.policy in medoids
        ],
        "seen": [*map(_row, _thinned(chart.seen, _STILL_SEEN if still else _MOST_SEEN))],
        "harbor": [_row(chart.safe_harbor)] if chart.safe_harbor else [],
        "picked": [],
    }


def draw_frontier(chart: FrontierChart, canvas: Canvas, view: View = "whole") -> alt.LayerChart:
    """Draw a view of the frontier, without its data.

    Parameters
    ----------
    chart
        What is drawn.
    canvas
        Its room.
    view
        One that the chart has.
    """
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    width = canvas.width - _LEFT - _RIGHT
    height = _NARROW_HEIGHT if canvas.narrow else _HEIGHT
    x, y = _x(chart, canvas, view), _y(chart, view)
    place = {"x": x, "y": y}

    def layer(name: str) -> alt.Chart:
        return alt.Chart(alt.NamedData(name=name))

    def dots(name: str, color: str, size: float, **looks: Any) -> alt.Chart:  # noqa: ANN401 - looks of a mark
        mark = layer(name).mark_point(
            **{"aria": False, "clip": True, "opacity": 1, **looks},
            filled=True,
            color=color,
            size=size,
        )
        drawn: alt.Chart = mark.encode(**place)
        return drawn

    def ring(name: str, size: float, width: float) -> alt.Chart:
        mark = layer(name).mark_point(
            aria=False, clip=True, filled=False, color=INK, size=size, strokeWidth=width, opacity=1
        )
        drawn: alt.Chart = mark.encode(**place)
        return drawn

    better = layer("harbor").mark_rect(aria=False, clip=True, color=TRACK, opacity=0.7)
    stairs = layer("stairs").mark_line(
        aria=False, clip=True, color=AFTER, strokeWidth=1.5, interpolate="step-after"
    )
    letters = layer("medoids").mark_text(
        aria=False, clip=True, dx=12, dy=-3, color=INK, font=FONT, fontSize=USUAL, fontWeight=600
    )
    align, shift = _leaning(chart, view)
    name = layer("harbor").mark_text(
        aria=False,
        text="Safe Harbor",
        align=align,
        dx=shift,
        dy=-10,
        color=INK,
        font=FONT,
        fontSize=USUAL,
        fontWeight=600,
    )
    corner = alt.X2Value(0), alt.Y2Value(height)  # type: ignore[no-untyped-call] # theirs
    layers = [
        better.encode(x=x, y=y, x2=corner[0], y2=corner[1]),
        dots("seen", BEFORE, 8, opacity=0.45, shape="square"),
        stairs.encode(**place),
        dots("points", AFTER, 36 if len(chart.points) <= _FEW else 12),
        dots("dominating", SUPPRESSED, 36 if len(chart.points) <= _FEW else 24),
        ring("medoids", 90, 1.5),
        letters.encode(**place, text=alt.Text("letter", type="nominal")),
        dots("harbor", INK, 110, shape="diamond", clip=False),
        name.encode(**place),
        ring("picked", 150, 2.5),
    ]
    return alt.LayerChart(
        layer=layers,
        width=width,
        height=height,
        autosize=alt.AutoSizeParams(type="none"),
        padding={"left": _LEFT, "right": _RIGHT, "top": _HEAD, "bottom": _FOOT},
        background="transparent",
        config=alt.Config(view=alt.ViewConfig(stroke=None)),
    )


def specification(
    chart: FrontierChart, canvas: Canvas, view: View = "whole", *, data: bool = True
) -> dict[str, Any]:
    """Give the drawing as Vega-Lite; with the data of the still picture, or with none."""
    # Validation takes as long as the drawing, and finds what the tests have found.
    drawn: dict[str, Any] = draw_frontier(chart, canvas, view).to_dict(validate=False)
    drawn.pop("datasets", None)
    return {**drawn, "datasets": chart_data(chart, still=True)} if data else drawn


def _x(chart: FrontierChart, canvas: Canvas, view: View) -> alt.X:
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    title = "Risk, as a share of the original data\N{RIGHT SINGLE QUOTATION MARK}s"
    if view == "log":
        decades = _decades(chart)
        scale = alt.Scale(type="log", domain=[10.0**-decades, 1], nice=False, clamp=True)
        step = ceil(decades / (4 if canvas.narrow else 8))
        ticks: dict[str, Any] = {
            "values": [10.0**-power for power in range(0, decades + 1, step)],
            "format": "~%",
        }
    else:
        domain = _around(chart)[0] if view == "near" else (0.0, 1.0)
        scale = alt.Scale(domain=list(domain), nice=False)
        ticks = {"tickCount": 5, "format": ".3~%"}
    axis = alt.Axis(
        title=title, titleAnchor="end", titleAlign="right", titlePadding=8, **ticks, **_looks()
    )
    return alt.X("risk:Q", scale=scale, axis=axis)


def _y(chart: FrontierChart, view: View) -> alt.Y:
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    domain = _around(chart)[1] if view == "near" else (0.0, 1.0)
    axis = alt.Axis(
        title="Loss, as a share of the most",
        titleAngle=0,
        titleAlign="left",
        titleBaseline="bottom",
        titleX=-_LEFT + 4,
        titleY=-12,
        tickCount=5,
        format=".3~%",
        **_looks(),
    )
    return alt.Y("loss:Q", scale=alt.Scale(domain=list(domain), nice=False), axis=axis)


def _looks() -> dict[str, Any]:
    return {
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


def _around(chart: FrontierChart) -> tuple[tuple[float, float], tuple[float, float]]:
    """Span what dominates Safe Harbor, with room on all sides."""
    assert chart.safe_harbor is not None  # noqa: S101 - there is no such view otherwise
    risk, loss = chart.safe_harbor
    better = [point for point in chart.points if point.dominating]
    least_risk = min([point.risk for point in better], default=risk / 2)
    least_loss = min([point.loss for point in better], default=loss / 2)
    return _spanned(least_risk, risk), _spanned(least_loss, loss)


def _spanned(least: float, most: float) -> tuple[float, float]:
    room = max(_MARGIN * (most - least), _MARGIN * most / 10, 1e-6)
    return max(0.0, least - room), min(1.0, most + room) if most < 1.0 else 1.0


def _decades(chart: FrontierChart) -> int:
    """Powers of ten that the risks of the frontier span, down from the original data's."""
    least = min((point.risk for point in chart.points if point.risk > 0), default=1.0)
    return min(max(_LEAST_DECADES, -floor(log10(least) + 1e-9)), _MOST_DECADES)


def _leaning(chart: FrontierChart, view: View) -> tuple[Align, int]:
    """Let the name of Safe Harbor lean inwards."""
    if chart.safe_harbor is None or view == "near":
        return "right", -4
    risk = chart.safe_harbor.risk
    place = 1 + log10(risk) / _decades(chart) if view == "log" and risk > 0 else risk
    return ("left", 6) if place < _MIDDLE else ("right", -6)


def _end(chart: FrontierChart) -> tuple[Spot, ...]:
    """Draw the last step to the edge."""
    last = chart.points[-1]
    return (Spot(1.0, last.loss),) if last.risk < 1.0 else ()


def _row(spot: Spot | ChartPoint) -> dict[str, Any]:
    return {"risk": rounded(spot.risk), "loss": rounded(spot.loss)}


def rounded(share: float) -> float:
    """Keep of a share what can be drawn, as thousands of them go into the page."""
    return float(f"{share:.7g}")


def _thinned(items: Sequence[T], most: int) -> tuple[T, ...]:
    """Take so many, spread evenly, the first and the last among them."""
    if len(items) <= most:
        return tuple(items)
    return tuple(items[round(place * (len(items) - 1) / (most - 1))] for place in range(most))
