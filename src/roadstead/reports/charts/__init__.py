"""The charts of a report: for each, what is drawn, and the drawing.

What is drawn is gathered first, as a small tuple of numbers that can be tested without looking
and handed to another process. The drawing is an Altair chart, made once for each width that a
page may have. Titles are left to the page.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from roadstead.reports.charts.class_sizes import ClassSizeChart, SizeBin, gather_class_sizes
from roadstead.reports.charts.losses import LossBar, LossChart, gather_losses
from roadstead.reports.charts.risks import RiskBar, RiskChart, gather_risks
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


def to_json(charts: Charts) -> str:
    """Write charts for another process."""
    return json.dumps(charts)


def from_json(text: str | bytes) -> Charts:
    """Read charts that `to_json` wrote."""
    (risks, threshold), (bins, suppressed, records, k), losses = json.loads(text)
    return Charts(
        RiskChart(tuple(RiskBar(*bar) for bar in risks), threshold),
        ClassSizeChart(tuple(SizeBin(*b) for b in bins), suppressed, records, k),
        LossChart(tuple(LossBar(*bar) for bar in losses[0])) if losses else None,
    )
