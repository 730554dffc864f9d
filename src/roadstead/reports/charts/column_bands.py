"""Draw how much detail of one column is kept in a release.

The chart shows the column's bands, and the frequency of its values before and after.

The upper part shows the bands on a scale. Overlapping bands are in different lanes. The most
frequent bands are in the first lanes. The lower part shows the frequency of the values on the same
scale: gray in the original, blue in the release. Values that have no order are listed in rows,
without a scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
    Shape,
)
from roadstead.reports.numbers import percent
from roadstead.reports.wording import shortened

_LANE, _GAP, _MOST_LANES = 13, 3, 5
_BARS, _ROW = 96, 30
_LETTER = 6.8
_LEAST = 0.75


class DrawnBand(NamedTuple):
    """A band with its name, its share of the records, and its two ends on a scale from 0 to 1."""

    label: str
    share: float
    low: float | None
    high: float | None
    whole: bool = False


class KeptChart(NamedTuple):
    """The chart of one column in one release. `places` lists the ends of the groups, or is None."""

    name: str
    column: str
    bands: Sequence[DrawnBand]
    labels: Sequence[str]
    places: Sequence[tuple[float, float]] | None
    before: Sequence[float]
    after: Sequence[float]
    lanes: bool = False

    @property
    def title(self) -> str:
        """The title of the chart."""
        return f"{self.column} before and after"

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        rows = zip(self.labels, self.before, self.after, strict=True)
        return "; ".join(f"{a}: {percent(b)} before, {percent(c)} after" for a, b, c in rows)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw the chart in the available space."""
        if self.places is None:
            return self._in_rows(canvas)
        shapes, top = self._strip(canvas)
        most = max([*self.before, *self.after, 1e-9])
        bottom = top + _BARS
        for label, (low, high), before, after in zip(
            self.labels, self.places, self.before, self.after, strict=True
        ):
            x, width = low * canvas.width, max((high - low) * canvas.width - 1, 1)
            said = f"{label}: {percent(before)} before, {percent(after)} after"
            tall = _BARS * before / most
            shapes.append(Block(x, bottom - tall, width, max(tall, _LEAST), BEFORE, said))
            tall, slim = _BARS * after / most, width * 0.5
            at = x + (width - slim) / 2
            shapes.append(Block(at, bottom - tall, slim, max(tall, _LEAST), AFTER, said))
        shapes.append(Rule(0, bottom, canvas.width, 0, MUTED))
        middle = len(self.labels) // 2
        shapes.append(ChartLabel(0, bottom + 14, self.labels[0], muted=True))
        if len(self.labels) > 1:
            last = self.labels[-1]
            shapes.append(ChartLabel(canvas.width, bottom + 14, last, "right", muted=True))
        room = canvas.width / 2 > _LETTER * (len(self.labels[0]) + len(self.labels[-1])) * 0.8 + 30
        if len(self.labels) > 4 and room:  # noqa: PLR2004 - first, middle and last
            low, high = self.places[middle]
            at = (low + high) / 2 * canvas.width
            shapes.append(ChartLabel(at, bottom + 14, self.labels[middle], "center", muted=True))
        return Drawing(tuple(shapes), canvas.width, bottom + 24, head=2)

    def _strip(self, canvas: Canvas) -> tuple[list[Shape], float]:
        """Draw the bands that have two ends. They are in a limited number of lanes."""
        shapes: list[Shape] = []
        ends: list[list[tuple[float, float]]] = []
        for band in sorted(self.bands, key=lambda one: -one.share):
            if band.low is None or band.high is None:
                continue
            lane = next(
                (at for at, own in enumerate(ends) if _fits(own, band.low, band.high)), None
            )
            if lane is None:
                if len(ends) == _MOST_LANES:
                    continue
                lane = len(ends)
                ends.append([])
            ends[lane].append((band.low, band.high))
            x, y = band.low * canvas.width, lane * (_LANE + _GAP)
            width = max((band.high - band.low) * canvas.width - 1.5, 1)
            color = SUPPRESSED if band.whole else TRACK if self.lanes and lane else LINE
            said = f"{band.label}: {percent(band.share)} of the records"
            shapes.append(Block(x, y, width, _LANE, color, said))
            if len(band.label) * _LETTER + 4 < width:
                label = ChartLabel(x + width / 2, y + _LANE / 2, band.label, "center", muted=True)
                shapes.append(label)
        return shapes, len(ends) * (_LANE + _GAP) + 8

    def _in_rows(self, canvas: Canvas) -> Drawing:
        most = max([*self.before, *self.after, 1e-9])
        shapes: list[Shape] = []
        for at, (label, before, after) in enumerate(
            zip(self.labels, self.before, self.after, strict=True)
        ):
            y = at * _ROW
            said = f"{label}: {percent(before)} before, {percent(after)} after"
            shapes.append(ChartLabel(0, y + 7, shortened(label, 34)))
            figures = f"{percent(before)} \N{RIGHTWARDS ARROW} {percent(after)}"
            shapes.append(ChartLabel(canvas.width, y + 7, figures, "right", muted=True))
            long = canvas.width * before / most
            shapes.append(Block(0, y + 15, max(long, _LEAST), 10, BEFORE, said))
            long = canvas.width * after / most
            shapes.append(Block(0, y + 17.5, max(long, _LEAST), 5, AFTER, said))
        return Drawing(tuple(shapes), canvas.width, len(self.labels) * _ROW, head=4)


def _fits(own: Sequence[tuple[float, float]], low: float, high: float) -> bool:
    return all(high <= a + 1e-9 or low >= b - 1e-9 for a, b in own)
