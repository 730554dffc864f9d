"""The pictures of paper 001: risk, information loss, and suppression by sampling fraction.

As in the paper, there is one panel per population.
"""

from __future__ import annotations

from typing import Final

import altair as alt

from roadstead_reproductions.drawing import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    colored,
    dashed,
    finished,
    layered,
    shaped,
    side_by_side,
)
from roadstead_reproductions.elemam2008.published import RELATIVE_LOSS
from roadstead_reproductions.elemam2008.rules import RULES
from roadstead_reproductions.elemam2008.summaries import Summaries
from roadstead_reproductions.elemam2008.tables import LOSS, RISK, Measure, Panels
from roadstead_reproductions.tables import Picture

_COLORS: Final = dict(zip(RULES, (BLACK, ORANGE, GREEN, BLUE), strict=True))
_DASHES: Final = dict(zip(RULES, ((6, 3), (2, 2), (8, 2, 2, 2), (1, 0)), strict=True))
_SHAPES: Final = dict(zip(RULES, ("square", "triangle-up", "diamond", "circle"), strict=True))
_WIDTH, _HEIGHT = 270, 240
_LEGEND: Final = {"symbolStrokeWidth": 0}


def picture(measure: Measure, k: int, panels: Panels, found: Summaries) -> Picture:
    """Draw a measure by sampling fraction for one value of k."""
    data = [
        {
            "population": series.name,
            "fraction": fraction,
            "rule": rule,
            "value": getattr(found[series.name, fraction, k, rule], measure.name),
            "threshold": 1.0 / k,
        }
        for series in panels.series
        for fraction in series.fractions
        for rule in reversed(measure.rules)  # draws dashed lines over the solid line
    ]
    x = alt.X("fraction:Q", title="sampling fraction", scale=alt.Scale(domain=[0, 1]))
    form = alt.Axis() if measure is RISK else alt.Axis(format="%")
    y = alt.Y("value:Q", title=measure.axis, axis=form, scale=alt.Scale(zero=True))
    color, dash, shape = _by_rule(measure.rules)
    base = alt.Chart()
    layers = [
        base.mark_line(strokeWidth=2).encode(x=x, y=y, color=color, strokeDash=dash),
        base.mark_point(size=40, filled=True, opacity=1).encode(x=x, y=y, color=color, shape=shape),
    ]
    if measure is RISK:
        line = base.mark_rule(color=GRAY, strokeWidth=1.5)
        layers.insert(0, line.encode(y=alt.Y("mean(threshold):Q")))
    view = layered(*layers).properties(width=_WIDTH, height=_HEIGHT)
    facets = side_by_side(view, data, "population")
    title = f"{measure.title}, k = {k}{panels.told}"
    subtitle = _subtitle(measure, k, panels)
    name = f"{measure.table}-k{k}{panels.suffix}"
    return finished(name, title, subtitle, facets, _LEGEND)


def _subtitle(measure: Measure, k: int, panels: Panels) -> str:
    samples = panels.series[0].repetitions
    means = f"Means of {samples:,} sample{'s' if samples > 1 else ''} per fraction"
    if measure is RISK:
        return f"{means}; gray line: the intended risk, 1/{k}"
    if measure is LOSS:
        known = f"{100 * RELATIVE_LOSS:.0f}%"
        return f"{means}; D1 is 100%; published for physicians at 0.1, k = 5: {known}"
    return means


def _by_rule(rules: tuple[str, ...]) -> tuple[alt.Color, alt.StrokeDash, alt.Shape]:
    return (
        colored("rule", rules, [_COLORS[rule] for rule in rules]),
        dashed("rule", rules, [_DASHES[rule] for rule in rules]),
        shaped("rule", rules, [_SHAPES[rule] for rule in rules]),
    )
