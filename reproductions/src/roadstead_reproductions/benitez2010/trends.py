"""Straight lines through points, and the share of the variance that they explain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead_reproductions.benitez2010.runs import Floats


class Trend(NamedTuple):
    """A least-squares line with its value at 0, its slope, and R squared.

    R squared is 1 if there is no variance.
    """

    begin: float
    slope: float
    explained: float


def line(x: Floats, y: Floats) -> Trend:
    """Fit a least-squares line through two or more points."""
    from_mean, height = x - x.mean(), y - y.mean()
    spread = float(from_mean @ from_mean)
    slope = float(from_mean @ height) / spread if spread > 0 else 0.0
    rest, variance = height - slope * from_mean, float(height @ height)
    explained = 1.0 - float(rest @ rest) / variance if variance > 0 else 1.0
    return Trend(float(y.mean()) - slope * float(x.mean()), slope, explained)


def linear(y: Floats) -> Trend:
    """Fit a line over the numbers 1, 2, and so on."""
    return line(np.arange(1.0, y.size + 1.0), y)


def logarithmic(y: Floats) -> Trend:
    """Fit a line over the natural logarithms of 1, 2, and so on."""
    return line(np.log(np.arange(1.0, y.size + 1.0)), y)


def with_the_former(y: Floats) -> float:
    """Return the correlation of each value with the previous value, or 0 without variance."""
    before, after = y[:-1] - y[:-1].mean(), y[1:] - y[1:].mean()
    scale = float(np.sqrt((before @ before) * (after @ after)))
    return float(before @ after) / scale if scale > 0 else 0.0
