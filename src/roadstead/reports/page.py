"""A report as one HTML file, and its gist as a table for notebooks.

The file holds everything it shows: no script, nothing fetched. It forbids itself both, so that a
browser would refuse them even if a value could smuggle them in.
"""

from __future__ import annotations

from roadstead.reports import charts
from roadstead.reports.content import ReportContent
from roadstead.reports.environment import template
from roadstead.reports.sentences import proof, summary


def render(content: ReportContent) -> str:
    """Make the report.

    Parameters
    ----------
    content
        Everything that is shown.

    Returns
    -------
    str
        A whole HTML document, to be written as UTF-8. Equal contents give equal documents.
    """
    return template("report.html").render(
        content=content,
        summary=summary(content),
        proof=_proof(content),
        weighted=len({a.weight for a in content.attributes}) > 1,
        class_sizes=charts.draw_class_sizes(charts.gather_class_sizes(content)),
        losses=charts.draw_losses(charts.gather_losses(content)),
        risks=charts.draw_risks(charts.gather_risks(content)),
    )


def render_summary(content: ReportContent) -> str:
    """Make a compact HTML table of the same release, without charts, for ``_repr_html_``."""
    return template("summary.html").render(content=content, proof=_proof(content))


def _proof(content: ReportContent) -> str | None:
    if content.loss is None or content.search is None:
        return None
    return proof(content.loss, content.search)
