"""Draw shares before and after a release as bars. Each item has one row.

These charts show group sizes, losses, contributions, and population uniques. A line can separate
acceptable rows from other rows. For group sizes, this line is at k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import ceil, inf
from typing import NamedTuple, TypeAlias

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    SUPPRESSED,
    TRACK,
    Block,
    Canvas,
    ChartLabel,
    Drawing,
    Rule,
    Scale,
    Shape,
)
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.wording import format_count, legible, shortened

Histogram: TypeAlias = Sequence[tuple[int, int]]
"""Pairs of a group size and the number of records in groups of that size."""
_EDGES = (1, 2, 5, 10, 20, 50, 100, 1_000, 10_000)
_PAIR = (("before", BEFORE), ("after", AFTER))
_PITCH, _SINGLE, _HEAD = 40, 30, 22
_LETTERS = 24
_BETWEEN_ROWS, _IN_PAIR, _ALONE = 0.28, 0.12, 15


class ShareBar(NamedTuple):
    """A row with its name and its shares. `after` is None if there is no release."""

    name: str
    before: float
    after: float | None = None


class BarLine(NamedTuple):
    """A line above the row with a given index. The line has text at each end."""

    above: int
    name: str
    says: str


class ShareChart(NamedTuple):
    """A chart of shares. Each share has its own row."""

    name: str  # unique on the page
    title: str  # title and description, for readers who cannot see the chart
    description: str
    rows_are: str  # the headings of the two columns
    shares_of: str
    bars: tuple[ShareBar, ...]  # the rows
    line: BarLine | None = None  # the line between two rows, if any

    @property
    def scale(self) -> float:
        """The share at the end of the axis, which is the next tenth above the largest share."""
        most = max([share for bar in self.bars for share in (bar.before, bar.after or 0.0)] or [0])
        return max(1, ceil(10 * most - 1e-9)) / 10

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw a bar or a pair of bars for each row, and the line between rows."""
        left, right = (118, 90) if canvas.narrow else (190, 110)
        letters = _LETTERS if not canvas.narrow else _LETTERS * 2 // 3
        paired = any(bar.after is not None for bar in self.bars)
        looks = _PAIR if paired else (("", AFTER),)
        rows = [
            Row(
                shortened(legible(bar.name), letters),
                tuple(
                    Part(share, when, f"{legible(bar.name)}{', ' * paired}{when}", color)
                    for share, (when, color) in zip((bar.before, bar.after), looks, strict=False)
                    if share is not None
                ),
            )
            for bar in self.bars
        ]
        scale = Scale(self.scale, left, canvas.width - right)
        pitch = _PITCH if paired else _SINGLE
        return draw_rows(rows, (self.rows_are, self.shares_of), self.line, scale, canvas, pitch)


class Part(NamedTuple):
    """A bar in a row, with its share, its tooltip, its color, and the word "before" or "after"."""

    share: float
    when: str
    says: str
    color: str


class Row(NamedTuple):
    """A row with its name and its bars. A bar that is `alone` is as thin as a bar in a pair."""

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
    """Draw rows of bars below the titles of the two columns. A separating line has its own row."""
    left = scale.start
    height = pitch * (len(rows) + (line is not None))
    shapes: list[Shape] = [
        ChartLabel(left - 10, -_HEAD / 2, titles[0], "right", muted=True),
        ChartLabel(left, -_HEAD / 2, titles[1], muted=True),
        Rule(left, 0, 0, height, LINE),
    ]
    for place, row in enumerate(rows):
        top = pitch * (place + (line is not None and place >= line.above))
        shapes.append(ChartLabel(left - 10, top + pitch / 2, row.name, "right"))
        # A bar fills this share of the row's height. Each bar of a pair fills this share of half
        # the height.
        room = pitch * (1 - _BETWEEN_ROWS)
        thick = _ALONE if row.alone else room * (1 - _IN_PAIR) / (len(row.parts) - _IN_PAIR)
        for at, part in enumerate(row.parts):
            start = (pitch - (_ALONE if row.alone else room)) / 2
            y = top + start + at * thick / (1 - _IN_PAIR)
            length, said = scale.length(part.share), percent(part.share)
            # The labels of the first row name the two bars.
            when = f" {part.when}" if part.when and place == 0 else ""
            shapes += [
                Block(left, y, length, thick, part.color, f"{part.says}: {said}"),
                ChartLabel(left + length + 6, y + thick / 2, f"{said}{when}"),
            ]
    if line is not None:
        y = pitch * (line.above + 0.5)
        shapes += [
            Rule(left, y, canvas.width - left, 0, MUTED, dashed=True),
            ChartLabel(left - 10, y, line.name, "right", strong=True),
            ChartLabel(canvas.width, y - 9, line.says, "right", muted=True),
        ]
    return Drawing(tuple(shapes), canvas.width, height, head=_HEAD)


class SizeBin(NamedTuple):
    """The records in groups of `smallest` to `largest` records. The last bin has no `largest`."""

    smallest: int
    largest: int | None
    before: int
    after: int

    @property
    def label(self) -> str:
        """The group sizes in words: "1", "1,000 or more", or a range."""
        if self.largest is None:
            return f"{format_count(self.smallest)} or more"
        if self.smallest == self.largest:
            return format_count(self.smallest)
        return f"{format_count(self.smallest)}\N{EN DASH}{format_count(self.largest)}"


