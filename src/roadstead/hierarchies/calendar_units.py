"""List the units of calendar rules, such as months, and the labels of each unit."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from roadstead.hierarchies.written_dates import Precision

CalendarUnit: TypeAlias = Literal["day", "week", "month", "quarter", "year", "decade"]
TOO_FINE: dict[Precision, tuple[CalendarUnit, ...]] = {
    "day": (),
    "month": ("day", "week"),
    "year": ("day", "week", "month", "quarter"),
}
"""For dates with a given finest part, the units that need a finer part."""

LABEL_PATTERNS: dict[CalendarUnit, re.Pattern[str]] = {
    "day": re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII),
    "week": re.compile(r"week of \d{4}-\d{2}-\d{2}", re.ASCII),
    "month": re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII),
    "quarter": re.compile(r"\d{4}-Q[1-4]", re.ASCII),
    "year": re.compile(r"\d{4}", re.ASCII),
    "decade": re.compile(r"\d{3}0s", re.ASCII),
}
"""The pattern of the labels of each unit."""
