"""The pictures that show the tables of paper 003.

Values that span powers of ten have a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

from roadstead_reproductions.drawing import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    chart,
    colored,
    dashed,
    finished,
    layered,
    number,
    shaped,
    side_by_side,
)
from roadstead_reproductions.prasser2016.published import MEMORY
from roadstead_reproductions.tables import Cell, Picture, ResultTable, Row

_WIDTH, _HEIGHT = 250, 220
_LOWEST_QUALITY = 0.5
_TENS = [10.0**power for power in range(-6, 12)]
_LEGEND = {"symbolStrokeWidth": 0}

STRUCTURES = {
    "antichain_list": "list with the invariant",
    "prefix_tree": "prefix tree",
    "ranked_tree": "prefix tree with ranks",
}


def structures_picture(table: ResultTable) -> Picture:
    """Draw the time of each structure as a share of the plain list's time."""
    data: list[Row] = [
        {
            "what": f"{row['data']} ({row['attributes']}), {row['search']}: {row['property']}",
            "structure": name,
            "share": row[field],
        }
        for row in table.rows
        for field, name in STRUCTURES.items()
    ]
    names = list(STRUCTURES.values())
    y = alt.Y(
        "what:N", sort=None, title=None, axis=alt.Axis(labelLimit=360, labelFontSize=12, grid=True)
    )
    x = alt.X(
        "share:Q",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~%", values=[0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]),
        title="time in the structure, share of the plain list's (logarithmic; left is faster)",
    )
    points = (
        chart(data)
        .mark_point(filled=True, size=110, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colored("structure", names, (ORANGE, BLUE, BLACK)),
            shape=shaped("structure", names, ("triangle-up", "circle", "diamond")),
        )
    )
    line = chart([{"share": 1.0}]).mark_rule(color="#586474", strokeDash=[4, 3]).encode(x="share:Q")
    view = layered(line, points).properties(width=460, height=alt.Step(26))
    return finished(
        "table-1-structures",
        "Structures for predictive properties",
        (
            "Each structure replays the search's statements and queries; the dashed line is the "
            "plain list"
        ),
        view,
        _LEGEND,
    )


MEMORIES = {
    "explicit_bytes": "explicit lattice",
    "best_first_bytes": "best-first, all its structures",
    "exact_bytes": "exact, all its structures",
    "antichain_bytes": "antichain only",
}


def memory_picture(table: ResultTable) -> Picture:
    """Draw the memory in use by the number of policies."""
    ours = [row for row in table.rows if row["exact_bytes"] is not None]
    data: list[Row] = [
        {"policies": row["policies"], "bytes": row[field], "what": name}
        for row in ours
        for field, name in MEMORIES.items()
        if row[field] is not None
    ]
    names = list(MEMORIES.values())
    x = alt.X(
        "policies:Q",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~s", values=_TENS),
        title="policies of the lattice (logarithmic)",
    )
    y = alt.Y(
        "bytes:Q",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(
            labelExpr="replace(format(datum.value, '~s'), /([kMG]?)$/, ' $1') + 'B'", values=_TENS
        ),
        title="memory (logarithmic)",
    )
    base, color = chart(data), colored("what", names, (ORANGE, BLUE, GREEN, BLACK))
    lines = base.mark_line(strokeWidth=2).encode(
        x=x, y=y, color=color, strokeDash=dashed("what", names)
    )
    shape = shaped("what", names, ("square", "circle", "diamond", "triangle-up"))
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x, y=y, color=color, shape=shape
    )
    known: list[Row] = [
        {"policies": MEMORY.policies, "bytes": amount, "said": f"published: {what}"}
        for amount, what in ((MEMORY.explicit, "explicit"), (MEMORY.implicit, "implicit"))
    ]
    crosses = chart(known).mark_point(shape="cross", size=120, filled=True, color=PURPLE, opacity=1)
    words = chart(known).mark_text(align="right", dx=16, dy=17, fontSize=12, color=BLACK)
    view = layered(
        lines, marks, crosses.encode(x=x, y=y), words.encode(x=x, y=y, text="said:N")
    ).properties(width=520, height=340)
    return finished(
        "figure-5-memory",
        "Memory as attributes are added",
        "Ours on the made-up survey; crosses: published, SS13ACS, 12 attributes, a Java program",
        view,
        _LEGEND,
    )


def share_picture(table: ResultTable) -> Picture:
    """Draw the share of the time after which the optimum was found."""
    data: list[Row] = [
        {"data": row["data"], "attributes": row["attributes"], "search": name, "share": row[field]}
        for row in table.rows
        for field, name in (("share", "best-first"), ("exact_share", "exact"))
    ]
    y = alt.Y(
        "share:Q",
        scale=alt.Scale(type="log", domainMax=1),
        axis=alt.Axis(format="~%", values=[0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]),
        title="share of the time (logarithmic)",
    )
    return _by_data(
        "figure-7a-optimum",
        "When the optimum is found",
        "Time until the optimum is found, as a share of the whole search with its proof",
        data,
        y,
    )


