"""A result in a notebook: its words, and its chart below them."""

from __future__ import annotations

from markupsafe import Markup

from roadstead.reports.charts.svg import Picture


def notebook(text: str, *pictures: Picture) -> str:
    """Write a result as HTML: text as it stands, then charts on white, as their colors need."""
    charts = (
        Markup('<div style="background: #fff; max-width: 45rem">{}</div>').format(one.wide)
        for one in pictures
    )
    return Markup("<pre>{}</pre>").format(text) + Markup().join(charts)
