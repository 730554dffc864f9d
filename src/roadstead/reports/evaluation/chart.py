"""The chart of an evaluation: the share of held-out records that each classifier gets right."""

from __future__ import annotations

from functools import partial

from roadstead.reports.charts.share_bars import ShareBar, ShareChart, draw_shares
from roadstead.reports.charts.svg import Picture, picture
from roadstead.reports.evaluation.facts import JudgmentFacts, RehearsalFacts


def chart_of(facts: JudgmentFacts | RehearsalFacts) -> Picture:
    """Draw the accuracies of each way and classifier, and what the most frequent class gets right.

    Of a rehearsal each is the mean of its runs.
    """
    bars: dict[str, list[float]] = {}
    for row in facts.rows():
        if row.figure in ("CA", "BA", "LA"):
            name = f"{row.way}, {row.classifier}" if row.classifier else row.way
            bars.setdefault(name, []).append(row.value)
    chart = ShareChart(
        "accuracy",
        "Bar chart of the accuracies",
        "The share of the held-out records whose class is predicted. Not private.",
        "learned from",
        "records predicted right",
        tuple(ShareBar(name, sum(values) / len(values)) for name, values in bars.items()),
    )
    return picture(chart.name, chart, partial(draw_shares, chart))
