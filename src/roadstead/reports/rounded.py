"""Explain why a loss in a report or a certificate differs from the exact figure.

Each figure of a release has one definition wherever it is shown (docs/glossary.md, "Figures of a
release"). Only losses are shown in two ways: exact for the people who make the release, and in
coarse steps in everything that is shared. The sentences here explain this next to the number.
"""

from __future__ import annotations

from roadstead.quality.for_sharing import coarse
from roadstead.reports.numbers import percent

WHY_ROUNDED = "an exact loss could reveal the range of the values"
"""The reason, as a clause."""
ROUNDED = f"rounded, because {WHY_ROUNDED}"
"""How a report describes a rounded loss."""


def also_rounded(loss: float) -> list[str]:
    """Return what the report and the certificate show for a loss. Empty if it is the same."""
    if coarse(loss) == loss:
        return []
    return [
        f"The report and the certificate round this loss to {percent(coarse(loss))}: {WHY_ROUNDED}."
    ]


def about(loss: float) -> str:
    """Write a loss that was rounded for sharing. Only 0% and 100% are exact."""
    return f"{'about ' if 0.0 < loss < 1.0 else ''}{percent(loss)}"
