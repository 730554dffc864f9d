"""The charts of a report: for each, what is drawn, and the drawing.

What is drawn is gathered first, as a small tuple of numbers that can be tested without looking. The
drawing is a list of shapes, made once for each width that a page may have. Titles are left to the
page.
"""

from __future__ import annotations

from typing import NamedTuple

from roadstead.reports.charts.risks import RiskChart, gather_risks
from roadstead.reports.charts.share_bars import (
    ClassSizeChart,
    LossChart,
    gather_class_sizes,
    gather_losses,
)
from roadstead.reports.content import ReportContent


class Charts(NamedTuple):
    """The charts of one report; no losses where there are none to show."""

    risks: RiskChart
    class_sizes: ClassSizeChart
    losses: LossChart | None


def gather(content: ReportContent) -> Charts:
    """Gather what the charts of a report show."""
    losses = gather_losses(content)
    return Charts(
        gather_risks(content), gather_class_sizes(content), losses if losses.bars else None
    )
