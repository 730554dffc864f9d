"""Write the page of a comparison, with a map of the releases and all tables.

The map shows the releases by their risk and their distance from the original table. The page is one
HTML file that has no scripts and loads no other files. The first line says that the page is not for
sharing.
"""

from __future__ import annotations

from roadstead import __version__
from roadstead.reports.charts.svg import picture
from roadstead.reports.environment import template
from roadstead.reports.evaluation.comparison import COMPARED_WARNING, ComparisonFacts
from roadstead.reports.evaluation.comparison_lines import comparison_tables, first_of, map_of
from roadstead.reports.sources import IN_USE


def render_comparison(facts: ComparisonFacts, created: str) -> str:
    """Return the page as an HTML document."""
    chart = map_of(facts)
    return template("comparison.html").render(
        warning=COMPARED_WARNING,
        facts=facts,
        first=first_of(facts),
        tables=comparison_tables(facts),
        chart=chart,
        picture=picture(chart),
        notes=facts.notes,
        created=created,
        version=__version__,
        sources=IN_USE,
        cited=_cited(facts),
    )


def _cited(facts: ComparisonFacts) -> tuple[str, ...]:
    """Return the keys of the publications that explain the displayed figures."""
    folds = () if facts.predictions is None else ("nadeau",)
    drawn = () if facts.regression is None else ("rubin", "karr")
    own = facts.regression
    return (*folds, *drawn, *(("tanner",) if own and own.drawn_from == "outcome" else ()))
