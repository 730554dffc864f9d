"""The charts of a report: for each, what is drawn, and the drawing.

What is drawn is gathered first, as a small tuple of numbers that can be tested without looking. The
drawing is a list of shapes, made once for each width that a page may have. Titles are left to the
page.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from roadstead.reports.charts.risks import RiskChart, draw_risks, gather_risks
from roadstead.reports.charts.share_bars import (
    ClassSizeChart,
    LossChart,
    draw_class_sizes,
    draw_losses,
    gather_class_sizes,
    gather_losses,
)
from roadstead.reports.charts.svg import Picture, picture
from roadstead.reports.content import ReportContent


class Charts(NamedTuple):
    """The charts of one report; no losses where there are none to show."""

    risks: RiskChart
    class_sizes: ClassSizeChart
    losses: LossChart | None


class Pictures(NamedTuple):
    """The same, drawn."""

    risks: Picture
    class_sizes: Picture
    losses: Picture | None


def gather(content: ReportContent) -> Charts:
    """Gather what the charts of a report show."""
    losses = gather_losses(content)
    return Charts(
        gather_risks(content), gather_class_sizes(content), losses if losses.bars else None
    )


def draw(charts: Charts) -> Pictures:
    """Draw the charts of a report."""
    risks, sizes, losses = charts
    return Pictures(
        picture("risks", risks, partial(draw_risks, risks)),
        picture("class-sizes", sizes, partial(draw_class_sizes, sizes)),
        picture("losses", losses, partial(draw_losses, losses)) if losses else None,
    )
