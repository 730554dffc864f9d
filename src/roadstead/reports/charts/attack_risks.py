"""Chart: how likely records are re-identified, attacker by attacker.

The scale is a ladder of powers of ten, "1 in 10", "1 in 100", as risks are compared. What is shaded
is more than is acceptable. Where a policy was given, a step leads from before to after.
"""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    FONT,
    LINE,
    MUTED,
    SMALL,
    TRACK,
    Align,
    Canvas,
    Rows,
    at,
    finished,
    rows,
    words,
)
from roadstead.reports.wording import odds

if TYPE_CHECKING:
    import altair as alt

_LEAST_DECADES, _MOST_DECADES = 2, 12
_MIDDLE = 0.5
_HEAD, _FOOT = 24, 24
_LEANING: tuple[tuple[Align, int], ...] = (("left", 5), ("right", -5))


class AttackBar(NamedTuple):
    """One risk; no `after` without a policy."""

    name: str
    before: float
    after: float | None = None


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
            f"{bar.name}: {odds(bar.before)}"
            + (f" before, {odds(bar.after)} after" if bar.after is not None else "")
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
    ladder = alt.Scale(
        type="log",
        domain=[10.0**-chart.decades, 1],
        range=[left, canvas.width - right],
        nice=False,
        clamp=True,
    )
    x = alt.X("risk:Q", scale=ladder, axis=_ladder(chart, canvas))
    y = alt.Y("row:O", scale=alt.Scale(range=[0, height]), axis=None)
    when = ["before", "after"] if chart.paired else ["before"]
    looks = [BEFORE, AFTER] if chart.paired else [AFTER]
    color = alt.Color("when:N", scale=alt.Scale(domain=when, range=looks), legend=None)
    # A scale of sizes takes two of them for the ends of a range, and one for nothing at all.
    sizes = alt.Scale(domain=["before", "after"], range=[190, 110])
    size = alt.Size("when:N", scale=sizes, legend=None)

    acceptable, dots = _acceptable(chart), _dots(chart)
    below = [dot for dot in dots if dot["when"] == "after"]
    above = [dot for dot in dots if dot["when"] == "before"]
    marks = rows([dot for dot in dots if dot["drawn"]]).mark_point(
        filled=True, opacity=1, yOffset=step
    )
    steps = rows(_steps(chart)).mark_rule(aria=False, color=BEFORE, strokeWidth=2, yOffset=step)
    return finished(
        [
            rows(acceptable)
            .mark_rect(aria=False, color=TRACK)
            .encode(x=x, x2=alt.X2("certain"), **at(y=0, y2=height)),
            rows(acceptable).mark_rule(aria=False, color=MUTED).encode(x=x, **at(y=-5, y2=height)),
            *_said(acceptable, x=x, **at(y=-14)),
            words(_names(chart), "name", strong=True, dy=name, **at(x=0), y=y),
            steps.encode(x=x, x2=alt.X2("to"), y=y),
            marks.encode(x=x, y=y, color=color, size=size, description=alt.Description("told:N")),
            *_said(above, dy=step - 16, x=x, y=y),
            *_said(below, dy=step + 17, x=x, y=y),
        ],
        canvas,
        height,
        head=_HEAD,
        foot=_FOOT,
    )


def _ladder(chart: AttackChart, canvas: Canvas) -> alt.Axis:
    """Make an axis of powers of ten, of only so many that their labels have room."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    step = ceil(chart.decades / (3 if canvas.narrow else 6))
    return alt.Axis(
        values=[10.0**-power for power in range(0, chart.decades + 1, step)],
        labelExpr="datum.value < 1 ? '1 in ' + format(1 / datum.value, ',.0f') : 'certain'",
        labelFont=FONT,
        labelFontSize=SMALL,
        labelColor=MUTED,
        labelOverlap=False,
        labelFlush=False,
        gridColor=LINE,
        domain=False,
        ticks=False,
        title=None,
    )


def _names(chart: AttackChart) -> list[dict[str, object]]:
    return [{"row": row, "name": bar.name} for row, bar in enumerate(chart.bars)]


def _acceptable(chart: AttackChart) -> list[dict[str, object]]:
    said = f"acceptable: {odds(chart.threshold)}"
    return [{"certain": 1.0, **_place(chart, chart.threshold, said)}]


def _dots(chart: AttackChart) -> list[dict[str, object]]:
    return [
        {
            "row": row,
            "when": when,
            "told": f"{bar.name}{f', {when}' if chart.paired else ''}: {odds(risk)}",
            **_place(chart, risk, f"{when} {odds(risk)}" if chart.paired else odds(risk)),
        }
        for row, bar in enumerate(chart.bars)
        for when, risk in (("before", bar.before), ("after", bar.after))
        if risk is not None
    ]


def _steps(chart: AttackChart) -> list[dict[str, object]]:
    return [
        {"row": row, "risk": bar.before, "to": bar.after}
        for row, bar in enumerate(chart.bars)
        if bar.before > 0 and bar.after
    ]


def _place(chart: AttackChart, risk: float, said: str) -> dict[str, object]:
    """Put a label beside its risk, leaning inwards; no risk has no place, and stands at the end."""
    place = 1 + log10(risk) / chart.decades if risk > 0 else 0
    return {
        "risk": risk if risk > 0 else 10.0**-chart.decades,
        "drawn": risk > 0,
        "said": said,
        "align": "left" if place < _MIDDLE else "right",
    }


def _said(data: Rows, **places: Any) -> list[alt.Chart]:  # noqa: ANN401 - channels of Altair
    """Make a layer of labels for each way to align them."""
    return [
        words([row for row in data if row["align"] == align], "said", align=align, dx=dx, **places)
        for align, dx in _LEANING
        if any(row["align"] == align for row in data)
    ]
