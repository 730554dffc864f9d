"""Figures 6 to 9 of paper 004, drawn from our runs.

In the pictures, crosses mark published figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np

from roadstead_reproductions.benitez2010.published import ITERATIONS, NODES, NON_DOMINATED
from roadstead_reproductions.benitez2010.runs import BISECTING, DIRECTED, EVEN, PAIR, Runs
from roadstead_reproductions.benitez2010.trends import logarithmic
from roadstead_reproductions.drawing import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    colored,
    finished,
    layered,
    side_by_side,
)
from roadstead_reproductions.tables import Picture, ResultTable, Row

_COLORS: Final = {DIRECTED: ORANGE, BISECTING: BLUE, EVEN: GREEN}
_DASHES: Final = {DIRECTED: (6, 3), BISECTING: (1, 0), EVEN: (2, 2)}
_WIDTH, _HEIGHT = 310, 260
_LEGEND: Final = {"symbolStrokeWidth": 2, "symbolSize": 400}


def time_picture(curves: ResultTable) -> Picture:
    """Draw figure 6: cumulative time by iteration."""
    y = alt.Y("seconds:Q", title="seconds since the start")
    return finished(
        "figure-6-time",
        "Figure 6: cumulative time by iteration",
        "Means of the runs, on this machine",
        _panels([row for row in curves.rows if row["search"] in PAIR], _line(y, PAIR)),
        _LEGEND,
    )


def memory_picture(runs: Sequence[Runs]) -> Picture:
    """Draw figure 7: the time of each iteration of bisecting, with a logarithmic trend."""
    data: list[Row] = []
    for one in (one for one in runs if one.search == BISECTING):
        seconds = one.seconds[0]
        trend = logarithmic(seconds)
        data += [
            {
                "data": one.case.name,
                "iteration": i,
                "milliseconds": 1000 * float(value),
                "trend": 1000 * (trend.begin + trend.slope * float(np.log(i))),
            }
            for i, value in enumerate(seconds, start=1)
        ]
    base, x = alt.Chart(), _iterations()
    y = alt.Y("milliseconds:Q", title="milliseconds per iteration")
    points = base.mark_point(filled=True, size=30, opacity=0.7, color=_COLORS[BISECTING])
    trends = base.mark_line(color=BLACK, strokeWidth=2, strokeDash=[6, 3])
    layers = (points.encode(x=x, y=y), trends.encode(x=x, y=alt.Y("trend:Q")))
    return finished(
        "figure-7-remembering",
        "Figure 7: time of each iteration of bisecting",
        "The first run; dashed: logarithmic trend. If remembered answers helped, it would fall",
        _panels(data, *layers),
        _LEGEND,
    )


def diversity_picture(curves: ResultTable) -> Picture:
    """Draw figure 8: the number of non-dominated policies that are found, by iteration."""
    names = (*PAIR, EVEN)
    last = max(int(str(row["iteration"])) for row in curves.rows)
    rows: list[Row] = []
    for row in curves.rows:
        mean, deviation = float(str(row["mean"])), row["deviation"]
        spread = 0.0 if deviation is None else float(str(deviation))
        known = NON_DOMINATED.get(
            (str(row["data"]), str(row["search"]), int(str(row["iteration"])))
        )
        high = min(mean + spread, float(str(row["iteration"])))
        rows.append({**row, "low": mean - spread, "high": high, "published": known})
    x = _iterations()
    bound = alt.Chart().mark_line(color=GRAY, strokeWidth=1)
    layers = (
        *map(_band, names),
        bound.encode(x=x, y=alt.Y("iteration:Q")),
        _line(alt.Y("mean:Q", title="policies not dominated"), names),
        _crosses("published", names),
    )
    return finished(
        "figure-8-non-dominated",
        "Figure 8: policies found that are not dominated",
        "Means and deviations of the runs; gray: none is dominated; crosses: published, for Van"
        + ("" if last >= ITERATIONS else " (beyond this run)"),
        _panels(rows, *layers),
        _LEGEND,
    )


def nodes_picture(curves: ResultTable) -> Picture:
    """Draw figure 9: the number of queried policies, by iteration."""
    rows: list[Row] = []
    for row in curves.rows:
        if row["search"] in PAIR:
            whole = row["iteration"] == ITERATIONS
            known = NODES.get((str(row["data"]), str(row["search"]))) if whole else None
            rows.append({**row, "published": known})
    y = alt.Y("searched:Q", title="policies queried")
    return finished(
        "figure-9-nodes",
        "Figure 9: policies queried",
        "Means of the runs; crosses: published",
        _panels(rows, _line(y, PAIR), _crosses("published", PAIR)),
        _LEGEND,
    )


def _iterations() -> alt.X:
    return alt.X("iteration:Q", title="iterations", axis=alt.Axis(format="d", tickMinStep=1))


def _line(y: alt.Y, names: Sequence[str]) -> alt.Chart:
    dashes = alt.Scale(domain=list(names), range=[list(_DASHES[name]) for name in names])
    # The legend shows both colors and dashes.
    dash = alt.StrokeDash("search:N", scale=dashes, legend=alt.Legend(title=None, orient="bottom"))
    line: alt.Chart = (
        alt.Chart()
        .mark_line(strokeWidth=2)
        .encode(x=_iterations(), y=y, color=_colored(names), strokeDash=dash)
    )
    return line


def _band(name: str) -> alt.Chart:
    """Shade an area in a fixed color, because a scale would add the area to the legend."""
    low = alt.Y("low:Q", title="policies not dominated")
    band: alt.Chart = (
        alt.Chart()
        .transform_filter(f"datum.search === '{name}'")
        .mark_area(opacity=0.15, color=_COLORS[name])
        .encode(x=_iterations(), y=low, y2="high:Q")
    )
    return band


def _crosses(field: str, names: Sequence[str]) -> alt.Chart:
    crosses: alt.Chart = (
        alt.Chart()
        .transform_filter(f"isValid(datum.{field})")
        .mark_point(shape="cross", filled=True, size=130, opacity=1)
        .encode(x=_iterations(), y=alt.Y(f"{field}:Q"), color=_colored(names))
    )
    return crosses


def _colored(names: Sequence[str]) -> alt.Color:
    return colored("search", names, [_COLORS[name] for name in names])


def _panels(data: Sequence[Row], *layers: alt.Chart) -> alt.FacetChart:
    """Draw one panel per data set, on the same scales."""
    return side_by_side(layered(*layers).properties(width=_WIDTH, height=_HEIGHT), data)
