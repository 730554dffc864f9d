"""Explain why a loss in a report or a certificate differs from the exact loss.

The people who create a release see the exact loss. Everything that is shared gives the loss in
coarse steps (docs/glossary.md, "Figures of a release").
"""

from __future__ import annotations

from roadstead.quality.for_sharing import coarse
from roadstead.reports.numbers import percent

WHY_ROUNDED = "an exact loss could reveal the range of the values"
"""A clause that gives the reason for rounding."""
ROUNDED = f"rounded, because {WHY_ROUNDED}"
"""The words that follow a rounded loss in a report."""


def also_rounded(loss: float) -> list[str]:
    """Return the rounded loss that the report and the certificate give, if it is not exact."""
    if coarse(loss) == loss:
        return []
    return [
        f"The report and the certificate round this loss to {percent(coarse(loss))}: {WHY_ROUNDED}."
    ]


def about(loss: float) -> str:
    """Describe a loss that was rounded for sharing. Only 0% and 100% are exact."""
    return f"{'about ' if 0.0 < loss < 1.0 else ''}{percent(loss)}"