def time_picture(table: ResultTable) -> Picture:
    """Draw the time of complete searches."""
    data: list[Row] = [
        {
            "data": row["data"],
            "attributes": row["attributes"],
            "search": name,
            "seconds": row[field],
        }
        for row in table.rows
        for field, name in (("seconds", "best-first"), ("exact_seconds", "exact"))
    ]
    y = alt.Y(
        "seconds:Q",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~g", values=_TENS),
        title="seconds until proven (logarithmic)",
    )
    return _by_data(
        "figure-6-times",
        "Time of the whole search",
        "Until the optimum is proven, only the search",
        data,
        y,
    )


def quality_picture(steps: ResultTable) -> Picture:
    """Draw quality over time as steps."""
    data: list[Row] = [
        {
            "data": row["data"],
            "search": row["search"],
            "milliseconds": 1000 * number(row["seconds"]),
            "quality": row["quality"],
        }
        for row in steps.rows
    ]
    names = ["best-first", "exact", "IGreedy"]
    dots = alt.Chart()
    color = colored("search", names, (BLUE, GREEN, ORANGE))
    x = alt.X(
        "milliseconds:Q",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~g", values=_TENS),
        title="milliseconds (logarithmic)",
    )
    y = alt.Y(
        "quality:Q",
        scale=alt.Scale(domain=[_LOWEST_QUALITY, 1]),
        axis=alt.Axis(format=".0%", tickCount=6),
        title="quality of the best known policy",
    )
    lines = dots.mark_line(interpolate="step-after", strokeWidth=2, clip=True).encode(
        x=x, y=y, color=color, strokeDash=dashed("search", names)
    )
    marks = dots.mark_point(filled=True, size=50, opacity=1, clip=True).encode(
        x=x,
        y=y,
        color=color,
        shape=shaped("search", names, ("circle", "diamond", "square")),
    )
    view = layered(lines, marks).properties(width=_WIDTH, height=_HEIGHT)
    return finished(
        "figure-7b-quality",
        "Quality over time",
        "With the most attributes; a line ends when its search ends, and begins below the frame "
        f"if its first policy has a quality below {_LOWEST_QUALITY:.0%}",
        side_by_side(view, data),
        _LEGEND,
    )


def improvement_picture(table: ResultTable) -> Picture:
    """Draw the improvement over IGreedy in IGreedy's time, by the number of attributes."""
    return _improvement(
        "table-5-improvement",
        "Improvement over IGreedy in IGreedy's time",
        table,
        {
            "published": "best-first, published",
            "fixed": "best-first, the paper's order",
            "mean": "best-first, mean of the subsets",
            "exact_mean": "exact, mean of the subsets",
        },
    )


def evaluations_picture(table: ResultTable) -> Picture:
    """Draw the improvement over IGreedy with the same number of evaluations."""
    return _improvement(
        "table-5-evaluations",
        "Improvement over IGreedy with as many evaluations",
        table,
        {
            "published": "best-first, published (in IGreedy's time)",
            "evaluations_fixed": "best-first, the paper's order",
            "evaluations_mean": "best-first, mean of the subsets",
        },
    )


def _improvement(name: str, title: str, table: ResultTable, series: dict[str, str]) -> Picture:
    middle = (len(series) - 1) / 2
    aside = {field: 0.08 * (i - middle) for i, field in enumerate(series)}  # avoids overlaps
    data: list[Row] = [
        {
            "data": row["data"],
            "attributes": number(row["attributes"]) + aside[field],
            "search": name,
            "improvement": row[field],
        }
        for row in table.rows
        for field, name in series.items()
        if row[field] is not None
    ]
    y = alt.Y(
        "improvement:Q",
        scale=alt.Scale(type="symlog", constant=0.01),
        axis=alt.Axis(
            format="+.0%",
            values=[-1, -0.5, -0.2, -0.1, -0.05, -0.02, -0.01, 0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
        ),
        title="quality over that of IGreedy",
    )
    return _by_data(
        name,
        title,
        "Relative to the quality that IGreedy reaches (scale logarithmic away from zero); "
        "a missing mark means a missing result",
        data,
        y,
        list(series.values()),
    )


_LOOKS = {
    2: ((BLUE, GREEN), ("circle", "diamond")),
    3: ((PURPLE, ORANGE, BLUE), ("cross", "triangle-up", "circle")),
    4: ((PURPLE, ORANGE, BLUE, GREEN), ("cross", "triangle-up", "circle", "diamond")),
}
"""Colors and shapes for each number of lines."""


def _by_data(
    name: str,
    title: str,
    subtitle: str,
    data: Sequence[Mapping[str, Cell]],
    y: alt.Y,
    names: Sequence[str] = ("best-first", "exact"),
) -> Picture:
    """Draw lines over the number of attributes, with one panel per data set."""
    colors, shapes = _LOOKS[len(names)]
    numbers = sorted({round(number(row["attributes"])) for row in data})
    x = alt.X(
        "attributes:Q",
        axis=alt.Axis(values=numbers, format="d", grid=False),
        scale=alt.Scale(domain=[numbers[0] - 0.3, numbers[-1] + 0.3], nice=False),
        title="quasi-identifiers",
    )
    base, color = alt.Chart(), colored("search", names, colors)
    lines = base.mark_line(strokeWidth=2).encode(
        x=x, y=y, color=color, strokeDash=dashed("search", names)
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x, y=y, color=color, shape=shaped("search", names, shapes)
    )
    view = layered(lines, marks).properties(width=_WIDTH, height=_HEIGHT)
    panels = side_by_side(view, data)
    return finished(name, title, subtitle, panels, _LEGEND)
