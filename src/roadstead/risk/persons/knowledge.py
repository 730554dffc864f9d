"""The numbers of a person's rows that an attacker may know, and the words for each number."""

from __future__ import annotations

from typing import Literal, TypeAlias

RowsKnown: TypeAlias = int | Literal["all"]
"""The number of a person's rows that an attacker may know: 1, 2, 3, or all."""

ROWS_IN_WORDS: dict[RowsKnown, str] = {
    1: "one row",
    2: "any two rows",
    3: "any three rows",
    "all": "all rows",
}
"""The attacker's knowledge about a person, in words."""
