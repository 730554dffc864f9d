"""Provide the parts that all charts share, and convert a chart to an image.

The width of text is not measured. Every label is attached to a bar, a row, or an edge, so a chart
looks similar in all fonts. The style sheet of the page replaces the colors in dark mode. An image
contains only numbers, colors, and escaped text, so it cannot load or run anything. An image has a
fixed ratio of width to height, but no fixed size. It includes a description in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

from markupsafe import Markup, escape

from roadstead.reports.wording import legible

INK, MUTED, LINE, TRACK = "#1b2430", "#586474", "#d9dee4", "#e9edf1"
BEFORE, AFTER, SUPPRESSED = "#8c97a4", "#1d5f8a", "#b9822b"
ALARM = "#a4161a"

FONT = "sans-serif"
USUAL, SMALL = 13, 12
_ROOMY = 500

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_BELOW_MIDDLE = 4
"""For both text sizes, the distance from the middle of a line of text to the baseline."""

Align: TypeAlias = Literal["left", "center", "right"]


class Canvas(NamedTuple):
    """The drawing area of a chart: its name, and its width in pixels at the usual font size."""

    name: str
    width: int

    @property
    def narrow(self) -> bool:
        """Indicates whether the chart is too narrow for labels to the left or right of items."""
        return self.width < _ROOMY


WIDE = Canvas("wide", 696)
"""The width of the column on the page, and of a sheet of paper."""
NARROW = Canvas("narrow", 340)
"""The width of a phone or a small window."""


class ChartLabel(NamedTuple):
    """A line of text with its middle at `y`. `align` states which part of the line is at `x`."""

    x: float
    y: float
    said: str
    align: Align = "left"
    muted: bool = False
    strong: bool = False


class Block(NamedTuple):
    """A filled rectangle with a tooltip. The point (`x`, `y`) is the upper left corner."""

    x: float
    y: float
    width: float
    height: float
    color: str
    said: str = ""


class Rule(NamedTuple):
    """A line that starts at a point and extends `right` and `down`."""

    x: float
    y: float
    right: float
    down: float
    color: str
    width: float = 1
    dashed: bool = False


class Dot(NamedTuple):
    """A filled circle with a tooltip."""

    x: float
    y: float
    radius: float
    color: str
    said: str = ""


class Specks(NamedTuple):
    """Circles or crosses of the same size. They form one element, so thousands are drawn fast."""

    places: tuple[tuple[float, float], ...]
    radius: float
    color: str
    crosses: bool = False


Shape: TypeAlias = ChartLabel | Block | Rule | Dot | Specks


class Drawing(NamedTuple):
    """Shapes in an area of this size, with space above and below. Later shapes are on top."""

    shapes: tuple[Shape, ...]
    width: float
    height: float
    head: float = 0
    foot: float = 0


class Scale(NamedTuple):
    """A linear scale that maps the numbers from 0 to `most` to the range between two positions."""

    most: float
    start: float
    end: float

    def length(self, number: float) -> float:
        """Return the length in pixels of the bar for a number."""
        return (self.end - self.start) * number / self.most

    def place(self, number: float) -> float:
        """Return the position of a number."""
        return self.start + self.length(number)


class Picture(NamedTuple):
    """A chart as two ``svg`` elements: one for wide windows, and one for narrow windows."""

    wide: Markup
    narrow: Markup


class Chart(Protocol):
    """A chart with a description and a name. The name is unique on its page."""

    @property
    def name(self) -> str:
        """The name of the chart."""

    @property
    def title(self) -> str:
        """A title of a few words."""

    @property
    def description(self) -> str:
        """A description of one or two sentences."""

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw the chart in the available space."""


def picture(chart: Chart) -> Picture:
    """Draw a chart twice: for wide windows and for narrow windows."""
    wide, narrow = (
        image(chart.draw(canvas), f"{chart.name}-{canvas.name}", chart.title, chart.description)
        for canvas in (WIDE, NARROW)
    )
    return Picture(wide, narrow)


def pictures(charts: Mapping[str, Chart | None]) -> dict[str, Picture]:
    """Draw the charts of a page, and omit charts that have nothing to show."""
    return {name: picture(chart) for name, chart in charts.items() if chart}


def image(drawing: Drawing, name: str, title: str, description: str) -> Markup:
    """Return a drawing as one element, with all text escaped.

    Screen readers find the title and the description through the name of the chart, which is unique
    on the page.
    """
    width, height = drawing.width, drawing.head + drawing.height + drawing.foot
    shapes = Markup().join(_element(shape) for shape in drawing.shapes)
    return Markup(
        '<svg viewBox="0 {} {} {}" role="img" aria-labelledby="{}-title" '
        'aria-describedby="{}-description"><title id="{}-title">{}</title>'
        '<desc id="{}-description">{}</desc>{}</svg>'
    ).format(
        *(_number(-drawing.head), _number(width), _number(height)),
        *(name, name, name, title, name, legible(description), shapes),
    )


def _element(shape: Shape) -> Markup:
    match shape:
        case ChartLabel():
            return _text(shape)
        case Block(x, y, width, height, color, said):
            places = {"x": x, "y": y, "width": width, "height": height}
            return _shape("rect", places, f'fill="{color}"', said)
        case Dot(x, y, radius, color, said):
            return _shape("circle", {"cx": x, "cy": y, "r": radius}, f'fill="{color}"', said)
        case Specks(places, radius, color, True):
            path = "".join(
                f"M{_number(x - radius)} {_number(y - radius)}l{_number(2 * radius)} "
                f"{_number(2 * radius)}m0 {_number(-2 * radius)}l{_number(-2 * radius)} "
                f"{_number(2 * radius)}"
                for x, y in places
            )
            looks = f'stroke="{color}" stroke-width="1.4" fill="none"'
            return Markup(f'<path d="{path}" {looks}></path>')  # noqa: S704 - numbers and a color
        case Specks(places, radius, color):
            path = "".join(f"M{_number(x)} {_number(y)}h0" for x, y in places)
            looks = f'stroke="{color}" stroke-width="{_number(2 * radius)}" stroke-linecap="round"'
            return Markup(f'<path d="{path}" {looks} fill="none"></path>')  # noqa: S704 - numbers and a color
        case Rule(x, y, right, down, color, width, dashed):
            looks = f'stroke="{color}"' + (f' stroke-width="{width:g}"' if width != 1 else "")
            looks += ' stroke-dasharray="4,3"' if dashed else ""
            return _shape("line", {"x1": x, "y1": y, "x2": x + right, "y2": y + down}, looks, "")


def _text(label: ChartLabel) -> Markup:
    color, size = (MUTED, SMALL) if label.muted else (INK, USUAL)
    return Markup(
        '<text x="{}" y="{}" text-anchor="{}" font-size="{}px" font-weight="{}" fill="{}">{}</text>'
    ).format(
        *(_number(label.x), _number(label.y + _BELOW_MIDDLE), _ANCHORS[label.align]),
        *(size, 600 if label.strong else 400, color, legible(label.said)),
    )


def _shape(name: str, places: dict[str, float], looks: str, said: str) -> Markup:
    """Return a shape as an SVG element. Browsers display the text of the shape as a tooltip."""
    at = " ".join(f'{place}="{_number(number)}"' for place, number in places.items())
    title = Markup("<title>{}</title>").format(escape(legible(said))) if said else ""
    return Markup(f"<{name} {at} {looks}>{title}</{name}>")  # noqa: S704 - numbers, colors, escaped text


def _number(number: float) -> str:
    """Format a number to a hundredth of a pixel."""
    return f"{round(number, 2) + 0.0:.10g}"
