"""Draw how many people an attacker singles out, for each number of known rows per person.

The chart has one pair of lines for the original table and one pair for the release. The solid line
shows the share of people who match fewer than k people. The dashed line shows the share of people
who match no one else. Estimates from a random sample have a confidence interval. "All rows" is a
separate position on the axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING, NamedTuple

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

if TYPE_CHECKING:
    from roadstead.risk.persons.unicity import Share, Singled

_HEIGHT, _FOOT = 210, 42
_LEFT, _RIGHT = 46, 16
_GAP = 0.4
"""The distance, in steps of one row, between the last number of rows and "all rows"."""
_LARGE, _SMALLER = 4.5, 3
_BEFORE_FIRST, _AFTER_LAST = 76, 28
_LEGEND_ROW, _LEGEND = 20, (0, 185, 330, 515)
_LABEL, _LINE = 52, 16
"""The horizontal and vertical space for a label."""


class UnicityRow(NamedTuple):
    """For one number of known rows, the share of people below k and the share of unique people."""

    name: str
    before: Singled | None
    after: Singled | None = None

    def at(self, when: str) -> Singled | None:
        """Return the shares before or after a release. `when` is "before" or "after"."""
        return self.after if when == "after" else self.before


_NOBODY = 1e-12
"""The share that is drawn for zero people, because zero does not have a logarithm."""


class UnicityChart(NamedTuple):
    """The unicity curves of a table and of its release, if there is a release."""

    rows: tuple[UnicityRow, ...]
    k: int
    name: str = "unicity"
    title: str = "Line chart of the share of people who are singled out, by number of rows known"

    @property
    def paired(self) -> bool:
        """Indicates whether the chart has curves after a release."""
        return any(row.after is not None for row in self.rows)

    @property
    def description(self) -> str:
        """A description of the chart in words. It names both ends of the curves."""
        told = []
        for row in (self.rows[0], self.rows[-1]):
            known = "1 row" if row.name == "1" else f"{row.name} rows"
            curves = ((row.before, "before"), (row.after, "after"))
            said = [
                f"{percent(one.below_k.share)}{f' {when}' if self.paired else ''}"
                for one, when in curves
                if one is not None
            ]
            told.append(
                f"If an attacker knows {known}, the share of people whose known rows match fewer "
                f"than {self.k} people is {' and '.join(said)}."
            )
        return f"{' '.join(dict.fromkeys(told))} The figures are in the table below."

    @property
    def step(self) -> float:
        """The step of the grid, which is 1, 2, or 5 times a power of ten."""
        curves = [one for row in self.rows for one in (row.before, row.after) if one is not None]
        most = max([one.below_k.high for one in curves] or [0.0])
        least = (most if most > _NOBODY else 0.01) / 5 * (1 - 1e-9)
        power = 10.0 ** floor(log10(least))
        return next(one * power for one in (1, 2, 5, 10) if one * power >= least)

    @property
    def scale(self) -> float:
        """The share at the end of the axis."""
        curves = [one for row in self.rows for one in (row.before, row.after) if one is not None]
        most = max([one.below_k.high for one in curves] or [0.0])
        return min(1.0, max(1, ceil(most / self.step - 1e-9)) * self.step)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw both pairs of lines on a grid, and a legend above the grid."""
        left, right = _LEFT, canvas.width - _RIGHT
        up = Scale(self.scale, _HEIGHT, 0)
        at = self._across(left + _BEFORE_FIRST, right - _AFTER_LAST)
        shapes: list[Shape] = [*self._legend(canvas), *_grid(up, self.step, left, right)]
        for x, row in zip(at, self.rows, strict=True):
            shapes.append(ChartLabel(x, _HEIGHT + 13, row.name, "center", muted=True))
        middle = (left + right) / 2
        shapes.append(ChartLabel(middle, _HEIGHT + 32, "rows known", "center", muted=True))
        few = f"fewer than {self.k}"
        curves = self._curves(at)
        for curve in curves:
            alone, below = ([(x, one) for x, _, one in curve.of(of)] for of in ("alone", "below"))
            names = [name for _, name, _ in curve.of("below")]
            said = f"{curve.when}, " if curve.when else ""
            shapes += _line(alone, up, curve.color, dashed=True)
            shapes += _dots(alone, up, curve.color, _SMALLER, [f"{said}{n}: alone" for n in names])
            shapes += _line(below, up, curve.color)
            shapes += _dots(below, up, curve.color, _LARGE, [f"{said}{n}: {few}" for n in names])
        for curve in curves:
            others = [one for one in curves if one is not curve]
            shapes += _labels(curve, others[0] if others else None, up)
        head = 26 + _LEGEND_ROW * self._legend_rows(canvas)
        return Drawing(tuple(shapes), canvas.width, _HEIGHT, head, _FOOT)

    def _across(self, first: float, last: float) -> list[float]:
        """Return the horizontal position of each row of figures.

        The gap before the last row is wider.
        """
        rows = len(self.rows)
        if rows == 1:
            return [(first + last) / 2]
        span = (last - first) / (rows - 1 + _GAP)
        return [*(first + span * place for place in range(rows - 1)), last]

    def _curves(self, at: Sequence[float]) -> list[_Curve]:
        found = []
        looks = (("before", BEFORE), ("after", AFTER)) if self.paired else (("", AFTER),)
        for when, color in looks:
            points = [(x, row.name, row.at(when)) for x, row in zip(at, self.rows, strict=True)]
            found.append(
                _Curve(when, color, [(x, n, one) for x, n, one in points if one is not None])
            )
        return found

    def _legend_rows(self, canvas: Canvas) -> int:
        return 2 if canvas.narrow and self.paired else 1

    def _legend(self, canvas: Canvas) -> Iterator[Shape]:
        few, color = f"fewer than {self.k} match", BEFORE if self.paired else AFTER
        before = "before: " if self.paired else ""
        keys = [(f"{before}{few}", color, False), (f"{before}alone", color, True)]
        if self.paired:
            keys += [(f"after: {few}", AFTER, False), ("after: one", AFTER, True)]
        rows = self._legend_rows(canvas)
        for place, (said, own, dashed) in enumerate(keys):
            x = _LEGEND[place % 2 if rows > 1 else place]
            y = -16 - _LEGEND_ROW * (rows - (place // 2 if rows > 1 else 0) - 0.5)
            yield Rule(x, y, 20, 0, own, 2, dashed)
            yield ChartLabel(x + 26, y, said, muted=True)


class _Curve(NamedTuple):
    """The points of one table. Each point has a position, the name of its row, and shares."""

    when: str
    color: str
    points: list[tuple[float, str, Singled]]

    def of(self, which: str) -> list[tuple[float, str, Share]]:
        """Return the shares of people below k, or the shares of unique people."""
        return [
            (x, name, one.alone if which == "alone" else one.below_k)
            for x, name, one in self.points
        ]


def _labels(curve: _Curve, other: _Curve | None, up: Scale) -> Iterator[Shape]:
    """Write the shares next to their dots: below the lower curve, and above the higher curve.

    A label that would touch the previous label is omitted, unless it is the last label.
    """
    points = curve.of("below")
    across = {} if other is None else {x: share for x, _, share in other.of("below")}
    shown: list[float] = []
    for place, (x, _, share) in enumerate(points):
        last = place == len(points) - 1
        too_near = bool(shown) and x - shown[-1] < _LABEL
        before_last = not last and points[-1][0] - x < _LABEL
        if (too_near or before_last) and not last:
            continue
        shown.append(x)
        facing = across.get(x)
        under = facing is not None and (share.share, curve.when == "before") < (
            facing.share,
            curve.when == "after",
        )
        if place == 0 and not last:
            y = up.place(share.share)
            if facing is not None and abs(y - up.place(facing.share)) < _LINE:
                y += _LINE / 2 if under else -_LINE / 2
            yield ChartLabel(x - 9, y, percent(share.share), "right")
            continue
        y = up.place(share.low) + 13 if under else up.place(share.high) - 11
        if y > _HEIGHT - 8:
            y = up.place(share.high) - 11
        yield ChartLabel(x, y, percent(share.share), "center")


def _grid(up: Scale, step: float, left: float, right: float) -> Iterator[Shape]:
    for number in range(floor(up.most / step + 1e-9) + 1):
        share = step * number
        y = round(up.place(share)) + 0.5
        yield Rule(left, y, right - left, 0, LINE)
        yield ChartLabel(left - 8, y, percent(float(f"{share:.6g}")), "right", muted=True)


def _line(
    points: Sequence[tuple[float, Share]], up: Scale, color: str, *, dashed: bool = False
) -> Iterator[Shape]:
    """Connect the points, and draw confidence intervals at points estimated from a sample."""
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
    """Pair two curves by the number of known rows, or return None if there is nothing to show."""
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
