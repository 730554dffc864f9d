"""Parse the numbers that a person types into a form."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from math import inf, isfinite

from roadstead.errors import SettingError, quoted


def number_in(
    text: str,
    label: str,
    *,
    whole: bool = False,
    above: float = -inf,
    most: float = inf,
    what: str | None = None,
    fix: str = "enter a number, for example, 5",
) -> int | float:
    """Parse a finite number above `above` and up to `most`. Digits alone become an integer.

    `label` is the label of the field, and `what` and `fix` are the text of the error.
    """
    typed = text.strip()
    try:
        found = float(Decimal(typed))
    except (InvalidOperation, ValueError):  # the latter for a signaling NaN
        found = inf
    integer = re.fullmatch(r"[+-]?\d+", typed, re.ASCII)
    if not isfinite(found) or not above < found <= most or (whole and integer is None):
        right = "a whole number" if whole and isfinite(found) else "a number"
        raise SettingError(what or f"{quoted(typed)} is not {right}", where=label, fix=fix)
    return int(Decimal(typed)) if integer else found
