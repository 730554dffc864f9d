"""The report's three charts: for each, what is drawn, and the drawing.

What is drawn is gathered first, as a small tuple of numbers that can be tested without looking.
The drawing is markup: labels are text that wraps, bars are SVG whose lengths are shares of
whatever width there is, so a chart reads the same in a narrow window, in print and in the dark.
Nothing is scaled, fetched or run to show it. Colors are the page's style sheet.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from markupsafe import Markup

from roadstead.reports.content import ClassSizes, ReportContent
from roadstead.reports.environment import macro

_EDGES = (1, 2, 5, 10, 20, 50, 100, 1_000, 10_000)


class SizeBin(NamedTuple):
    """Records in classes of `smallest` to `largest` records; no `largest` in the open bin."""

    smallest: int
    largest: int | None
    before: int
    after: int


class ClassSizeChart(NamedTuple):
    """Records by the size of their class, before and after, out of all `records`."""

    bins: tuple[SizeBin, ...]
    suppressed: int
    records: int
    k: int

    @property
    def scale(self) -> float:
        """The share that a bar of full length stands for: the next tenth above the largest."""
        counts = [n for b in self.bins for n in (b.before, b.after)]
        most = max([*counts, self.suppressed]) / max(self.records, 1)
        # The tenth that is reached exactly is enough, whatever rounding made of it.
        return max(1, ceil(10 * most - 1e-9)) / 10


class LossBar(NamedTuple):
    """The loss of one attribute, with what was done to it."""

    name: str
    does: str
    loss: float


class LossChart(NamedTuple):
    """Attributes by their loss, the largest first."""

    bars: tuple[LossBar, ...]


class RiskBar(NamedTuple):
    """One risk, before and after."""

    name: str
    before: float
    after: float


class RiskChart(NamedTuple):
    """Risks before and after, with the one that is still acceptable."""

    bars: tuple[RiskBar, ...]
    threshold: float


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


def gather_losses(content: ReportContent) -> LossChart:
    """Order the attributes whose loss is known by it; equal ones keep their order."""
    bars = [LossBar(a.name, a.does, a.loss) for a in content.attributes if a.loss is not None]
    return LossChart(tuple(sorted(bars, key=lambda bar: -bar.loss)))


def gather_risks(content: ReportContent) -> RiskChart:
    """Pair the risks before and after."""
    before, after = content.risk_before, content.risk_after
    bars = (
        RiskBar("Highest risk", before.maximum, after.maximum),
        RiskBar("Average risk", before.average, after.average),
    )
    return RiskChart(bars, content.promise.threshold)


def draw_class_sizes(chart: ClassSizeChart) -> Markup:
    """Draw records by class size as HTML with inline SVG."""
    return macro("charts.html", "class_sizes")(chart)


def draw_losses(chart: LossChart) -> Markup:
    """Draw losses by attribute as HTML with inline SVG."""
    return macro("charts.html", "losses")(chart)


def draw_risks(chart: RiskChart) -> Markup:
    """Draw risks before and after as HTML with inline SVG."""
    return macro("charts.html", "risks")(chart)
