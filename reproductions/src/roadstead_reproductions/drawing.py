"""What the pictures of all papers share: how they look, and how their data are written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from roadstead_reproductions.reproduction import Picture, Row

if TYPE_CHECKING:
    import altair as alt

_LOOK: Final[dict[str, Any]] = {
    "font": "sans-serif",
    "background": "white",
    "view": {"stroke": "#d9dee4"},
    "title": {"fontSize": 15, "anchor": "start", "subtitleFontSize": 12, "offset": 14},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#e9edf1"},
    "header": {"labelFontSize": 13, "labelFontWeight": "bold"},
}


def finished(
    name: str,
    title: str,
    subtitle: str,
    view: alt.LayerChart | alt.FacetChart,
    legend: Mapping[str, Any],
) -> Picture:
    """Put a title over a chart, and say how it looks.

    Parameters
    ----------
    name, title, subtitle
        The picture's name in files, and what stands over it.
    view
        The chart.
    legend
        How its legend looks.
    """
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    titled = view.properties(title=alt.TitleParams(title, subtitle=subtitle))
    specification: dict[str, Any] = titled.to_dict()
    look = {**_LOOK, "legend": {"labelFontSize": 12, "labelLimit": 320, **legend}}
    return Picture(name, f"{title}. {subtitle}.", {**specification, "config": look})


def data_of(rows: Sequence[Row]) -> alt.Data:
    """Write rows down as a chart's data."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call] # theirs


def chart(rows: Sequence[Row]) -> alt.Chart:
    """Begin a layer that draws these rows."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    return alt.Chart(data_of(rows))


def layered(*layers: alt.Chart) -> alt.LayerChart:
    """Put layers over each other."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    return alt.LayerChart(layer=list(layers))


def number(cell: object) -> float:
    """Take a cell that must be a number."""
    if not isinstance(cell, int | float):
        raise TypeError(f"{cell!r} is no number")
    return float(cell)
