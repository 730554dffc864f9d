"""What others may know of a person, and what nobody should learn: by names and by values.

Columns are known by the words of their names. In the Bureau of the Census's public files (ACS PUMS)
columns have short names, such as AGEP or RAC1P; those are known whole. A few things that others
know show in the values too, whatever the column is called: sex, race, marital status.

To know another thing by its name, add a word to ``data/columns.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from roadstead.tables.identifiers.column_names import words
from roadstead.tables.identifiers.vocabulary import census_columns, column_pattern

_MOSTLY = 0.9
_MOST_CATEGORIES = 40

_QUASI: Final = column_pattern("quasi")
_SENSITIVE: Final = column_pattern("sensitive")
_NOT_KNOWN: Final = column_pattern("not_known")
_CENSUS_QUASI: Final = census_columns("quasi")
_CENSUS_SENSITIVE: Final = census_columns("sensitive")

_SEXES: Final = frozenset(
    ("male", "female", "m", "f", "man", "woman", "men", "women", "boy", "girl")
)
_RACES: Final = frozenset(
    (
        *("white", "black", "asian", "caucasian", "hispanic", "latino", "africanamerican"),
        *("african american", "black or african american", "native american", "american indian"),
        *("asian-pac-islander", "amer-indian-eskimo", "pacific islander"),
    )
)
_MARRIAGES: Final = re.compile(
    r"(never|un|now)?[- ]?(married|divorced|widowed|separated)([- ].*)?|single", re.IGNORECASE
)
_BETWEEN_CODES: Final = re.compile(r"[;,|/ ]+")
_ICD_10: Final = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.ASCII)


def known_to_others(name: str, values: Sequence[str]) -> str:
    """Say why others may know what is in a column; the empty text if nothing suggests it.

    `name`: what the column is called. `values`: a sample of its distinct values.
    """
    called = words(name)
    if name.lower() in _CENSUS_QUASI or (_QUASI.search(called) and not _NOT_KNOWN.search(called)):
        return "called like something others may know of a person"
    if not 1 < len(values) <= _MOST_CATEGORIES:
        return ""
    small = [value.casefold() for value in values]
    if all(value in _SEXES for value in small):
        return "values read like sexes"
    if sum(value in _RACES for value in small) > 1:
        return "values read like races"
    if sum(_MARRIAGES.fullmatch(value) is not None for value in small) * 2 > len(small):
        return "values read like marital status"
    return ""


def better_unknown(name: str, values: Sequence[str]) -> str:
    """Say why nobody should learn what is in a column; the empty text if nothing suggests it.

    `name`, `values`: as for `known_to_others`.
    """
    called = words(name)
    if name.lower() in _CENSUS_SENSITIVE or _SENSITIVE.search(called):
        return "called like something nobody should learn"
    if values and sum(map(_are_icd_10, values)) >= _MOSTLY * len(values):
        return "reads like diagnosis codes"
    return ""


def _are_icd_10(value: str) -> bool:
    """Whether a text is an ICD-10 code, or several with marks or blanks between them."""
    return all(map(is_icd_10, _BETWEEN_CODES.split(value)))


def is_icd_10(value: str) -> bool:
    """Whether a text has the form of an ICD-10 code."""
    return _ICD_10.fullmatch(value) is not None
