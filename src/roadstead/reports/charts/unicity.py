"""Chart: how many persons are singled out, by how many of their rows somebody knows.

A line for the table before and one for the release: the share of persons whom so many of their rows
leave among fewer than k, and below it, dashed, of those whom they fit alone. What was drawn and not
counted has its interval as a whisker. The last place on the axis, all rows, stands apart from the
others, as it is no number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    LINE,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Scale,
    Shape,
)
from roadstead.reports.numbers import percent
from roadstead.risk.unicity import Share, Singled

_HEIGHT, _FOOT = 210, 42
_LEFT, _RIGHT = 46, 16
_GAP = 0.4
"""How much further away all rows are than one more row is, as a share of that."""
_LARGE, _SMALLER = 4.5, 3
_LEGEND_ROW = 20


class UnicityRow(NamedTuple):
    """What so many known rows do: the share below k and of those alone, before and after."""

    name: str
    before: Singled | None
    after: Singled | None = None


class UnicityChart(NamedTuple):
    """Unicity curves of a table and, where there is one, of a release of it."""

    rows: tuple[UnicityRow, ...]
    k: int
    name: str = "unicity"
    title: str = "Line chart of the share of persons singled out, by how many rows are known"

    @property
    def paired(self) -> bool:
        """Whether there is an after."""
        return any(row.after is not None for row in self.rows)

    @property
    def description(self) -> str:
        """What there is to see: both ends of the curves."""
        told = []
        for row in (self.rows[0], self.rows[-1]):
            known = "1 row" if row.name == "1" else f"{row.name} rows"
            curves = ((row.before, "before"), (row.after, "after"))
            said = [
                f"{percent(one.below_k.share)}{f' {when}' if self.paired else ''}"
                for one, when in curves
                if one is not None
            ]
            told.append(f"{known} known: {', '.join(said)} of the persons are among fewer than")
        ends = f" {self.k}. ".join(dict.fromkeys(told))
        return f"{ends} {self.k}. The figures are in the table below."

    @property
    def scale(self) -> float:
        """The share that the axis ends at: the next tenth above the largest."""
        curves = [one for row in self.rows for one in (row.before, row.after) if one is not None]
        most = max([one.below_k.high for one in curves] or [0.0])
        return min(1.0, max(1, ceil(10 * most - 1e-9)) / 10)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw both pairs of lines over a grid, and what they are above it."""
        left, right = _LEFT, canvas.width - _RIGHT
        up = Scale(self.scale, _HEIGHT, 0)
        span = (right - left - 50) / max(len(self.rows) - 1 + _GAP, 1)
        last = len(self.rows) - 1
        at = [
            left + 25 + span * (place + (_GAP if place == last and last else 0))
            for place in range(len(self.rows))
        ]
        legend = list(self._legend(canvas))
        shapes: list[Shape] = [*_grid(up, left, right)]
        for x, row in zip(at, self.rows, strict=True):
            shapes.append(ChartLabel(x, _HEIGHT + 13, row.name, "center", muted=True))
        shapes.append(
            ChartLabel((left + right) / 2, _HEIGHT + 32, "rows known", "center", muted=True)
        )
        curves = [("before", BEFORE, [row.before for row in self.rows])]
        if self.paired:
            curves.append(("after", AFTER, [row.after for row in self.rows]))
        else:
            curves = [("", AFTER, curves[0][2])]
        for when, color, curve in curves:
            points = [(x, one) for x, one in zip(at, curve, strict=True) if one is not None]
            names = [row.name for row, one in zip(self.rows, curve, strict=True) if one is not None]
            alone = [(x, one.alone) for x, one in points]
            below = [(x, one.below_k) for x, one in points]
            said = f"{when}, " if when else ""
            shapes += _line(alone, up, color, dashed=True)
            shapes += _dots(alone, up, color, _SMALLER, [f"{said}{name}: alone" for name in names])
            shapes += _line(below, up, color)
            shapes += _dots(
                below, up, color, _LARGE, [f"{said}{name}: fewer than {self.k}" for name in names]
            )
            shift = 15 if when == "after" else -13
            shapes += [
                ChartLabel(x, _within(up.place(one.share) + shift), percent(one.share), "center")
                for x, one in below
            ]
        head = 26 + _LEGEND_ROW * (1 + max(int(row) for _, row in self._places(canvas)))
        return Drawing((*legend, *shapes), canvas.width, _HEIGHT, head, _FOOT)

    def _keys(self) -> list[tuple[str, str, bool]]:
        few = f"fewer than {self.k} fit"
        if not self.paired:
            return [(few, AFTER, False), ("alone", AFTER, True)]
        return [
            (f"before: {few}", BEFORE, False),
            ("before: alone", BEFORE, True),
            (f"after: {few}", AFTER, False),
            ("after: alone", AFTER, True),
        ]

    def _places(self, canvas: Canvas) -> list[tuple[float, int]]:
        columns, width = (2, 178) if canvas.narrow else (4, 165)
        keys = range(len(self._keys()))
        return [(width * (place % columns), place // columns) for place in keys]

    def _legend(self, canvas: Canvas) -> Iterator[Shape]:
        """Say above the chart what its lines are."""
        places = self._places(canvas)
        rows = 1 + max(row for _, row in places)
        for (said, color, dashed), (x, row) in zip(self._keys(), places, strict=True):
            y = -16 - _LEGEND_ROW * (rows - row - 0.5)
            yield Rule(x, y, 20, 0, color, 2, dashed)
            yield ChartLabel(x + 26, y, said, muted=True)


def _within(y: float) -> float:
    """Keep a label between the ends of the chart."""
    return min(max(y, -6.0), _HEIGHT - 8.0)


def _grid(up: Scale, left: float, right: float) -> Iterator[Shape]:
    """Draw the shares of the axis."""
    steps = 5 if up.most > 0.1 else 2  # noqa: PLR2004 - up to a tenth there is no room for more
    for step in range(steps + 1):
        share = up.most * step / steps
        y = round(up.place(share)) + 0.5
        yield Rule(left, y, right - left, 0, LINE)
        yield ChartLabel(left - 8, y, percent(round(share, 4)), "right", muted=True)


def _line(
    points: Sequence[tuple[float, Share]], up: Scale, color: str, *, dashed: bool = False
) -> Iterator[Shape]:
    """Join the points, and draw the intervals of those that were drawn."""
    for (x, one), (y, other) in pairwise(points):
        start, end = up.place(one.share), up.place(other.share)
        yield Rule(x, start, y - x, end - start, color, 1.5 if dashed else 2, dashed)
    for x, share in points:
        if not share.exact:
            low, high = up.place(share.low), up.place(min(share.high, up.most))
            yield Rule(x, low, 0, high - low, color, 1)
            yield Rule(x - 4, low, 8, 0, color, 1)
            yield Rule(x - 4, high, 8, 0, color, 1)


def _dots(
    points: Sequence[tuple[float, Share]],
    up: Scale,
    color: str,
    radius: float,
    names: Sequence[str],
) -> Iterator[Shape]:
    for (x, share), name in zip(points, names, strict=True):
        yield Dot(x, up.place(share.share), radius, color, f"{name}: {percent(share.share)}")


def unicity_chart(
    before: Sequence[Singled], after: Sequence[Singled] | None, k: int
) -> UnicityChart | None:
    """Pair two curves by what is known; None where there is nothing to show."""
    curves = [{one.known: one for one in curve} for curve in (before, after or ())]
    known = sorted(
        {one for curve in curves for one in curve}, key=lambda one: (one is None, one or 0)
    )
    if not known:
        return None
    return UnicityChart(
        tuple(
            UnicityRow("all" if one is None else str(one), *(curve.get(one) for curve in curves))
            for one in known
        ),
        k,
    )
