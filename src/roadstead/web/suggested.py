"""Find the settings that a finding suggests for reading a table; the page offers buttons.

A finding or an error names a setting of the first step by its label, as in "Rows that are not
records: 2-3". The page shows the same setting as a button.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from roadstead.web.words import LABELS

_ONE = ("decimal", "header", "delimiter")
_SEVERAL = ("missing", "skip_rows")
"""The settings that may have several values."""
_PLACEHOLDERS = ("VALUE", "ROWS")
"""Words in a sentence that the user must replace with a value, which a button cannot do."""
WIDTHS, LAYOUT = "widths", "layout"
_END = r"(?=\.?$|;|\. | if | or (?:First|Delimiter))"
SETTINGS = {
    **{key: re.compile(rf"{re.escape(LABELS[key])}: (.+?){_END}") for key in (*_ONE, *_SEVERAL)},
    WIDTHS: re.compile(r"\?widths=([0-9,]+)&"),
    LAYOUT: re.compile(r"leave out the (widths) of the fields"),
}
_LABELS = {
    "missing": "Treat {} as missing",
    "skip_rows": "Leave out rows {}",
    "decimal": "Read numbers with a decimal {}",
    WIDTHS: "Read fields with the widths {}",
    LAYOUT: "Read the fields at the places in the codebook",
}


class Suggestion(NamedTuple):
    """A setting that a sentence suggests, and the text of its button."""

    key: str
    value: str
    label: str


def suggestions(sentence: str) -> list[Suggestion]:
    """Return the settings that a sentence suggests, in the order of the sentence."""
    found = sorted(
        (match.start(), key, match[1])
        for key, pattern in SETTINGS.items()
        for match in pattern.finditer(sentence)
        if not match[1].endswith(_PLACEHOLDERS)
    )
    return [Suggestion(key, value, _label(key, value)) for _, key, value in found]


def _label(key: str, value: str) -> str:
    match key:
        case "header":
            return "The first row has " + ("the column names" if value == "yes" else "a record")
        case "delimiter":
            return "Separate cells at blanks" if value == " " else f"Separate cells at {value}"
        case "skip_rows" if value.isdecimal():
            return f"Leave out row {value}"
    return _LABELS[key].format(value)
