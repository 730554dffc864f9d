"""The pictures of paper 000, drawn like the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from roadstead_reproductions.drawing import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PALE,
    PURPLE,
    chart,
    colored,
    dashed,
    finished,
    layered,
    number,
    shaped,
)
from roadstead_reproductions.tables import Picture, ResultTable, Row

_DASHES = ((6, 3), (1, 0))
_WIDTH, _HEIGHT = 560, 340
_AROUND = 0.12
"""The margin around Safe Harbor in figure 8."""


def areas_picture(table: ResultTable) -> Picture:
    """Draw figure 5: mean areas, with one standard deviation above and below."""
    data: list[Row] = []
    for row in table.rows:
        for key, name in (("rcs", "RCS"), ("shs", "SHS")):
            mean, sd = number(row[key]), row[f"{key}_sd"]
            spread = 0.0 if sd is None else number(sd)
            data.append(
                {
                    "policies": row["policies"],
                    "search": name,
                    "area": mean,
                    "low": mean - spread,
                    "high": mean + spread,
                }
            )
    x = alt.X("policies:Q", title="policies evaluated", axis=alt.Axis(format=",d"))
    y = alt.Y(
        "area:Q",
        title="area under the frontier (less is better)",
        scale=alt.Scale(zero=False),
        axis=alt.Axis(format=".2f"),
    )
    names, colors = ("RCS", "SHS"), (ORANGE, BLUE)
    base = chart(data)
    band = base.mark_area(opacity=0.18).encode(
        x=x,
        y=alt.Y("low:Q", title="area under the frontier (less is better)"),
        y2="high:Q",
        color=colored("search", names, colors),
    )
    line = base.mark_line(strokeWidth=2).encode(
        x=x,
        y=y,
        color=colored("search", names, colors),
        strokeDash=dashed("search", names, _DASHES),
    )
    return finished(
        "figure-5-areas",
        "Area under the frontier",
        "Mean and standard deviation over the runs, by the number of policies evaluated",
        layered(band, line).properties(width=_WIDTH, height=_HEIGHT),
    )


def heuristic_picture(table: ResultTable, sampler: str) -> Picture:
    """Draw figure 6: the mean of E for each tenth of H."""
    data = [row for row in table.rows if row["sampler"] == sampler and row["e"] is not None]
    x = alt.X(
        "h:Q",
        title="H: share of the sublattice's box outside the frontier, up to",
        scale=alt.Scale(domain=[0, 1.04], nice=False),
        axis=alt.Axis(format=".0%", values=[i / 10 for i in range(11)]),
    )
    y = alt.Y(
        "e:Q",
        title="mean E: share of a chain that improves the frontier",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%"),
    )
    base = chart(data)
    line = base.mark_line(strokeWidth=1.5, color=BLUE, strokeDash=[4, 3]).encode(x=x, y=y)
    bars = (
        chart([row for row in data if row["low"] is not None])
        .mark_rule(strokeWidth=2, color=BLUE, clip=True)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    )
    dots = base.mark_point(filled=True, size=80, color=BLUE, opacity=1).encode(x=x, y=y)
    total = sum(int(number(row["sublattices"])) for row in data)
    return finished(
        "figure-6-heuristic",
        "The heuristic predicts improvements",
        f"{total:,} random sublattices ({sampler}), with 95% intervals of the means",
        layered(line, bars, dots).properties(width=_WIDTH, height=_HEIGHT),
    )


def frontier_picture(table: ResultTable) -> Picture:
    """Draw figure 7: all policies that SHS evaluated, and its frontier."""
    rows = [row for row in table.rows if row["kind"] in {"visited", "SHS"}]
    names = {"visited": "visited", "SHS": "frontier"}
    data: list[Row] = [{**row, "kind": names[str(row["kind"])]} for row in rows]
    view = _points(data, ("visited", "frontier"), (PALE, BLUE), (10, 16), (0, 1), (0, 1))
    return finished(
        "figure-7-frontier",
        "Policies visited by one run of SHS, and its frontier",
        "Points in the same place are drawn once",
        view,
    )


def safe_harbor_picture(table: ResultTable) -> Picture:
    """Draw figure 8: the policies near Safe Harbor."""
    (harbor,) = (row for row in table.rows if row["kind"] == "Safe Harbor")
    risk, loss = number(harbor["risk"]), number(harbor["loss"])
    names = {
        "visited": "visited by SHS",
        "bisecting": "bisecting search",
        "SHS": "frontier of SHS",
        "better": "of these, better than Safe Harbor",
        "combined": "frontier of combined (ours)",
        "Safe Harbor": "Safe Harbor",
    }
    data: list[Row] = []
    for key in names:
        for row in table.rows:
            kind = str(row["kind"])
            if kind == "SHS" and row["safe_harbor"] == "yes":
                kind = "better"
            if kind == key:
                data.append({**row, "kind": names[kind]})
    view = _points(
        data,
        tuple(names.values()),
        (PALE, PURPLE, BLUE, GREEN, BLACK, ORANGE),
        (8, 18, 18, 28, 5, 140),
        (max(0.0, risk - _AROUND), min(1.0, risk + _AROUND)),
        (max(0.0, loss - 2 * _AROUND), min(1.0, loss + 2 * _AROUND)),
    )
    return finished(
        "figure-8-safe-harbor",
        "Around Safe Harbor",
        "Policies below and to the left of it have less risk and less loss",
        view,
    )


def beyond_picture(table: ResultTable) -> Picture:
    """Draw the areas of our searches and of the paper's searches by evaluated policies."""
    names = ("RCS", "SHS", "steepest", "combined")
    x = alt.X(
        "policies:Q",
        title="policies evaluated (logarithmic)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~s", values=[100, 200, 500, 1e3, 2e3, 5e3, 1e4]),
    )
    y = alt.Y(
        "area:Q",
        title="area under the frontier",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(format=".2f"),
    )
    color = colored("search", names, (ORANGE, BLUE, BLACK, GREEN))
    shape = shaped("search", names, ("circle", "circle", "triangle-up", "diamond"))
    line = (
        chart(table.rows).mark_line(strokeWidth=1.5).encode(x=x, y=y, color=color, detail="seed:N")
    )
    layers = [line]
    for name, size in zip(names, (6, 6, 110, 16), strict=True):
        own = [row for row in table.rows if row["search"] == name]
        layers.append(
            chart(own)
            .mark_point(filled=True, opacity=1, size=size)
            .encode(x=x, y=y, color=color, shape=shape)
        )
    return finished(
        "beyond",
        "Our searches and the paper's",
        "One line per population; the initial chain of RCS and SHS is not counted",
        layered(*layers).properties(width=_WIDTH, height=_HEIGHT),
    )


