"""Chart: how likely records are re-identified, attacker by attacker.

The scale is a ladder of powers of ten, "1 in 10", "1 in 100", as risks are compared. What is shaded
is more than is acceptable. Where a policy was given, a step leads from before to after.
"""

from __future__ import annotations

from math import floor, log10
from typing import NamedTuple

from roadstead.reports.charts.canvas import Canvas, Drawing
from roadstead.reports.charts.odds_scale import ChartLayout, OddsRow, draw_odds
from roadstead.reports.numbers import Bound
from roadstead.reports.wording import odds

_LEAST_DECADES, _MOST_DECADES = 2, 12


class AttackBar(NamedTuple):
    """One risk; no `after` without a policy."""

    name: str
    before: float
    after: float | None = None
    bound: Bound | None = None


class AttackChart(NamedTuple):
    """Risks, with the one that is still acceptable."""

    bars: tuple[AttackBar, ...]
    threshold: float

    @property
    def name(self) -> str:
        """The chart's own name, which no other on the page has."""
        return "attacks"

    @property
    def paired(self) -> bool:
        """Whether there is an after."""
        return any(bar.after is not None for bar in self.bars)

    @property
    def decades(self) -> int:
        """Powers of ten that the scale spans, down from certainty."""
        found = [risk for bar in self.bars for risk in (bar.before, bar.after or 0.0) if risk > 0]
        lowest = min([*found, self.threshold])
        return min(max(_LEAST_DECADES, -floor(log10(lowest) + 1e-9)), _MOST_DECADES)

    @property
    def title(self) -> str:
        """The chart in a few words, for those who do not see it."""
        return "Chart of the risk of re-identification by attacker"

    @property
    def description(self) -> str:
        """What there is to see."""
        told = [
            f"{bar.name}: {odds(bar.before, bound=bar.bound)}"
            + (
                f" before, {odds(bar.after, bound=bar.bound)} after"
                if bar.after is not None
                else ""
            )
            for bar in self.bars
        ]
        return f"{'. '.join(told)}. Acceptable is at most {odds(self.threshold)}."


def draw_attacks(chart: AttackChart, canvas: Canvas) -> Drawing:
    """Draw each risk as a dot, or as a step between two, on a scale that marks the acceptable."""
    # Names stand at the side of the dots, or above them where it is narrow.
    pitch = (68 if canvas.narrow else 44) + (24 if chart.paired else 0)
    layout = (
        ChartLayout(26, 26, pitch, -pitch // 2 + 14, 10, -16, 17)
        if canvas.narrow
        else ChartLayout(170, 34, pitch, 0, 0, -16, 17)
    )
    rows = [
        OddsRow(
            bar.name,
            tuple(
                (
                    risk,
                    f"{when} {said}" if chart.paired else said,
                    f"{bar.name}{f', {when}' if chart.paired else ''}: {said}",
                )
                for when, risk in (("before", bar.before), ("after", bar.after))
                if risk is not None
                for said in (odds(risk, bound=bar.bound),)
            ),
        )
        for bar in chart.bars
    ]
    return draw_odds(rows, chart.decades, chart.threshold, layout, canvas)
