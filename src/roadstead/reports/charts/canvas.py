"""What all charts share: the room they have, their colors, and how text stands in them.

Nothing is placed by measuring text: every label hangs on a bar, a row or an edge, so that a chart
comes out the same whatever fonts the machine has that draws it. Colors are those of the page's
style sheet in the light, which exchanges them in the dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import altair as alt

INK, MUTED, LINE, TRACK = "#1b2430", "#586474", "#d9dee4", "#e9edf1"
BEFORE, AFTER, SUPPRESSED = "#8c97a4", "#1d5f8a", "#b9822b"

FONT = "sans-serif"
USUAL, SMALL = 13, 12
_ROOMY = 500

Rows: TypeAlias = Sequence[Mapping[str, object]]
Align: TypeAlias = Literal["left", "center", "right"]


class Canvas(NamedTuple):
    """The room of a chart: its name, and its width in pixels at the usual size of text."""

    name: str
    width: int

    @property
    def narrow(self) -> bool:
        """Whether labels must stand above what they name, as there is no room beside it."""
        return self.width < _ROOMY


WIDE = Canvas("wide", 696)
"""The column of the page, and a sheet of paper."""
NARROW = Canvas("narrow", 340)
"""A phone, or a window beside another."""


def rows(data: Rows) -> alt.Chart:
    """Begin a layer that draws these rows."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    values = [dict(row) for row in data]
    return alt.Chart(alt.Data(values=values))  # type: ignore[no-untyped-call] # theirs


def at(**pixels: float) -> dict[str, Any]:
    """Give channels that place something at pixels: `at(x=0, y=10)`.

    `alt.value` does it too, but searches the whole schema each time for what it has made.
    """
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    return {name: getattr(alt, f"{name.upper()}Value")(place) for name, place in pixels.items()}


def words(
    data: Rows,
    field: str,
    *,
    align: Align = "left",
    muted: bool = False,
    strong: bool = False,
    dx: float = 0,
    dy: float = 0,
    **places: Any,  # noqa: ANN401 - channels of Altair
) -> alt.Chart:
    """Make a layer of text: one label for each row, at the places that the channels give."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    mark = rows(data).mark_text(
        aria=False,
        align=align,
        baseline="middle",
        dx=dx,
        dy=dy,
        color=MUTED if muted else INK,
        font=FONT,
        fontSize=SMALL if muted else USUAL,
        fontWeight=600 if strong else 400,
    )
    layer: alt.Chart = mark.encode(text=alt.Text(field, type="nominal"), **places)
    return layer


def finished(
    layers: Sequence[alt.Chart], canvas: Canvas, height: float, *, head: float = 0, foot: float = 0
) -> alt.LayerChart:
    """Lay layers over each other in a view of exactly this size, with room above and below it."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    return alt.LayerChart(
        layer=list(layers),
        width=canvas.width,
        height=height,
        autosize=alt.AutoSizeParams(type="none"),
        padding={"left": 0, "right": 0, "top": head, "bottom": foot},
        background="transparent",
        config=alt.Config(view=alt.ViewConfig(stroke=None)),
    )
