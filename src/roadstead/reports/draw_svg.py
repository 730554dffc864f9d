"""The process that draws: charts come in as JSON, images go out as JSON.

It makes ready first, as that takes longest, and then waits to be told what to draw. Told nothing
it ends, so that it never outlives whoever started it. `drawing` has the other end.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from roadstead.reports.charts import Charts, from_json
from roadstead.reports.charts.canvas import NARROW, WIDE, Canvas, rows
from roadstead.reports.charts.class_sizes import draw_class_sizes
from roadstead.reports.charts.losses import draw_losses
from roadstead.reports.charts.risks import draw_risks
from roadstead.reports.charts.svg import Telling, inline

if TYPE_CHECKING:
    import altair as alt

    Drawing: TypeAlias = alt.Chart | alt.LayerChart


class Told(Protocol):
    """A chart that can say what it shows."""

    @property
    def title(self) -> str:
        """A few words."""

    @property
    def description(self) -> str:
        """A sentence or two."""


def draw(charts: Charts) -> dict[str, dict[str, str]]:
    """Draw all charts.

    Parameters
    ----------
    charts
        What they show.

    Returns
    -------
    dict
        For each chart that could be drawn, by its name: an ``svg`` element by the name of its
        canvas.
    """
    images = {
        "risks": _images("risks", charts.risks, partial(draw_risks, charts.risks)),
        "class_sizes": _images(
            "class-sizes", charts.class_sizes, partial(draw_class_sizes, charts.class_sizes)
        ),
    }
    if charts.losses is not None:
        images["losses"] = _images("losses", charts.losses, partial(draw_losses, charts.losses))
    return {name: image for name, image in images.items() if image}


def main() -> None:
    """Make ready, then draw what the standard input says; draw nothing if it ends."""
    _make_ready()
    request = sys.stdin.buffer.read()
    if request:
        sys.stdout.buffer.write(json.dumps(draw(from_json(request))).encode())


def _make_ready() -> None:
    """Draw a mark, for which the renderer is started."""
    _svg(rows([{}]).mark_point())


def _images(name: str, told: Told, drawn: Callable[[Canvas], Drawing]) -> dict[str, str]:
    try:
        return {
            canvas.name: inline(
                _svg(drawn(canvas)), Telling(f"{name}-{canvas.name}", told.title, told.description)
            )
            for canvas in (WIDE, NARROW)
        }
    except Exception:  # noqa: BLE001 - whatever is wrong with one chart, the others are drawn
        return {}


def _svg(chart: Drawing) -> str:
    import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn

    # Validation takes as long as the drawing, and finds what the tests have found.
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    return svg
