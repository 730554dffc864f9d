"""Represent a rule as SQL, with the label and the columns that the label needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Fresh = Callable[[str], str]
"""A function that returns an unused column name similar to the proposed name."""


@dataclass(frozen=True)
class RuleSql:
    """A rule that has been converted into SQL."""

    label: str  # the label of a value; null if not covered
    # The columns that the label needs. Each step maps names to expressions that may use the columns
    # of earlier steps. The first step computes shapes, the second step computes numbers and text
    # that looks like a date, and the third step computes bands and days.
    steps: tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]] = field(
        default=({}, {}, {})
    )
