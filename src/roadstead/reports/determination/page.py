"""A determination as one HTML file: no script, nothing fetched, and made to be printed."""

from __future__ import annotations

from roadstead.reports.determination.content import DeterminationContent
from roadstead.reports.environment import template


def render_determination(content: DeterminationContent) -> str:
    """Make the page, a whole HTML document."""
    return template("determination.html").render(
        content=content, created=content.created, version=content.version, sources={}, cited=()
    )
