"""Prosecutor risk as in a report, for tests that need no table."""

from __future__ import annotations

from roadstead.risk.prosecutor import ProsecutorRisk


def prosecutor(
    maximum: float, average: float, share_above_threshold: float, uniques: int
) -> ProsecutorRisk:
    """Make a risk of which a report shows these figures."""
    return ProsecutorRisk(maximum, average, share_above_threshold, 0.2, 0, 0, uniques, 0, 0)
