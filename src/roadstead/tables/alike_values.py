"""Find values that differ only in case, blanks, or invisible characters.

`HIV`, `hiv`, and `HIV` with a zero-width space mean the same to a reader, but they are different
strings. A privacy model would count them as different values of a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from roadstead.tables.identifiers.normal import normal


def alike_values(values: Iterable[str]) -> int:
    """Count strings that differ from another only in case, blanks, or invisible characters."""
    keys = Counter(map(_key, set(values)))
    del keys[""]  # all blanks are missing values
    return sum(many for many in keys.values() if many > 1)


def _key(text: str) -> str:
    return normal(text).casefold().replace(" ", "")
