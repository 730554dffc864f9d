"""A scale of odds: a ladder of powers of ten, with labels beside the risks that lie on it.

"1 in 10", "1 in 100": on a scale of shares, whatever is below a percent could not be told from
nothing. A label leans inwards, so that one which stands at the line of what is acceptable ends
there, and does not cross it. No risk has no place on the ladder, and is said at its end.
"""

from __future__ import annotations

from math import ceil, log10
from typing import TYPE_CHECKING, Any

from roadstead.reports.charts.canvas import FONT, LINE, MUTED, SMALL, Align, Canvas, Rows, words
from roadstead.reports.wording import odds

if TYPE_CHECKING:
    import altair as alt

_MIDDLE = 0.5
_LEANING: tuple[tuple[Align, int], ...] = (("left", 5), ("right", -5))
"""Which end of a label is at its risk, and how far from it."""


def ladder(decades: int, canvas: Canvas) -> alt.Axis:
    """Make an axis of powers of ten, of only so many that their labels have room."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    step = ceil(decades / (3 if canvas.narrow else 6))
    return alt.Axis(
        values=[10.0**-power for power in range(0, decades + 1, step)],
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


def acceptable(decades: int, threshold: float) -> list[dict[str, object]]:
    """Say which risk is still acceptable."""
    return [{"certain": 1.0, **placed(decades, threshold, f"acceptable: {odds(threshold)}")}]


def placed(decades: int, risk: float, said: str) -> dict[str, object]:
    """Put a label beside its risk."""
    place = 1 + log10(risk) / decades if risk > 0 else 0
    return {
        "risk": risk if risk > 0 else 10.0**-decades,
        "drawn": risk > 0,
        "said": said,
        "align": "left" if place < _MIDDLE else "right",
    }


def labels(data: Rows, **places: Any) -> list[alt.Chart]:  # noqa: ANN401 - channels of Altair
    """Make a layer of labels for each way to align them."""
    return [
        words([row for row in data if row["align"] == align], "said", align=align, dx=dx, **places)
        for align, dx in _LEANING
        if any(row["align"] == align for row in data)
    ]
