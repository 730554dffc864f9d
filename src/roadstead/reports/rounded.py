"""Explain why a loss in a report or a certificate differs from the exact figure.

A loss is exact for the people who make the release, and has coarse steps in everything that is
shared (docs/glossary.md, "Figures of a release").
"""

from __future__ import annotations

from roadstead.quality.for_sharing import coarse
from roadstead.reports.numbers import percent

WHY_ROUNDED = "an exact loss could reveal the range of the values"
"""The reason, as a clause."""
ROUNDED = f"rounded, because {WHY_ROUNDED}"
"""The words for a rounded loss in a report."""


def also_rounded(loss: float) -> list[str]:
    """Say what the report and the certificate show for a loss, if it differs."""
    if coarse(loss) == loss:
        return []
    return [
        f"The report and the certificate round this loss to {percent(coarse(loss))}: {WHY_ROUNDED}."
    ]


def about(loss: float) -> str:
    """Return a loss that was rounded for sharing. Only 0% and 100% are exact."""
    return f"{'about ' if 0.0 < loss < 1.0 else ''}{percent(loss)}"
