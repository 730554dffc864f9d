"""Chart: shares as bars, one row each, with a second bar where there is an after.

Class sizes, contributions and population uniques are all drawn by it. A line may part the rows that
are acceptable from those that are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    Block,
    Canvas,
    ChartLabel,
    Drawing,
    Rule,
    Scale,
    heads,
)
from roadstead.reports.numbers import percent
from roadstead.reports.wording import legible, shortened

_PITCH, _SINGLE, _HEAD = 40, 30, 22
_LETTERS = 24
_BETWEEN_ROWS, _IN_PAIR, _ALONE = 0.28, 0.12, 15


class ShareBar(NamedTuple):
    """One row: its name, and its share before and after; no `after` where there is none."""

    name: str
    before: float
    after: float | None = None


class BarLine(NamedTuple):
    """A line above the row of an index, with what stands at its left and right end."""

    above: int
    name: str
    says: str


class ShareChart(NamedTuple):
    """Shares, one row each."""

    name: str  # the chart's own, which no other on the page has
    title: str  # A few words and a sentence, for those who do not see it
    description: str
    rows_are: str  # heads of the two columns
    shares_of: str
    bars: tuple[ShareBar, ...]  # the rows
    line: BarLine | None = None  # between rows, if there is one

    @property
    def scale(self) -> float:
        """The share that the axis ends at: the next tenth above the largest."""
        most = max([share for bar in self.bars for share in (bar.before, bar.after or 0.0)] or [0])
        return max(1, ceil(10 * most - 1e-9)) / 10


def draw_shares(chart: ShareChart, canvas: Canvas) -> Drawing:
    """Draw a bar or a pair of bars for each row, and the line between rows."""
    left, right = (118, 90) if canvas.narrow else (190, 110)
    letters = _LETTERS if not canvas.narrow else _LETTERS * 2 // 3
    paired = any(bar.after is not None for bar in chart.bars)
    rows = []
    for place, bar in enumerate(chart.bars):
        parts = [("before", bar.before, BEFORE if paired else AFTER)]
        parts += [("after", bar.after, AFTER)] if bar.after is not None else []
        # The labels of the first pair say which is which.
        rows.append(
            Row(
                shortened(legible(bar.name), letters),
                tuple(
                    Part(
                        share,
                        percent(share) + (f" {when}" if paired and place == 0 else ""),
                        f"{legible(bar.name)}{f', {when}' if paired else ''}: {percent(share)}",
                        color,
                    )
                    for when, share, color in parts
                ),
            )
        )
    scale = Scale(chart.scale, left, canvas.width - right)
    pitch = _PITCH if paired else _SINGLE
    return draw_rows(rows, (chart.rows_are, chart.shares_of), chart.line, scale, canvas, pitch)


class Part(NamedTuple):
    """A bar in a row: its share, what stands at its end, what it says, and its color."""

    share: float
    said: str
    tooltip: str
    color: str


class Row(NamedTuple):
    """A name with the bars that share its row; one that is `alone` is as thin as one of a pair."""

    name: str
    parts: tuple[Part, ...]
    alone: bool = False


def draw_rows(
    rows: Sequence[Row],
    titles: tuple[str, str],
    line: BarLine | None,
    scale: Scale,
    canvas: Canvas,
    pitch: float = _PITCH,
) -> Drawing:
    """Draw rows of bars below the titles of their two columns, and a line in a row of its own."""
    left = scale.start
    height = pitch * (len(rows) + (line is not None))
    shapes = [*heads(*titles, left, _HEAD), Rule(left, 0, 0, height, LINE)]
    for place, row in enumerate(rows):
        top = pitch * (place + (line is not None and place >= line.above))
        shapes.append(ChartLabel(left - 10, top + pitch / 2, row.name, "right"))
        # Bars take so much of their row, and of a pair each so much of its half.
        room = pitch * (1 - _BETWEEN_ROWS)
        thick = _ALONE if row.alone else room * (1 - _IN_PAIR) / (len(row.parts) - _IN_PAIR)
        for at, part in enumerate(row.parts):
            start = (pitch - (_ALONE if row.alone else room)) / 2
            y = top + start + at * thick / (1 - _IN_PAIR)
            length = scale.length(part.share)
            shapes += [
                Block(left, y, length, thick, part.color, part.tooltip),
                ChartLabel(left + length + 6, y + thick / 2, part.said),
            ]
    if line is not None:
        y = pitch * (line.above + 0.5)
        shapes += [
            Rule(left, y, canvas.width - left, 0, MUTED, dashed=True),
            ChartLabel(left - 10, y, line.name, "right", strong=True),
            ChartLabel(canvas.width, y - 9, line.says, "right", muted=True),
        ]
    return Drawing(tuple(shapes), canvas.width, height, head=_HEAD)
