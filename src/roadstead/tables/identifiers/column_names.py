"""What columns are called, as words: ``patientZip`` and ``PATIENT ZIP`` are patient_zip.

The patterns here are for names that more than one part of the house must know: ages, ZIP codes and
places smaller than a state. All are searched in the words of a name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from roadstead.tables.identifiers.vocabulary import census_columns, column_pattern

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD = re.compile(r"\W+")

AGE = column_pattern("age")
ZIP = column_pattern("zip")
STREET = column_pattern("street")
PLACE = column_pattern("place")
_CODE = column_pattern("code")
_ID = column_pattern("id")
_CENSUS_CODES = census_columns("codes")


def words(name: str) -> str:
    """Write a column's name with underscores between its words, in small letters, no accents."""
    parts = unicodedata.normalize("NFKD", name.replace("\N{LATIN SMALL LETTER SHARP S}", "ss"))
    plain = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return _NO_WORD.sub("_", _BETWEEN_WORDS.sub("_", plain)).lower()


def is_age(name: str) -> bool:
    """Whether a column is called like an age."""
    return AGE.search(words(name)) is not None


def is_zip(name: str) -> bool:
    """Whether a column is called like a ZIP code."""
    return ZIP.search(words(name)) is not None


def is_place(name: str) -> bool:
    """Whether a column is called like a place smaller than a state that is no ZIP code."""
    return any(form.search(words(name)) for form in (STREET, PLACE))


def meaning(name: str) -> Literal["any", "code", "id", "zip"]:
    """Say what the numbers of a column mean, as far as it is called so; ``any`` if nothing tells.

    Numbers of an ``id`` or a ``code`` have no neighbors: 11 is not nearly 12.
    """
    called = words(name)
    if is_zip(name):
        return "zip"
    if is_age(name):
        return "any"
    if _ID.search(called):
        return "id"
    return "code" if name.lower() in _CENSUS_CODES or _CODE.search(called) else "any"
