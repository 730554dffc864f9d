"""Chart: shares as bars, one row each, with a second bar where there is an after.

Class sizes, contributions and population uniques are all told by it. A line may part the rows that
are acceptable from those that are not.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    Canvas,
    at,
    finished,
    rows,
    words,
)
from roadstead.reports.numbers import percent
from roadstead.reports.wording import legible, shortened

if TYPE_CHECKING:
    import altair as alt

_PITCH, _SINGLE, _HEAD = 40, 30, 22
_LETTERS = 24


class ShareBar(NamedTuple):
    """One row: its name, and its share before and after; no `after` where there is none."""

    name: str
    before: float
    after: float | None = None


class Line(NamedTuple):
    """A line above the row of an index, with what stands at its left and right end."""

    above: int
    name: str
    says: str


class ShareChart(NamedTuple):
    """Shares, one row each.

    Attributes
    ----------
    name
        The chart's own, which no other on the page has.
    title, description
        A few words and a sentence, for those who do not see it.
    rows_are, shares_of
        Heads of the two columns.
    bars
        The rows.
    line
        Between rows, if there is one.
    """

    name: str
    title: str
    description: str
    rows_are: str
    shares_of: str
    bars: tuple[ShareBar, ...]
    line: Line | None = None

    @property
    def scale(self) -> float:
        """The share that the axis ends at: the next tenth above the largest."""
        most = max([share for bar in self.bars for share in (bar.before, bar.after or 0.0)] or [0])
        return max(1, ceil(10 * most - 1e-9)) / 10


def draw_shares(chart: ShareChart, canvas: Canvas) -> alt.LayerChart:
    """Draw a bar or a pair of bars for each row, and the line between rows."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    left, right = (118, 90) if canvas.narrow else (190, 110)
    paired = any(bar.after is not None for bar in chart.bars)
    number = len(chart.bars) + (chart.line is not None)
    height = number * (_PITCH if paired else _SINGLE)
    shares = alt.Scale(domain=[0, chart.scale], range=[left, canvas.width - right])
    places = alt.Scale(domain=list(range(number)), range=[0, height], paddingInner=0.28)
    x, y = alt.X("share:Q", scale=shares, axis=None), alt.Y("row:O", scale=places, axis=None)
    when = ["before", "after"] if paired else ["before"]
    pair = alt.YOffset("when:N", scale=alt.Scale(domain=when, paddingInner=0.12))
    colors = [BEFORE, AFTER] if paired else [AFTER]
    color = alt.Color("when:N", scale=alt.Scale(domain=when, range=colors), legend=None)

    letters = _LETTERS if not canvas.narrow else _LETTERS * 2 // 3
    bars, line = _bars(chart, paired=paired), _line(chart)
    label, above = at(x=left - 10), at(y=-_HEAD / 2)
    zero = rows([{}]).mark_rule(aria=False, color=LINE)
    rule = rows(line).mark_rule(aria=False, color=MUTED, strokeDash=[4, 3])
    return finished(
        [
            words([{"said": chart.rows_are}], "said", align="right", muted=True, **label, **above),
            words([{"said": chart.shares_of}], "said", muted=True, **at(x=left), **above),
            zero.encode(**at(x=left, y=0, y2=height)),
            words(_labels(chart, letters), "said", align="right", **label, y=y),
            rows(bars)
            .mark_bar()
            .encode(x=x, y=y, yOffset=pair, color=color, description=alt.Description("told:N")),
            words(bars, "said", dx=6, x=x, y=y, yOffset=pair),
            rule.encode(**at(x=left, x2=canvas.width), y=y),
            words(line, "name", align="right", strong=True, **label, y=y),
            words(line, "says", align="right", muted=True, dy=-9, **at(x=canvas.width), y=y),
        ],
        canvas,
        height,
        head=_HEAD,
    )


def _row(chart: ShareChart, place: int) -> int:
    """Give the row of a bar: those below the line are one further down."""
    return place + (chart.line is not None and place >= chart.line.above)


def _bars(chart: ShareChart, *, paired: bool) -> list[dict[str, object]]:
    """Give the bars; the labels of the first pair say which is which."""
    return [
        {
            "row": _row(chart, place),
            "when": when,
            "share": share,
            "said": percent(share) + (f" {when}" if paired and place == 0 else ""),
            "told": f"{legible(bar.name)}{f', {when}' if paired else ''}: {percent(share)}",
        }
        for place, bar in enumerate(chart.bars)
        for when, share in (("before", bar.before), ("after", bar.after))
        if share is not None
    ]


def _labels(chart: ShareChart, letters: int) -> list[dict[str, object]]:
    return [
        {"row": _row(chart, place), "said": shortened(legible(bar.name), letters)}
        for place, bar in enumerate(chart.bars)
    ]


def _line(chart: ShareChart) -> list[dict[str, object]]:
    if chart.line is None:
        return []
    return [{"row": chart.line.above, "name": chart.line.name, "says": chart.line.says}]