class ClassSizeChart(NamedTuple):
    """The number of records by group size, before and after a release."""

    bins: tuple[SizeBin, ...]
    suppressed: int
    records: int
    k: int
    name: str = "class-sizes"
    title: str = "Bar chart of the share of records by group size, before and after"

    @property
    def scale(self) -> float:
        """The share at the end of the axis, which is the next tenth above the largest share."""
        most = max(n for b in self.bins for n in (b.before, b.after, self.suppressed))
        # If the largest share is exactly a tenth, rounding errors must not add another tenth.
        return max(1, ceil(10 * self.share(most) - 1e-9)) / 10

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        small = [b for b in self.bins if b.smallest < self.k]
        before = percent(self.share(sum(b.before for b in small)))
        after = percent(self.share(sum(b.after for b in small)))
        return (
            f"The share of records in groups smaller than k = {self.k} is {before} before "
            f"and {after} after. {percent(self.share(self.suppressed))} of the records are "
            "suppressed. The figures are in the table below."
        )

    def share(self, number: int) -> float:
        """Return a number of records as a share of all records."""
        return number / max(self.records, 1)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw two bars per bin, the line at k between bins, and the suppressed records."""
        left, right = (94, 90) if canvas.narrow else (118, 110)
        rows = [
            Row(
                b.label,
                tuple(
                    Part(self.share(number), when, f"{when}, groups of {b.label}", color)
                    for number, (when, color) in zip((b.before, b.after), _PAIR, strict=True)
                ),
            )
            for b in self.bins
        ]
        if self.suppressed:
            part = Part(self.share(self.suppressed), "", "suppressed", SUPPRESSED)
            rows.append(Row("suppressed", (part,), alone=True))
        smaller = sum(b.smallest < self.k for b in self.bins)
        line = BarLine(smaller, f"k = {self.k}", "smaller groups are not released")
        scale = Scale(self.scale, left, canvas.width - right)
        return draw_rows(rows, ("group size", "share of records"), line, scale, canvas)


def gather_class_sizes(content: ReportContent) -> ClassSizeChart:
    """Count the records in bins by the size of their group, before and after a release."""
    before, after, k = content.classes_before, content.classes_after, content.promise.k
    bins = size_bins(_EDGES, k, before, after)
    return ClassSizeChart(tuple(bins), content.counts.suppressed, content.counts.records, k)


def size_bins(edges: Iterable[int], k: int, before: Histogram, after: Histogram) -> list[SizeBin]:
    """Count records in bins by the size of their group.

    Bins of larger sizes are wider.

    k is always at the edge of a bin, so no bin combines acceptable and unacceptable sizes.
    """
    starts = sorted({*edges, k})
    largest = max(k, *(size for size, _ in (*before, *after)), 0)
    return [
        SizeBin(
            start,
            following and following - 1,
            *(
                sum(n for size, n in sizes if start <= size < (following or inf))
                for sizes in (before, after)
            ),
        )
        for start, following in zip_longest(starts, starts[1:])
        if start <= largest
    ]


_BAR, _VALUE = 13, 58


class LossBar(NamedTuple):
    """The loss of an attribute, and its treatment."""

    name: str
    does: str
    loss: float


class LossChart(NamedTuple):
    """Attributes with their losses. The largest loss is first."""

    bars: tuple[LossBar, ...]
    name: str = "losses"
    title: str = "Bar chart of the loss of each column, from the largest to the smallest"

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        most, least = self.bars[0], self.bars[-1]
        return (
            f"The losses are between {percent(most.loss)} ({legible(most.name)}) and "
            f"{percent(least.loss)} ({legible(least.name)}). The figures are in the table "
            "below."
        )

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw one bar per attribute on a track that represents a loss of 100%."""
        # Names are next to the bars, or above them in a narrow chart.
        left, pitch, longest = (0, 62, 40) if canvas.narrow else (232, 42, 29)
        name_at, does_at, bar_at = (-17, 0, 17) if canvas.narrow else (-9, 9, 0)
        scale = Scale(1, left, canvas.width - _VALUE)
        shapes: list[Shape] = []
        for row, bar in enumerate(self.bars):
            middle = row * pitch + pitch / 2
            name, does, said = legible(bar.name), legible(bar.does), percent(bar.loss)
            told, top = f"{name}, {does}: {said}", middle + bar_at - _BAR / 2
            shapes += [
                ChartLabel(0, middle + name_at, shortened(name, longest), strong=True),
                ChartLabel(0, middle + does_at, shortened(does, longest + 4), muted=True),
                Block(left, top, scale.length(1), _BAR, TRACK, told),
                Block(left, top, scale.length(bar.loss), _BAR, AFTER, told),
                ChartLabel(canvas.width, middle + bar_at, said, "right"),
            ]
        return Drawing(tuple(shapes), canvas.width, len(self.bars) * pitch)


def gather_losses(content: ReportContent) -> LossChart:
    """Sort the attributes that have a known loss, from the largest loss to the smallest."""
    bars = [LossBar(a.name, a.does, a.loss) for a in content.attributes if a.loss is not None]
    return LossChart(tuple(sorted(bars, key=lambda bar: -bar.loss)))
