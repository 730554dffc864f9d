"""Recognize columns that an attacker may know, by their names and values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from roadstead.code_systems.recognition import recognized
from roadstead.tables.identifiers.vocabulary import TextForm, is_called, table_of, words

_MOST_CATEGORIES: Final = 40
_MARRIAGES: Final = TextForm(
    r"(never|un|now)?[- ]?(married|divorced|widowed|separated)([- ].*)?|single", re.IGNORECASE
)


def known_to_others(name: str, values: Sequence[str]) -> str:
    """Explain why attackers may know a column, or return an empty string if there is no reason."""
    if is_called(name, "quasi") and not is_called(name, "not_known"):
        return "named like something that an attacker may know about a person"
    if not 1 < len(values) <= _MOST_CATEGORIES:
        return ""
    small = [value.casefold() for value in values]
    known = table_of("columns.toml")["values"]
    if all(value in known["sexes"] for value in small):
        return "values look like sexes"
    if sum(value in known["races"] for value in small) > 1:
        return "values look like races"
    if sum(map(_MARRIAGES, small)) * 2 > len(small):
        return "values look like marital status"
    return ""


def known_codes(name: str, values: Sequence[str]) -> str:
    """Explain which kind of known codes the values are, such as country codes."""
    found = recognized(words(name), values, postal=False)
    if found is None or found.chosen is None or not found.chosen.is_known:
        return ""
    return f"its values are {found.chosen.values}; an attacker may know them"
