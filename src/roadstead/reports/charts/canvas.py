"""What all charts share: the room they have, their colors, and the shapes they are made of.

Nothing is placed by measuring text: every label hangs on a bar, a row or an edge, so that a chart
comes out the same whatever fonts the reader's machine has. Colors are those of the page's style
sheet in the light, which exchanges them in the dark.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

INK, MUTED, LINE, TRACK = "#1b2430", "#586474", "#d9dee4", "#e9edf1"
BEFORE, AFTER, SUPPRESSED = "#8c97a4", "#1d5f8a", "#b9822b"

FONT = "sans-serif"
USUAL, SMALL = 13, 12
_ROOMY = 500

Align: TypeAlias = Literal["left", "center", "right"]


class Canvas(NamedTuple):
    """The room of a chart: its name, and its width in pixels at the usual size of text."""

    name: str
    width: int

    @property
    def narrow(self) -> bool:
        """Whether labels must stand above what they name, as there is no room at its side."""
        return self.width < _ROOMY


WIDE = Canvas("wide", 696)
"""The column of the page, and a sheet of paper."""
NARROW = Canvas("narrow", 340)
"""A phone, or a window next to another."""


class ChartLabel(NamedTuple):
    """A line of text; `align` says which end of it is at `x`, and its middle is at `y`."""

    x: float
    y: float
    said: str
    align: Align = "left"
    muted: bool = False
    strong: bool = False


class Block(NamedTuple):
    """A filled rectangle from its upper left corner, and what it says when pointed at."""

    x: float
    y: float
    width: float
    height: float
    color: str
    said: str = ""


class Rule(NamedTuple):
    """A line that goes `right` and `down` from a place."""

    x: float
    y: float
    right: float
    down: float
    color: str
    width: float = 1
    dashed: bool = False


class Dot(NamedTuple):
    """A filled circle, and what it says when pointed at."""

    x: float
    y: float
    radius: float
    color: str
    said: str = ""


Shape: TypeAlias = ChartLabel | Block | Rule | Dot


class Drawing(NamedTuple):
    """Shapes, later ones on top, in a view of this size with room above and below it."""

    shapes: tuple[Shape, ...]
    width: float
    height: float
    head: float = 0
    foot: float = 0


class Scale(NamedTuple):
    """Where the numbers from 0 to `most` lie between two places."""

    most: float
    start: float
    end: float

    def length(self, number: float) -> float:
        """Give how many pixels a bar of a number is long."""
        return (self.end - self.start) * number / self.most

    def place(self, number: float) -> float:
        """Give the place of a number."""
        return self.start + self.length(number)