def _points(
    data: Sequence[Row],
    names: Sequence[str],
    colors: Sequence[str],
    sizes: Sequence[int],
    risks: tuple[float, float],
    losses: tuple[float, float],
) -> alt.LayerChart:
    """Draw policies by risk and loss, with later names in front."""
    x = alt.X(
        "risk:Q",
        title="risk, share of the original data's",
        scale=alt.Scale(domain=list(risks), nice=False),
    )
    y = alt.Y(
        "loss:Q",
        title="loss, share of the greatest",
        scale=alt.Scale(domain=list(losses), nice=False),
    )
    shapes = ("circle", "circle", "circle", "square", "circle", "diamond")[-len(names) :]
    shape = shaped("kind", names, shapes)
    layers = []
    for name, size in zip(names, sizes, strict=True):
        own = [
            row
            for row in data
            if row["kind"] == name
            and risks[0] <= number(row["risk"]) <= risks[1]
            and losses[0] <= number(row["loss"]) <= losses[1]
        ]
        layers.append(
            chart(own)
            .mark_point(filled=True, opacity=1, size=size, clip=True)
            .encode(x=x, y=y, color=colored("kind", names, colors), shape=shape)
        )
    return layered(*layers).properties(width=_WIDTH, height=_WIDTH * 3 // 4)
