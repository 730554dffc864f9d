"""Labels of intervals in the text of a release, read in plain Python."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any


def ends_of_text(label: str) -> tuple[Any, Any]:
    """Read both ends off a label of a release as text, in plain Python."""
    if label in ("", "*"):
        return None, None
    if label.startswith("missing or "):
        return None, ends_of_text(label.removeprefix("missing or "))[1]
    if found := re.fullmatch(r"(\d{4}-\d\d-\d\d)(?: to (\d{4}-\d\d-\d\d))?", label):
        return date.fromisoformat(found[1]), date.fromisoformat(found[2] or found[1])
    number = r"(-?\d+(?:\.\d+)?(?:e\d)?)"
    for form in (rf"{number}-{number}", rf"\[{number}, {number}\]", number):
        if found := re.fullmatch(form, label):
            return Decimal(found[1]), Decimal(found[found.lastindex or 1])
    raise AssertionError(label)
