"""Why a loss in a report, a certificate and what is read from them differs from the exact figure.

A figure of a release has one definition, wherever it is shown (docs/glossary.md, "Figures of a
release"). Losses alone are shown in two ways: exact to the people who make the release, in coarse
steps in all that is shared. The sentences here say so next to the number.
"""

from __future__ import annotations

from roadstead.quality.for_sharing import coarse
from roadstead.reports.numbers import percent

WHY_ROUNDED = "an exact loss could show how far the values reach"
"""A clause."""
ROUNDED = f"rounded to 1, 2, 5, 10, 20, 50, 80 or 90%, because {WHY_ROUNDED}"
"""What the figure of a report is, as a participle."""


def also_rounded(loss: float) -> list[str]:
    """Say next to an exact loss what report and certificate say; nothing if they say the same."""
    if coarse(loss) == loss:
        return []
    return [
        f"The report and the certificate round this loss to {percent(coarse(loss))}: {WHY_ROUNDED}."
    ]


def about(loss: float) -> str:
    """Write a loss that was rounded for sharing: exact are 0% and 100% alone."""
    return f"{'about ' if 0.0 < loss < 1.0 else ''}{percent(loss)}"
