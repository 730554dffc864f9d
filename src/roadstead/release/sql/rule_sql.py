"""A rule as SQL: its label, and the columns that the label needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Fresh = Callable[[str], str]
"""Returns a free column name that is as close as possible to the proposed one."""


@dataclass(frozen=True)
class RuleSql:
    """A rule as SQL."""

    label: str  # the label of a value; null if the rule does not cover it
    # Columns that the label needs. Each step maps names to expressions that may use the columns of
    # the earlier steps. The first step gives shapes, the second numbers and texts that look like
    # dates, and the third bands and days.
    steps: tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]] = field(
        default=({}, {}, {})
    )
