"""Recognize ICD-10 codes by their values, because many other codes have the same form.

A letter and two digits can also be a month (`M03`), a week (`W17`), a year of birth (`Y61`), a
postcode district (`N16`), or a room (`C12`). The values of a column are diagnoses if they are
spread over chapters, are listed in a code book, and include some of the most frequent diagnoses. In
addition, their letters and numbers must not combine freely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from roadstead.code_systems.system import systems
from roadstead.tables.identifiers.vocabulary import TextForm, table_of

_CODE: Final = r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?"
_LIST: Final = TextForm(rf"{_CODE}([;,|/ ]+{_CODE})*", re.ASCII)
"""An ICD-10 code, or several codes separated by marks or blanks."""
_MARKS: Final = re.compile(r"[;,|/ ]+")
_SYSTEMS: Final = ("icd10", "icd10who")
_NEARLY_ALL: Final = 0.9
_LISTED: Final = 0.95
_FEWEST_LETTERS, _FEWEST_OF_MANY = 3, 6
_MANY: Final = 40
"""The number of distinct categories at which their letters are enough evidence."""
_FREQUENT: Final = 0.5
_COMBINED: Final = 0.5
"""The share of all pairs of a letter and a number at which both combine freely."""
_MOST_NUMBERS: Final = 60
"""The number of distinct numbers above which they are no times, so that a full list may pass."""
_BRITISH: Final = frozenset("BEGLMNSW")
"""The postcode areas of the United Kingdom that have one letter."""


def have_form_of_diagnoses(values: Sequence[str]) -> bool:
    """Return whether nearly all values have the form of one or several ICD-10 codes."""
    return bool(values) and sum(map(_LIST, values)) >= _NEARLY_ALL * len(values)


def are_diagnoses(values: Sequence[str]) -> bool:
    """Return whether nearly all values are ICD-10 codes, and are distributed like diagnoses."""
    if not have_form_of_diagnoses(values):
        return False
    codes = (code for value in values if _LIST(value) for code in _MARKS.split(value))
    categories = {code[:3].upper() for code in codes}
    letters, numbers = {one[0] for one in categories}, {one[1:] for one in categories}
    if len(letters) < _FEWEST_LETTERS or letters <= _BRITISH:
        return False
    combined = len(categories) >= _COMBINED * len(letters) * len(numbers)
    if combined and len(numbers) <= _MOST_NUMBERS:
        return False
    if len(categories & _listed()) < _LISTED * len(categories):
        return False
    many = len(categories) >= _MANY and len(letters) >= _FEWEST_OF_MANY
    return many or len(categories & _frequent()) >= _FREQUENT * len(categories)


@cache
def _listed() -> frozenset[str]:
    """Return the categories of both editions."""
    return frozenset().union(*(systems()[name].levels[0].listed for name in _SYSTEMS))


@cache
def _frequent() -> frozenset[str]:
    return frozenset(table_of("diagnoses.toml")["frequent"].split())
