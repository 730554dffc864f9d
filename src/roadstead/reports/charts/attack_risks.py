"""Chart: how likely records are re-identified, attacker by attacker.

The scale is a ladder of powers of ten, "1 in 10", "1 in 100", as risks are compared. What is shaded
is more than is acceptable. Where a policy was given, a step leads from before to after.
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
from roadstead.reports.numbers import Bound
from roadstead.reports.wording import odds

if TYPE_CHECKING:
    import altair as alt

_LEAST_DECADES, _MOST_DECADES = 2, 12
_HEAD, _FOOT = 24, 24


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


def draw_attacks(chart: AttackChart, canvas: Canvas) -> alt.LayerChart:
    """Draw each risk as a dot, or as a step between two, on a scale that marks the acceptable."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    # Names stand beside the dots, or above them where it is narrow.
    left, right = (26, 26) if canvas.narrow else (170, 34)
    pitch = (68 if canvas.narrow else 44) + (24 if chart.paired else 0)
    name, step = (-pitch // 2 + 14, 10) if canvas.narrow else (0, 0)
    height = pitch * len(chart.bars)
    scale = alt.Scale(
        type="log",
        domain=[10.0**-chart.decades, 1],
        range=[left, canvas.width - right],
        nice=False,
        clamp=True,
    )
    x = alt.X("risk:Q", scale=scale, axis=ladder(chart.decades, canvas))
    y = alt.Y("row:O", scale=alt.Scale(range=[0, height]), axis=None)
    when = ["before", "after"] if chart.paired else ["before"]
    looks = [BEFORE, AFTER] if chart.paired else [AFTER]
    color = alt.Color("when:N", scale=alt.Scale(domain=when, range=looks), legend=None)
    # A scale of sizes takes two of them for the ends of a range, and one for nothing at all.
    sizes = alt.Scale(domain=["before", "after"], range=[190, 110])
    size = alt.Size("when:N", scale=sizes, legend=None)

    limited, dots = acceptable(chart.decades, chart.threshold), _dots(chart)
    below = [dot for dot in dots if dot["when"] == "after"]
    above = [dot for dot in dots if dot["when"] == "before"]
    marks = rows([dot for dot in dots if dot["drawn"]]).mark_point(
        filled=True, opacity=1, yOffset=step
    )
    steps = rows(_steps(chart)).mark_rule(aria=False, color=BEFORE, strokeWidth=2, yOffset=step)
    return finished(
        [
            rows(limited)
            .mark_rect(aria=False, color=TRACK)
            .encode(x=x, x2=alt.X2("certain"), **at(y=0, y2=height)),
            rows(limited).mark_rule(aria=False, color=MUTED).encode(x=x, **at(y=-5, y2=height)),
            *labels(limited, x=x, **at(y=-14)),
            words(_names(chart), "name", strong=True, dy=name, **at(x=0), y=y),
            steps.encode(x=x, x2=alt.X2("to"), y=y),
            marks.encode(x=x, y=y, color=color, size=size, description=alt.Description("told:N")),
            *labels(above, dy=step - 16, x=x, y=y),
            *labels(below, dy=step + 17, x=x, y=y),
        ],
        canvas,
        height,
        head=_HEAD,
        foot=_FOOT,
    )


def _names(chart: AttackChart) -> list[dict[str, object]]:
    return [{"row": row, "name": bar.name} for row, bar in enumerate(chart.bars)]


def _dots(chart: AttackChart) -> list[dict[str, object]]:
    return [
        {
            "row": row,
            "when": when,
            "told": f"{bar.name}{f', {when}' if chart.paired else ''}: {said}",
            **placed(chart.decades, risk, f"{when} {said}" if chart.paired else said),
        }
        for row, bar in enumerate(chart.bars)
        for when, risk in (("before", bar.before), ("after", bar.after))
        if risk is not None
        for said in (odds(risk, bound=bar.bound),)
    ]


def _steps(chart: AttackChart) -> list[dict[str, object]]:
    return [
        {"row": row, "risk": bar.before, "to": bar.after}
        for row, bar in enumerate(chart.bars)
        if bar.before > 0 and bar.after
    ]
