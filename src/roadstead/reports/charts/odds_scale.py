"""Risks on a scale of odds: a ladder of powers of ten, a row for each risk, a step where it fell.

"1 in 10", "1 in 100": on a scale of shares, whatever is below a percent could not be told from
nothing. A label leans inwards, so that one which stands at the line of what is acceptable ends
there, and does not cross it. No risk has no place on the ladder, and is said at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log10
from typing import NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    TRACK,
    Block,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Shape,
)
from roadstead.reports.wording import odds, whole

_MIDDLE = 0.5
_HEAD, _FOOT = 24, 24
_LARGE, _SMALLER = 190**0.5 / 2, 110**0.5 / 2
"""Radii of a dot before and of one after, which may lie on it."""


class OddsRow(NamedTuple):
    """A name, and its risks: what is said of each, and what its dot says when pointed at."""

    name: str
    risks: tuple[tuple[float, str, str], ...]


class ChartLayout(NamedTuple):
    """Room at both ends of the ladder, height of a row, and where in it a name and dots stand."""

    left: int
    right: int
    pitch: int
    name: int
    dots: int
    above: int
    below: int


def draw_odds(
    rows: Sequence[OddsRow], decades: int, threshold: float, layout: ChartLayout, canvas: Canvas
) -> Drawing:
    """Draw risks, and shade what is more than acceptable."""
    height = layout.pitch * len(rows)
    ladder = _Ladder(decades, layout.left, canvas.width - layout.right)
    limit = ladder.place(threshold)
    shapes: list[Shape] = [
        *_steps(ladder, height, canvas),
        Block(limit, 0, ladder.end - limit, height, TRACK),
        Rule(limit, -5, 0, height + 5, MUTED),
        ladder.label(threshold, -14, f"acceptable: {odds(threshold)}"),
    ]
    paired = any(len(row.risks) > 1 for row in rows)
    looks = ((_LARGE, BEFORE), (_SMALLER, AFTER)) if paired else ((_LARGE, AFTER),)
    for place, row in enumerate(rows):
        middle = layout.pitch * (place + 0.5)
        at = middle + layout.dots
        shapes.append(ChartLabel(0, middle + layout.name, row.name, strong=True))
        lying = [ladder.place(risk) for risk, _, _ in row.risks if risk > 0]
        if len(lying) > 1:
            shapes.append(Rule(lying[0], at, lying[1] - lying[0], 0, BEFORE, 2))
        shifts = (layout.above, layout.below)
        for (risk, said, told), (radius, color), shift in zip(
            row.risks, looks, shifts, strict=False
        ):
            if risk > 0:
                shapes.append(Dot(ladder.place(risk), at, radius, color, told))
            shapes.append(ladder.label(risk, at + shift, said))
    return Drawing(tuple(shapes), canvas.width, height, _HEAD, _FOOT)


class _Ladder(NamedTuple):
    """Powers of ten, from the least risk shown to certainty."""

    decades: int
    start: float
    end: float

    def _share(self, risk: float) -> float:
        return min(max(1 + log10(risk) / self.decades, 0.0), 1.0) if risk > 0 else 0.0

    def place(self, risk: float) -> float:
        return self.start + (self.end - self.start) * self._share(risk)

    def label(self, risk: float, y: float, said: str) -> ChartLabel:
        """Put a label next to its risk, leaning inwards."""
        if self._share(risk) < _MIDDLE:
            return ChartLabel(self.place(risk) + 5, y, said)
        return ChartLabel(self.place(risk) - 5, y, said, "right")


def _steps(ladder: _Ladder, height: float, canvas: Canvas) -> Iterator[Shape]:
    """Draw the steps of the ladder, of only so many that their labels have room."""
    for power in range(0, ladder.decades + 1, ceil(ladder.decades / (3 if canvas.narrow else 6))):
        x = ladder.place(10.0**-power)
        yield Rule(x + 0.5, 0.5, 0, height, LINE)
        said = f"1 in {whole(10**power)}" if power else "certain"
        yield ChartLabel(x + 0.5, height + 7.5, said, "center", muted=True)
