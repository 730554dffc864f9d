"""Show a determination as one HTML file for printing.

The file has no scripts and loads no other files.

For the workbench, the module also provides an overview, which counts the answered points of each
dialect and links to each page.
"""

from __future__ import annotations

from markupsafe import Markup

from roadstead.determination.dialects import dialect
from roadstead.determination.document import BY, Determination
from roadstead.reports.determination.content import DeterminationContent, alarms_of
from roadstead.reports.environment import template

_WHO = {
    "tool": "Tool",
    "people": "People",
    "both": "Both",
    "part": "In part",
    "nobody": "Nobody",
}


def render_determination(content: DeterminationContent) -> str:
    """Return the page as an HTML document."""
    return template("determination.html").render(
        content=content, created=content.created, version=content.version, sources={}, cited=()
    )


def overview(determination: Determination, at: str) -> Markup:
    """Return the overview, which is a table. `at` is the base address of pages and documents."""
    rows = [
        (one, dialect(one.dialect).title, list(alarms_of(determination, one)))
        for one in determination.dialects
    ]
    made = template("determination_overview.html").render(
        whole_=determination,
        rows=rows,
        alarms=list(dict.fromkeys(alarm for *_, own in rows for alarm in own)),
        by=[(who, _WHO[who]) for who in BY],
        at=at,
        files=frozenset(one.name for one in determination.files),
    )
    return Markup(made)  # noqa: S704 - our template
