"""Explain why a loss in a report or a certificate differs from the exact loss.

The people who create a release see the exact loss. All shared files give the loss in coarse steps
(docs/glossary.md, "Figures of a release").
"""

from __future__ import annotations

from roadstead.quality.for_sharing import coarse, rounded_from
from roadstead.reports.numbers import percent

WHY_ROUNDED = "an exact loss could reveal the range of the values"
"""A clause that gives the reason for rounding."""
ROUNDED = f"rounded, because {WHY_ROUNDED}"
"""The words about a column of rounded losses."""


def rounded(loss: float) -> str:
    """Return the words that follow a rounded loss in a report: its range, and the reason."""
    low, high = rounded_from(loss)
    return f"rounded from a loss between {percent(low)} and {percent(high)}, because {WHY_ROUNDED}"


def range_in_words(loss: float) -> str:
    """Return the range of the losses that are rounded in the same way, such as "15% to 35%"."""
    low, high = rounded_from(loss)
    return f"{percent(low)} to {percent(high)}"


def also_rounded(loss: float) -> list[str]:
    """Return the rounded loss that the report and the certificate give, if it is not exact."""
    if coarse(loss) == loss:
        return []
    return [
        f"The report and the certificate round this loss to {percent(coarse(loss))} (which means "
        f"{range_in_words(loss)}): {WHY_ROUNDED}."
    ]


def about(loss: float) -> str:
    """Describe a loss that was rounded for sharing. Only 0% and 100% are exact."""
    return f"{'about ' if 0.0 < loss < 1.0 else ''}{percent(loss)}"


def about_with_range(loss: float) -> str:
    """Describe a rounded loss and its range, so that a reader can compare it with other losses."""
    return f"{about(loss)} ({range_in_words(loss)})" if 0.0 < loss < 1.0 else about(loss)
