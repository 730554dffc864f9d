"""Chart: how likely a record is re-identified, before and after.

The scale is a ladder of powers of ten, "1 in 10", "1 in 100", as risks are compared: on a scale
of shares, whatever is below a percent could not be told from nothing.
"""

from __future__ import annotations

from math import floor, log10
from typing import NamedTuple

from roadstead.reports.charts.canvas import Canvas, Drawing
from roadstead.reports.charts.odds_scale import ChartLayout, OddsRow, draw_odds
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import Bound
from roadstead.reports.wording import odds

_LEAST_DECADES = 2


class RiskBar(NamedTuple):
    """One risk, before and after."""

    name: str
    before: float
    after: float
    bound: Bound | None = None


class RiskChart(NamedTuple):
    """Risks before and after, with the one that is still acceptable."""

    bars: tuple[RiskBar, ...]
    threshold: float

    @property
    def decades(self) -> int:
        """Powers of ten that the scale spans, down from certainty: no risk is below it."""
        found = [risk for bar in self.bars for risk in (bar.before, bar.after) if risk > 0]
        lowest = min([*found, self.threshold])
        return max(_LEAST_DECADES, -floor(log10(lowest) + 1e-9))

    @property
    def title(self) -> str:
        """The chart in a few words, for those who do not see it."""
        return "Chart of the highest and the average re-identification risk, before and after"

    @property
    def description(self) -> str:
        """What there is to see."""
        told = [
            f"{b.name}: before {odds(b.before, bound=b.bound)}, "
            f"after {odds(b.after, bound=b.bound)}"
            for b in self.bars
        ]
        return f"{'. '.join(told)}. Acceptable is at most {odds(self.threshold)}."


def gather_risks(content: ReportContent) -> RiskChart:
    """Pair the risks before and after."""
    before, after = content.risk_before, content.risk_after
    bars = (
        RiskBar("Highest risk", before.maximum, after.maximum, "upper"),
        RiskBar("Average risk", before.average, after.average),
    )
    return RiskChart(bars, content.promise.threshold)


def draw_risks(chart: RiskChart, canvas: Canvas) -> Drawing:
    """Draw each risk as a step from before to after, on a scale that marks what is acceptable."""
    # Names stand at the side of the steps, or above them where it is narrow.
    layout = (
        ChartLayout(26, 26, 92, -33, 10, -17, 18)
        if canvas.narrow
        else ChartLayout(150, 34, 68, 0, 0, -17, 18)
    )
    rows = [
        OddsRow(
            bar.name,
            tuple(
                (risk, said, said)
                for risk, said in (
                    (bar.before, f"before {odds(bar.before, bound=bar.bound)}"),
                    (bar.after, f"after {odds(bar.after, bound=bar.bound)}"),
                )
            ),
        )
        for bar in chart.bars
    ]
    return draw_odds(rows, chart.decades, chart.threshold, layout, canvas)
