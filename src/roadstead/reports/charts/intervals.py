"""Draw the coefficients of a regression with their 95% confidence intervals.

The chart compares the original table with the releases. Every coefficient has its own scale,
because coefficients differ greatly in size. If zero is near the interval, a line marks zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Shape,
)
from roadstead.reports.wording import shortened

_ROW, _HEAD, _BETWEEN = 20, 22, 16
_ZERO_NEAR = 0.6


class Interval(NamedTuple):
    """An estimate and the ends of its confidence interval. An unknown number is None."""

    estimate: float | None
    low: float | None
    high: float | None


class IntervalsChart(NamedTuple):
    """The intervals of each term: one per name in `called`. The original table is first."""

    terms: Sequence[str]
    called: Sequence[str]
    intervals: Sequence[Sequence[Interval]]
    name: str = "regression"
    title: str = "Coefficients with their 95% intervals"

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        said = []
        for term, own in zip(self.terms, self.intervals, strict=True):
            rows = zip(self.called, own, strict=True)
            known = [f"{who} {_number(one.estimate)}" for who, one in rows]
            said.append(f"{term}: {', '.join(known)}")
        return "; ".join(said)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw a block of lines for each term."""
        left = 110 if canvas.narrow else 220
        right = canvas.width - 8
        shapes: list[Shape] = []
        y = 0.0
        for term, own in zip(self.terms, self.intervals, strict=True):
            shapes.append(ChartLabel(0, y + 8, shortened(term, 44), strong=True))
            known = [end for one in own for end in (one.low, one.high) if end is not None]
            y += _HEAD
            if not known:
                shapes.append(ChartLabel(0, y + _ROW / 2, "not determined", muted=True))
                y += _ROW + _BETWEEN
                continue
            low, high = min(known), max(known)
            reach = (high - low) or abs(high) or 1.0
            if 0 < low < _ZERO_NEAR * reach or 0 > high > -_ZERO_NEAR * reach:
                low, high = min(low, 0.0), max(high, 0.0)
            reach = (high - low) or abs(high) or 1.0

            def place(number: float, low: float = low, reach: float = reach) -> float:
                return left + (right - left) * (number - low) / reach

            if low <= 0 <= high:
                shapes.append(Rule(place(0), y - 2, 0, _ROW * len(own) + 4, LINE, dashed=True))
            for at, (who, one) in enumerate(zip(self.called, own, strict=True)):
                middle = y + at * _ROW + _ROW / 2
                longest = 14 if canvas.narrow else 30
                shapes.append(ChartLabel(0, middle, shortened(who, longest), muted=True))
                color = AFTER if at else BEFORE
                if one.estimate is None or one.low is None or one.high is None:
                    shapes.append(ChartLabel(left, middle, "not determined", muted=True))
                    continue
                begin, end = place(one.low), place(one.high)
                said = f"{who}: {_number(one.estimate)}"
                shapes.append(Rule(begin, middle, end - begin, 0, color, 2.5))
                shapes.append(Dot(place(one.estimate), middle, 4.5, color, said))
            y += _ROW * len(own)
            shapes.append(ChartLabel(left, y + 6, _number(low), "left", muted=True))
            shapes.append(ChartLabel(right, y + 6, _number(high), "right", muted=True))
            shapes.append(Rule(left, y - 2, right - left, 0, MUTED, 0.5))
            y += 14 + _BETWEEN
        return Drawing(tuple(shapes), canvas.width, y, head=6)


def _number(number: float | None) -> str:
    return "not determined" if number is None else f"{number:.3g}"
