"""Chart: how many records are in classes of which size, before and after.

The line of k stands between the bins that may be released and those that may not, so that one
sees at once that the release has nothing above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import ceil, inf
from typing import NamedTuple, TypeAlias

from roadstead.reports.charts.canvas import AFTER, BEFORE, SUPPRESSED, Canvas, Drawing, Scale
from roadstead.reports.charts.share_bars import BarLine, Part, Row, draw_rows
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.wording import whole

Histogram: TypeAlias = Sequence[tuple[int, int]]
"""Pairs of a class size and the number of records in classes of that size."""
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
    """Sort records into bins by the size of their class."""
    before, after, k = content.classes_before, content.classes_after, content.promise.k
    bins = size_bins(_EDGES, k, before.histogram, after.histogram)
    return ClassSizeChart(tuple(bins), content.counts.suppressed, content.counts.records, k)


def size_bins(edges: Iterable[int], k: int, before: Histogram, after: Histogram) -> list[SizeBin]:
    """Sort records into bins that grow with the size of their class, up to the largest.

    Always k is the edge of one, so that what may be released and what may not never share a bar.
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
