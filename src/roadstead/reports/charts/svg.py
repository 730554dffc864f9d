"""A drawing as an image in a page: shapes and text, in the width and the colors of the page.

It is made of six elements with numbers, colors and escaped text in them, so that nothing can load,
run, refer to anything, or bring names of its own. The image has a shape and no size: it takes the
width it is given. It says in words what it shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from markupsafe import Markup, escape

from roadstead.reports.charts.canvas import (
    INK,
    MUTED,
    NARROW,
    SMALL,
    USUAL,
    WIDE,
    Block,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Shape,
)
from roadstead.reports.wording import legible

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_BELOW_MIDDLE = 4
"""How far below its middle a line of text stands, at both sizes of text."""


class Picture(NamedTuple):
    """One chart as ``svg`` elements, for wide and for narrow windows."""

    wide: Markup
    narrow: Markup


class ChartInWords(Protocol):
    """A chart that can say what it shows."""

    @property
    def title(self) -> str:
        """A few words."""

    @property
    def description(self) -> str:
        """A sentence or two."""


def picture(name: str, chart: ChartInWords, draw: Callable[[Canvas], Drawing]) -> Picture:
    """Draw a chart for wide and for narrow windows, under a name that no other on the page has."""
    wide, narrow = (
        image(draw(canvas), f"{name}-{canvas.name}", chart.title, chart.description)
        for canvas in (WIDE, NARROW)
    )
    return Picture(wide, narrow)


def image(drawing: Drawing, name: str, title: str, description: str) -> Markup:
    """Write a drawing as one element, with all text escaped.

    By its name, unique in the page, a screen reader finds what it says: title and description.
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
    """Write a shape; what it says becomes its title, which browsers show when pointed at."""
    at = " ".join(f'{place}="{_number(number)}"' for place, number in places.items())
    title = Markup("<title>{}</title>").format(escape(legible(said))) if said else ""
    return Markup(f"<{name} {at} {looks}>{title}</{name}>")  # noqa: S704 - numbers, colors, escaped text


def _number(number: float) -> str:
    """Write a hundredth of a pixel, which is more than can be seen."""
    return f"{round(number, 2) + 0.0:.10g}"
