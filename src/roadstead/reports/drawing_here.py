"""Draw a chart for a page in this process, where nothing else is to be done meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup

from roadstead.reports.charts.canvas import NARROW, WIDE, Canvas
from roadstead.reports.charts.svg import Telling, inline
from roadstead.reports.drawing import Picture
from roadstead.reports.wording import legible

if TYPE_CHECKING:
    import altair as alt


def drawn_here(
    draw: Callable[[Canvas], alt.LayerChart], name: str, title: str, description: str
) -> Picture | None:
    """Draw a chart for wide and for narrow windows.

    Parameters
    ----------
    draw
        Makes the chart for a width.
    name, title, description
        What it is called in the page, and what a screen reader says of it.

    Returns
    -------
    Picture | None
        None where it cannot be drawn: a chart is not worth what the page is about.
    """
    try:
        import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn

        # Validation takes as long as the drawing, and finds what the tests have found.
        images = [
            inline(
                vl_convert.vegalite_to_svg(draw(canvas).to_dict(validate=False)),
                Telling(f"{name}-{canvas.name}", title, legible(description)),
            )
            for canvas in (WIDE, NARROW)
        ]
    except Exception:  # noqa: BLE001 - whatever a drawing fails of
        return None
    return Picture(*map(Markup, images))  # escaped where it was drawn
