"""Chart: how likely a record is re-identified, before and after.

The scale is a ladder of powers of ten, "1 in 10", "1 in 100", as risks are compared: on a scale
of shares, whatever is below a percent could not be told from nothing.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    MUTED,
    TRACK,
    Canvas,
    at,
    finished,
    rows,
    words,
)
from roadstead.reports.charts.odds_scale import acceptable, labels, ladder, placed
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import Bound
from roadstead.reports.wording import odds

if TYPE_CHECKING:
    import altair as alt

_LEAST_DECADES = 2
_HEAD, _FOOT = 24, 24


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


def draw_risks(chart: RiskChart, canvas: Canvas) -> alt.LayerChart:
    """Draw each risk as a step from before to after, on a scale that marks what is acceptable."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    # Names stand beside the steps, or above them where it is narrow.
    left, right, pitch = (26, 26, 92) if canvas.narrow else (150, 34, 68)
    name, step = (-33, 10) if canvas.narrow else (0, 0)
    height = pitch * len(chart.bars)
    scale = alt.Scale(
        type="log",
        domain=[10.0**-chart.decades, 1],
        range=[left, canvas.width - right],
        nice=False,
    )
    x = alt.X("risk:Q", scale=scale, axis=ladder(chart.decades, canvas))
    y = alt.Y("row:O", scale=alt.Scale(range=[0, height]), axis=None)
    when = ["before", "after"]
    color = alt.Color("when:N", scale=alt.Scale(domain=when, range=[BEFORE, AFTER]), legend=None)
    size = alt.Size("when:N", scale=alt.Scale(domain=when, range=[190, 110]), legend=None)

    names, limited, dots = _names(chart), acceptable(chart.decades, chart.threshold), _dots(chart)
    shade = rows(limited).mark_rect(aria=False, color=TRACK)
    limit = rows(limited).mark_rule(aria=False, color=MUTED)
    steps = rows(_steps(chart)).mark_rule(aria=False, color=BEFORE, strokeWidth=2, yOffset=step)
    marks = rows([dot for dot in dots if dot["drawn"]]).mark_point(
        filled=True, opacity=1, yOffset=step
    )
    return finished(
        [
            shade.encode(x=x, x2=alt.X2("certain"), **at(y=0, y2=height)),
            limit.encode(x=x, **at(y=-5, y2=height)),
            *labels(limited, x=x, **at(y=-14)),
            words(names, "name", strong=True, dy=name, **at(x=0), y=y),
            steps.encode(x=x, x2=alt.X2("to"), y=y),
            marks.encode(x=x, y=y, color=color, size=size, description=alt.Description("said:N")),
            *labels([dot for dot in dots if dot["when"] == "before"], dy=step - 17, x=x, y=y),
            *labels([dot for dot in dots if dot["when"] == "after"], dy=step + 18, x=x, y=y),
        ],
        canvas,
        height,
        head=_HEAD,
        foot=_FOOT,
    )


def _names(chart: RiskChart) -> list[dict[str, object]]:
    return [{"row": row, "name": bar.name} for row, bar in enumerate(chart.bars)]


def _dots(chart: RiskChart) -> list[dict[str, object]]:
    return [
        {
            "row": row,
            "when": when,
            **placed(chart.decades, risk, f"{when} {odds(risk, bound=bar.bound)}"),
        }
        for row, bar in enumerate(chart.bars)
        for when, risk in (("before", bar.before), ("after", bar.after))
    ]


def _steps(chart: RiskChart) -> list[dict[str, object]]:
    return [
        {"row": row, "risk": bar.before, "to": bar.after}
        for row, bar in enumerate(chart.bars)
        if bar.before > 0 and bar.after > 0
    ]
