"""Chart: how many records are in classes of which size, before and after.

The line of k stands between the bins that may be released and those that may not, so that one
sees at once that the release has nothing above it.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    SUPPRESSED,
    Canvas,
    at,
    finished,
    rows,
    words,
)
from roadstead.reports.content import ClassSizes, ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.wording import whole

if TYPE_CHECKING:
    import altair as alt

_EDGES = (1, 2, 5, 10, 20, 50, 100, 1_000, 10_000)
_PITCH, _BAR, _HEAD = 40, 15, 22


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


def draw_class_sizes(chart: ClassSizeChart, canvas: Canvas) -> alt.LayerChart:
    """Draw a pair of bars for each bin, the line of k between bins, and what is suppressed."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    left, right = (94, 90) if canvas.narrow else (118, 110)
    number = len(chart.bins) + 1 + bool(chart.suppressed)
    height = number * _PITCH
    shares = alt.Scale(domain=[0, chart.scale], range=[left, canvas.width - right])
    places = alt.Scale(domain=list(range(number)), range=[0, height], paddingInner=0.28)
    x, y = alt.X("share:Q", scale=shares, axis=None), alt.Y("row:O", scale=places, axis=None)
    when = ["before", "after"]
    pair = alt.YOffset("when:N", scale=alt.Scale(domain=when, paddingInner=0.12))
    color = alt.Color("when:N", scale=alt.Scale(domain=when, range=[BEFORE, AFTER]), legend=None)
    told = alt.Description("told:N")

    bars, suppressed, line = _bars(chart), _suppressed(chart), _line(chart)
    zero = rows([{}]).mark_rule(aria=False, color=LINE)
    rule = rows(line).mark_rule(aria=False, color=MUTED, strokeDash=[4, 3])
    alone = rows(suppressed).mark_bar(size=_BAR, color=SUPPRESSED)
    label, above = at(x=left - 10), at(y=-_HEAD / 2)
    return finished(
        [
            words([{"said": "class size"}], "said", align="right", muted=True, **label, **above),
            words([{"said": "share of records"}], "said", muted=True, **at(x=left), **above),
            zero.encode(**at(x=left, y=0, y2=height)),
            words(_labels(chart), "said", align="right", **label, y=y),
            rows(bars).mark_bar().encode(x=x, y=y, yOffset=pair, color=color, description=told),
            words(bars, "said", dx=6, x=x, y=y, yOffset=pair),
            rule.encode(**at(x=left, x2=canvas.width), y=y),
            words(line, "k", align="right", strong=True, **label, y=y),
            words(line, "said", align="right", muted=True, dy=-9, **at(x=canvas.width), y=y),
            alone.encode(x=x, y=y, description=told),
            words(suppressed, "said", dx=6, x=x, y=y),
        ],
        canvas,
        height,
        head=_HEAD,
    )


def _smaller(chart: ClassSizeChart) -> int:
    """Count the bins above the line of k, which has a row of its own."""
    return sum(b.smallest < chart.k for b in chart.bins)


def _bars(chart: ClassSizeChart) -> list[dict[str, object]]:
    """Give two bars for each bin; the labels of the first pair say which is which."""
    return [
        {
            "row": place + (place >= _smaller(chart)),
            "when": when,
            "share": chart.share(number),
            "said": percent(chart.share(number)) + (f" {when}" if place == 0 else ""),
            "told": f"{when}, classes of {b.label}: {percent(chart.share(number))}",
        }
        for place, b in enumerate(chart.bins)
        for when, number in (("before", b.before), ("after", b.after))
    ]


def _line(chart: ClassSizeChart) -> list[dict[str, object]]:
    said = "smaller classes are not released"
    return [{"row": _smaller(chart), "k": f"k = {chart.k}", "said": said}]


def _suppressed(chart: ClassSizeChart) -> list[dict[str, object]]:
    if not chart.suppressed:
        return []
    share = chart.share(chart.suppressed)
    said = percent(share)
    row = len(chart.bins) + 1
    return [{"row": row, "share": share, "said": said, "told": f"suppressed: {said}"}]


def _labels(chart: ClassSizeChart) -> list[dict[str, object]]:
    labels = [b.label for b in chart.bins]
    labels.insert(_smaller(chart), "")
    if chart.suppressed:
        labels.append("suppressed")
    return [{"row": row, "said": label} for row, label in enumerate(labels) if label]
