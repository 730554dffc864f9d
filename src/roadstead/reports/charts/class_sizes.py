"""Chart: how many records are in classes of which size, before and after.

The line of k stands between the bins that may be released and those that may not, so that one
sees at once that the release has nothing above it.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from roadstead.reports.charts.canvas import AFTER, BEFORE, SUPPRESSED, Canvas, Drawing, Scale
from roadstead.reports.charts.share_bars import BarLine, Part, Row, draw_rows
from roadstead.reports.content import ClassSizes, ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.wording import whole

_EDGES = (1, 2, 5, 10, 20, 50, 100, 1_000, 10_000)


class SizeBin(NamedTuple):
    """Records in classes of `smallest` to `largest` records; no `largest` in the open bin."""

    smallest: int
    largest: int | None
    before: int
    after: int

    @property
    def label(self) -> str:
        """The sizes in words: "1", "1,000 or more", or from one to another."""
        if self.largest is None:
            return f"{whole(self.smallest)} or more"
        if self.smallest == self.largest:
            return whole(self.smallest)
        return f"{whole(self.smallest)}\N{EN DASH}{whole(self.largest)}"


class ClassSizeChart(NamedTuple):
    """Records by the size of their class, before and after, out of all `records`."""

    bins: tuple[SizeBin, ...]
    suppressed: int
    records: int
    k: int

    @property
    def scale(self) -> float:
        """The share that the axis ends at: the next tenth above the largest."""
        most = max(n for b in self.bins for n in (b.before, b.after, self.suppressed))
        # The tenth that is reached exactly is enough, whatever rounding made of it.
        return max(1, ceil(10 * self.share(most) - 1e-9)) / 10

    @property
    def title(self) -> str:
        """The chart in a few words, for those who do not see it."""
        return "Bar chart of the share of records by class size, before and after"

    @property
    def description(self) -> str:
        """What there is to see."""
        small = [b for b in self.bins if b.smallest < self.k]
        before = percent(self.share(sum(b.before for b in small)))
        after = percent(self.share(sum(b.after for b in small)))
        return (
            f"In classes smaller than k = {self.k} are {before} of the records before and "
            f"{after} after; {percent(self.share(self.suppressed))} are suppressed. "
            "The figures are in the table below."
        )

    def share(self, number: int) -> float:
        """Give so many records as a share of all."""
        return number / max(self.records, 1)


def gather_class_sizes(content: ReportContent) -> ClassSizeChart:
    """Sort records into bins by the size of their class.

    Bins grow with size; k is always the edge of one, so that what may be released and what may
    not never share a bar. Bins beyond the largest class are left out.
    """
    before, after, k = content.classes_before, content.classes_after, content.promise.k
    edges = sorted({*_EDGES, k})
    largest = max([size for size, _ in (*before.histogram, *after.histogram)], default=0)
    starts = [edge for edge in edges if edge <= max(largest, k)]
    bins = []
    for start in starts:
        following = [edge for edge in edges if edge > start]
        end = following[0] - 1 if following else None
        bins.append(SizeBin(start, end, _within(before, start, end), _within(after, start, end)))
    counts = content.counts
    return ClassSizeChart(tuple(bins), counts.suppressed, counts.records, k)


def _within(classes: ClassSizes, smallest: int, largest: int | None) -> int:
    return sum(
        records
        for size, records in classes.histogram
        if smallest <= size and (largest is None or size <= largest)
    )


def draw_class_sizes(chart: ClassSizeChart, canvas: Canvas) -> Drawing:
    """Draw a pair of bars for each bin, the line of k between bins, and what is suppressed."""
    left, right = (94, 90) if canvas.narrow else (118, 110)
    rows = [
        Row(
            b.label,
            tuple(
                Part(
                    chart.share(number),
                    # The labels of the first pair say which is which.
                    percent(chart.share(number)) + (f" {when}" if place == 0 else ""),
                    f"{when}, classes of {b.label}: {percent(chart.share(number))}",
                    color,
                )
                for when, number, color in (
                    ("before", b.before, BEFORE),
                    ("after", b.after, AFTER),
                )
            ),
        )
        for place, b in enumerate(chart.bins)
    ]
    if chart.suppressed:
        share = chart.share(chart.suppressed)
        said = percent(share)
        part = Part(share, said, f"suppressed: {said}", SUPPRESSED)
        rows.append(Row("suppressed", (part,), alone=True))
    smaller = sum(b.smallest < chart.k for b in chart.bins)
    line = BarLine(smaller, f"k = {chart.k}", "smaller classes are not released")
    scale = Scale(chart.scale, left, canvas.width - right)
    return draw_rows(rows, ("class size", "share of records"), line, scale, canvas)
