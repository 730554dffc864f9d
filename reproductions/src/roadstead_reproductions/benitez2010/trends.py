"""Straight lines through points, and how much of the variance they explain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead_reproductions.benitez2010.runs import Floats


class Trend(NamedTuple):
    """A line of least squares.

    Attributes
    ----------
    begin, slope
        Its height at 0, and its slope.
    explained
        Share of the variance that it explains (R squared); 1 where there is none to explain.
    """

    begin: float
    slope: float
    explained: float


def line(x: Floats, y: Floats) -> Trend:
    """Fit a line of least squares through two points or more."""
    from_mean, height = x - x.mean(), y - y.mean()
    spread = float(from_mean @ from_mean)
    slope = float(from_mean @ height) / spread if spread > 0 else 0.0
    rest, variance = height - slope * from_mean, float(height @ height)
    explained = 1.0 - float(rest @ rest) / variance if variance > 0 else 1.0
    return Trend(float(y.mean()) - slope * float(x.mean()), slope, explained)


def linear(y: Floats) -> Trend:
    """Fit a line over the numbers 1, 2 and so on."""
    return line(np.arange(1.0, y.size + 1.0), y)


def logarithmic(y: Floats) -> Trend:
    """Fit a line over the natural logarithms of the numbers 1, 2 and so on."""
    return line(np.log(np.arange(1.0, y.size + 1.0)), y)


def with_the_former(y: Floats) -> float:
    """Correlate each value with the one before it; 0 where nothing varies."""
    before, after = y[:-1] - y[:-1].mean(), y[1:] - y[1:].mean()
    scale = float(np.sqrt((before @ before) * (after @ after)))
    return float(before @ after) / scale if scale > 0 else 0.0
