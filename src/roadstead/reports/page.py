"""A report as one HTML file, and its gist as a table for notebooks.

The file holds everything it shows: no script, nothing fetched. It forbids itself both, so that a
browser would refuse them even if a value could smuggle them in.
"""

from __future__ import annotations

from roadstead.reports.charts import draw, gather
from roadstead.reports.content import ReportContent
from roadstead.reports.environment import template
from roadstead.reports.sentences import lost, proof, summary
from roadstead.reports.sources import ALWAYS, MODELS, SEARCHES, SOURCES


def render(content: ReportContent) -> str:
    """Make the report, with losses rounded as they may be shared.

    Parameters
    ----------
    content
        Everything that is shown.

    Returns
    -------
    str
        A whole HTML document, to be written as UTF-8. Equal contents give equal documents.
    """
    content = content.for_sharing
    charts = gather(content)
    return template("report.html").render(
        content=content,
        summary=summary(content),
        proof=_proof(content),
        lost=lost(content.loss) if content.loss else "",
        sources=SOURCES,
        cited=_cited(content),
        cited_models=MODELS,
        cited_searches=SEARCHES,
        bounded=tuple(dict.fromkeys(c for g in content.guarantees for c in g.columns)),
        presence=any(g.kind == "delta-presence" for g in content.guarantees),
        weighted=len({a.weight for a in content.attributes}) > 1,
        charts=charts,
        pictures=draw(charts),
        notes=content.notes,
    )


def render_summary(content: ReportContent) -> str:
    """Make a compact HTML table of the same release, with a chart of its risks, for notebooks."""
    risks = draw(gather(content)).risks.wide
    return template("summary.html").render(content=content, proof=_proof(content), chart=risks)


def _proof(content: ReportContent) -> str | None:
    if content.loss is None or content.search is None:
        return None
    return proof(content.loss, content.search)


def _cited(content: ReportContent) -> list[str]:
    """Name the sources of what the report speaks of, in the order of the list."""
    named = set(ALWAYS)
    if content.loss is not None:
        named |= {*content.loss.measure.sources}
        if not content.loss.measure.by_attribute:
            named.add("iyengar")
    if content.search is not None and content.search.name in SEARCHES:
        named.add(SEARCHES[content.search.name])
    if content.search is not None and content.search.frontier:
        named |= {"benitez", "xia"}
    named |= {MODELS[g.kind] for g in content.guarantees if g.kind in MODELS}
    return [name for name in SOURCES if name in named]
