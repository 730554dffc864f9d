"""Define a logarithmic risk axis that also has a position for a risk of zero.

A logarithmic scale has no position for 0. So a risk of 0 is drawn on a dashed line at the left
edge, half a step before the smallest power of ten. Powers of ten have labels if there is enough
space.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10
from typing import NamedTuple

from roadstead.reports.numbers import percent

MOST_DECADES = 12
"""The largest number of powers of ten. Smaller risks are drawn at the smallest power of ten."""
APART = 0.5
"""The distance, in steps, between the smallest power of ten and a risk of zero."""
_LETTER, _BETWEEN = 6.6, 10
_NONE = "0"
_SLACK = 1e-9


class RiskTick(NamedTuple):
    """A line of the scale: its position, its risk, and its label. Most labels are empty."""

    x: float
    risk: float
    said: str


class RiskAxis(NamedTuple):
    """An axis from ``10**low`` to ``10**high`` between two positions.

    `none` indicates whether the axis has a position for a risk of 0.
    """

    low: int
    high: int
    none: bool
    start: float
    end: float

    @classmethod
    def over(
        cls, risks: Iterable[float], start: float, end: float, *, least: int = 1, high: int = 0
    ) -> RiskAxis:
        """Return an axis for risks of at most ``10**high``, with at least `least` steps."""
        every = tuple(risks)
        above = [risk for risk in every if risk > 0]
        lowest = floor(log10(min(above, default=1.0)) + _SLACK)
        low = max(min(lowest, high - least), high - MOST_DECADES)
        return cls(low, high, len(above) < len(every), start, end)

    @property
    def edge(self) -> float:
        """The exponent at the left end."""
        return self.low - APART if self.none else float(self.low)

    def place(self, risk: float) -> float:
        """Return the position of a risk."""
        if risk <= 0:
            return self.start
        share = (max(log10(risk), self.low) - self.edge) / (self.high - self.edge)
        return self.start + min(share, 1.0) * (self.end - self.start)

    def ticks(self) -> list[RiskTick]:
        """Return the lines from left to right."""
        step = (self.end - self.start) / (self.high - self.edge)
        powers = range(self.low, self.high + 1)
        wide = max(_width(percent(10.0**power)) for power in powers)
        every = ceil((wide + _BETWEEN) / step)
        ticks = [
            RiskTick(
                self.place(10.0**power),
                10.0**power,
                percent(10.0**power) if (self.high - power) % every == 0 else "",
            )
            for power in powers
        ]
        if not self.none:
            return ticks
        room = APART * step - _width(_NONE) / 2 - _BETWEEN
        if _width(ticks[0].said) / 2 > room:
            ticks[0] = ticks[0]._replace(said="")
        return [RiskTick(self.start, 0.0, _NONE), *ticks]


def highest_power(risks: Iterable[float]) -> int:
    """Return the exponent of the smallest power of ten that no risk exceeds."""
    return ceil(log10(max([risk for risk in risks if risk > 0], default=1.0)) - _SLACK)


def _width(said: str) -> float:
    return len(said) * _LETTER
