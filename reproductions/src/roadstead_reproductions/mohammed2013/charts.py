"""The pictures of paper 002, drawn like the paper's figures.

As in the paper, a line at the top shows BA and a line at the bottom shows LA.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import altair as alt

from roadstead_reproductions.drawing import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    chart,
    colored,
    dashed,
    data_of,
    finished,
    layered,
    number,
    shaped,
)
from roadstead_reproductions.mohammed2013 import published
from roadstead_reproductions.mohammed2013.accuracies import WAYS, Grid, grid_table
from roadstead_reproductions.mohammed2013.comparison import Compared, ComparisonExtent
from roadstead_reproductions.tables import Picture, ResultTable, Row

_COLORS: Final = (BLUE, GREEN, ORANGE, BLACK)
_DASHES: Final[tuple[tuple[int, ...], ...]] = ((2, 2), (6, 3), (8, 2, 2, 2), (1, 0))
_SHAPES: Final = ("circle", "triangle-up", "diamond", "square")
_WIDTH: Final = 560
_AROUND: Final = 0.015
"""The margin of an accuracy axis around the means. Longer intervals are cut off."""


def accuracies_picture(found: Grid) -> Picture:
    """Draw figure 4, with one panel per way and one line per epsilon."""
    data: list[Row] = [
        {
            "panel": row["way"],
            "epsilon": f"{number(row['epsilon']):g}",
            "specializations": row["specializations"],
            "ca": row["ca"],
            "low": number(row["ca"]) - number(row["margin"]),
            "high": number(row["ca"]) + number(row["margin"]),
            "ba": found.ba,
            "la": found.la,
        }
        for row in grid_table(found).rows
    ]
    series = list(dict.fromkeys(str(row["epsilon"]) for row in data))
    values = sorted({int(number(row["specializations"])) for row in data})
    x = alt.X(
        "specializations:Q",
        title="specializations",
        scale=alt.Scale(zero=False, padding=12),
        axis=alt.Axis(values=values, format="d"),
    )
    y = _accuracy([found.ba, found.la, *(number(row["ca"]) for row in data)])
    layers = [_rule(alt.Chart(), bound, y) for bound in ("ba", "la")]
    layers += _lines(alt.Chart(), x, y, "epsilon", series, "epsilon")
    view = alt.LayerChart(layer=layers).properties(width=200, height=260)
    order = [way.name for way in WAYS]
    facets = alt.FacetChart(
        data=data_of(data),
        spec=view,
        facet=alt.FacetMapping(column=alt.Column("panel:N", sort=order, title=None)),
    )
    runs = len(found.bounds)
    return finished(
        "figure-4-accuracies",
        "Classification accuracy on Adult",
        f"Means of {runs} runs with 95% intervals; gray: BA {100 * found.ba:.1f}% "
        f"(published {100 * published.BA:.1f}%) and LA {100 * found.la:.1f}% "
        f"({100 * published.LA:.1f}%)",
        facets,
    )


def comparison_picture(found: Compared, extent: ComparisonExtent) -> Picture:
    """Draw figure 5A: accuracy by epsilon, with lines for BA, TDS, and LA."""
    data: list[Row] = [
        {
            "way": way,
            "epsilon": float(epsilon),
            "ca": mean.mean,
            "low": mean.low,
            "high": mean.high,
        }
        for (way, epsilon), mean in found.means.items()
    ]
    series = list(dict.fromkeys(str(row["way"]) for row in data))
    # Values of epsilon double, so small values would overlap on a linear axis.
    x = alt.X(
        "epsilon:Q",
        title="epsilon (logarithmic)",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(values=sorted({number(row["epsilon"]) for row in data}), format="~g"),
    )
    lines = {"BA": found.ba.mean, f"TDS, k = {published.K}": found.tds.mean, "LA": found.la.mean}
    y = _accuracy([*lines.values(), *(number(row["ca"]) for row in data)])
    layers = []
    for name, value in lines.items():
        own: list[Row] = [{"name": name, "value": value}]
        text = chart(own).mark_text(align="left", dx=6, color="#4a5560", fontSize=11)
        layers.append(_rule(chart(own), "value", y))
        layers.append(text.encode(y=alt.Y("value:Q"), x=alt.value(_WIDTH), text="name:N"))
    layers += _lines(chart(data), x, y, "way", series, None)
    return finished(
        "figure-5a-comparison",
        f"Cross-validated accuracy on Adult, {extent.specializations} specializations",
        "Means with 95% intervals; ours choose their own number of specializations",
        layered(*layers).properties(width=_WIDTH, height=340),
    )


def scaling_picture(table: ResultTable) -> Picture:
    """Draw figure 5B: seconds by number of records, with a fitted line."""
    names = {
        "total": "whole",
        "reading": "reading and counting",
        "placing": "placing values in domains",
        "ours": "release",
    }
    data: list[Row] = [
        {"records": row["records"], "part": name, "seconds": row[key]}
        for row in table.rows
        for key, name in names.items()
    ]
    series = list(names.values())
    x = alt.X(
        "records:Q",
        title="records",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(format="~s", tickCount=6),
    )
    y = alt.Y("seconds:Q", title="seconds")
    color, shape, _ = _by_series("part", series, None)
    line = chart(table.rows).mark_line(color=GRAY, strokeDash=[4, 3])
    points = chart(data).mark_point(filled=True, opacity=1, size=70)
    return finished(
        "figure-5b-scaling",
        "Time of a release as Adult grows",
        ("From the file to the counts, at epsilon 1; the line is fitted to the total times"),
        layered(
            line.encode(x=x, y=alt.Y("fitted:Q", title="seconds")),
            points.encode(x=x, y=y, color=color, shape=shape),
        ).properties(width=_WIDTH, height=340),
    )


def choosing_picture(rows: Sequence[Row]) -> Picture:
    """Draw the chosen and the fixed numbers of specializations, with one panel per epsilon."""
    data: list[Row] = [
        {
            **row,
            "panel": f"epsilon {row['epsilon']}",
            "kind": "chosen" if row["number"] == "chosen" else "fixed",
        }
        for row in rows
    ]
    order = list(dict.fromkeys(str(row["number"]) for row in data))
    panels = list(dict.fromkeys(str(row["panel"]) for row in data))
    x = alt.X("number:N", title="specializations", sort=order, axis=alt.Axis(labelAngle=0))
    base = alt.Chart()
    color = colored("kind", ("fixed", "chosen"), (BLUE, ORANGE))
    shape = shaped("kind", ("fixed", "chosen"), ("circle", "diamond"))
    y = _accuracy([number(row["ca"]) for row in data])
    bars = base.mark_rule(strokeWidth=2, clip=True).encode(
        x=x, y=y("low"), y2="high:Q", color=color
    )
    points = base.mark_point(filled=True, opacity=1, size=80).encode(
        x=x, y=y("ca"), color=color, shape=shape
    )
    view = alt.LayerChart(layer=[bars, points]).properties(width=190, height=200)
    ways = list(dict.fromkeys(str(row["way"]) for row in data))
    facets = alt.FacetChart(
        data=data_of(data),
        spec=view,
        facet=alt.FacetMapping(
            column=alt.Column("panel:N", sort=panels, title=None),
            row=alt.Row("way:N", sort=ways, title=None),
        ),
    )
    return finished(
        "choosing",
        "The number of specializations: fixed, and chosen within the budget",
        "Adult; means with 95% intervals",
        facets,
    )


def _lines(
    base: alt.Chart,
    x: alt.X,
    y: Callable[[str], alt.Y],
    field: str,
    series: Sequence[str],
    title: str | None,
) -> list[alt.Chart]:
    """Draw a line with points and intervals for each series."""
    color, shape, dash = _by_series(field, series, title)
    line = base.mark_line(strokeWidth=2)
    bars = base.mark_rule(strokeWidth=1.5, clip=True)
    points = base.mark_point(filled=True, opacity=1, size=55)
    return [
        line.encode(x=x, y=y("ca"), color=color, strokeDash=dash),
        bars.encode(x=x, y=y("low"), y2="high:Q", color=color),
        points.encode(x=x, y=y("ca"), color=color, shape=shape),
    ]


def _by_series(
    field: str, series: Sequence[str], title: str | None
) -> tuple[alt.Color, alt.Shape, alt.StrokeDash]:
    # The last series is the main series: black and solid.
    last = slice(-len(series), None)
    return (
        colored(field, series, _COLORS[last], title),
        shaped(field, series, _SHAPES[last], title),
        dashed(field, series, _DASHES[last]),
    )


def _accuracy(shown: Sequence[float]) -> Callable[[str], alt.Y]:
    """Return a function that creates an axis of accuracies for a field."""
    scale = alt.Scale(domain=[min(shown) - _AROUND, max(shown) + _AROUND], zero=False)

    def axis(name: str) -> alt.Y:
        return alt.Y(
            name, title="classification accuracy", scale=scale, axis=alt.Axis(format=".0%")
        )

    return lambda name: axis(f"{name}:Q")


def _rule(base: alt.Chart, name: str, y: Callable[[str], alt.Y]) -> alt.Chart:
    """Draw a horizontal line."""
    rule = base.mark_rule(color=GRAY, strokeDash=[3, 3], strokeWidth=1.5)
    line: alt.Chart = rule.encode(y=y(f"mean({name})"))
    return line
