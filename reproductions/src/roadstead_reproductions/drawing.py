"""The shared parts of all charts: one theme, and the format of their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt

from roadstead_reproductions.tables import Picture, Row

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
"""The colors of Okabe and Ito, which most people can distinguish."""
BLACK, GRAY, PALE = "#1b2430", "#8a94a0", "#b4bcc6"
DASHES: Final = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2))

_LOOK: Final[dict[str, Any]] = {
    "font": "sans-serif",
    "background": "white",
    "view": {"stroke": "#d9dee4"},
    "title": {"fontSize": 15, "anchor": "start", "subtitleFontSize": 12, "offset": 14},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#e9edf1"},
    "header": {"labelFontSize": 13, "labelFontWeight": "bold"},
}
_LEGEND: Final = {"labelFontSize": 12, "labelLimit": 320, "titleFontSize": 12, "symbolSize": 90}


def finished(
    name: str,
    title: str,
    subtitle: str,
    view: alt.LayerChart | alt.FacetChart,
    legend: Mapping[str, Any] | None = None,
) -> Picture:
    """Add a title and the theme to a chart.

    `name` is the name of the picture in files, and `legend` overrides the theme of the legend.
    """
    titled = view.properties(title=alt.TitleParams(title, subtitle=subtitle))
    specification: dict[str, Any] = titled.to_dict()
    look = {**_LOOK, "legend": {**_LEGEND, **(legend or {})}}
    return Picture(name, f"{title}. {subtitle}.", {**specification, "config": look})


def colored(
    field: str, names: Sequence[str], colors: Sequence[str], title: str | None = None
) -> alt.Color:
    """Assign a color to each name, with a legend below the chart."""
    scale = alt.Scale(domain=list(names), range=list(colors))
    return alt.Color(f"{field}:N", scale=scale, legend=_below(title))


def shaped(
    field: str, names: Sequence[str], shapes: Sequence[str], title: str | None = None
) -> alt.Shape:
    """Assign a shape to each name, with a legend below the chart."""
    scale = alt.Scale(domain=list(names), range=list(shapes))
    return alt.Shape(f"{field}:N", scale=scale, legend=_below(title))


def dashed(
    field: str, names: Sequence[str], dashes: Sequence[Sequence[int]] = DASHES
) -> alt.StrokeDash:
    """Assign a dash pattern to each name, without a legend, because the colors have a legend."""
    scale = alt.Scale(domain=list(names), range=[list(dash) for dash in dashes[: len(names)]])
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=None)


def _below(title: str | None) -> alt.Legend:
    return alt.Legend(title=title, orient="bottom", columns=4, symbolOpacity=1)


def side_by_side(view: alt.LayerChart, rows: Sequence[Row], column: str = "data") -> alt.FacetChart:
    """Draw one panel per value of a column, with the same scales."""
    order = list(dict.fromkeys(str(row[column]) for row in rows))
    return alt.FacetChart(
        data=data_of(rows),
        spec=view,
        facet=alt.FacetMapping(column=alt.Column(f"{column}:N", sort=order, title=None)),
    )


def data_of(rows: Sequence[Row]) -> alt.Data:
    """Convert rows to the data of a chart."""
    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call] # theirs


def chart(rows: Sequence[Row]) -> alt.Chart:
    """Return a layer that draws these rows."""
    return alt.Chart(data_of(rows))


def layered(*layers: alt.Chart) -> alt.LayerChart:
    """Combine layers into one chart."""
    return alt.LayerChart(layer=list(layers))


def number(cell: object) -> float:
    """Return a cell as a number, or raise a TypeError."""
    if not isinstance(cell, int | float):
        raise TypeError(f"{cell!r} is not a number")
    return float(cell)
