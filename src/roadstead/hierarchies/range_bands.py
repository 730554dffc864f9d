"""Define a rule that merges ranges of numbers without listing the ranges in the table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from roadstead.errors import HierarchyError
from roadstead.hierarchies.spreadsheet_ranges import parse_range_or_date
from roadstead.number_ranges import NumberRange, parse_range

_LABEL = re.compile(r"(?P<low>\d+)(?:-(?P<last>\d+)|(?P<open>\+))?", re.ASCII)


@dataclass(frozen=True)
class RangeBands:
    """A rule that puts ranges such as 10-19 into bands of equal `width`, which begin at 0.

    All ranges that begin at `top` or later are in one open band; `top` is a multiple of the width.
    The rule does not cover a range that overlaps two bands. A missing value stays missing.
    `spreadsheet_dates` indicates whether dates are ranges that a spreadsheet turned into dates.
    """

    width: int
    top: int | None = None
    spreadsheet_dates: bool = False
    kind: Literal["range-bands"] = "range-bands"

    def __post_init__(self) -> None:
        if self.width < 1 or (self.top is not None and (self.top < 0 or self.top % self.width)):
            raise HierarchyError(
                f"bands of width {self.width} up to {self.top} cannot be used",
                fix="give a width of 1 or more, and a top that is a multiple of the width",
            )

    def label(self, value: str) -> str | None:
        """Return the name of the band of a range, or None if the rule does not cover the text."""
        if not value:
            return value
        found = parse_range_or_date(value) if self.spreadsheet_dates else parse_range(value)
        return None if found is None else self.band(found)

    def band(self, one: NumberRange) -> str | None:
        """Return the name of the band of a parsed range."""
        start = one.low // self.width * self.width
        if self.top is not None and start >= self.top:
            return f"{self.top}+"
        if one.high is None or one.high > start + self.width:
            return None
        return str(start) if self.width == 1 else f"{start}-{start + self.width - 1}"

    def produces(self, label: str) -> bool:
        """Return whether the rule can produce this label."""
        found = _LABEL.fullmatch(label)
        if found is None:
            return not label
        low = int(found["low"])
        if found["open"]:
            return label == f"{self.top}+"
        return self.band(NumberRange(low, low + self.width)) == label

    def describe(self) -> str:
        """Describe the rule in words."""
        top = "" if self.top is None else f", then {self.top}+"
        return f"in bands of {self.width}{top}"
