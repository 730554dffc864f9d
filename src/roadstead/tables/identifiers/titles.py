"""Examine the names of columns and files, which every recipient of a release can see.

A column name is rejected if it contains a person's number, address, or name. The name is rejected
even if the column is not released. A file name with such content is replaced. Dates are common in
column names, for example in columns of measurements, so only dates in file names are identifiers.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePath
from typing import Final

from roadstead.tables.identifiers import prose
from roadstead.tables.identifiers.dated import holds_day, is_day
from roadstead.tables.identifiers.normal import normal
from roadstead.tables.identifiers.vocabulary import given_names, is_ordinary

NEUTRAL: Final = "release"
"""The neutral name for a file whose own name contains an identifier."""

_GRAVE: Final = (prose.MAIL, prose.PHONE, prose.SSN, prose.WEB, prose.CODE)
_RECORD = re.compile(r"(?<![a-z])mrn[-_#: ]*\d{3,}", re.IGNORECASE)
_MARKS = re.compile(r"[_\W]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RUN = re.compile(r"\d{6,}")
_SHORTEST_NAME: Final = 3


def held_by_column_name(name: str) -> str:
    """Return the kind of identifier in a column's name, or an empty string if there is none."""
    text = normal(name)
    found = prose.held(text)
    grave = next((what for what in _GRAVE if what in found), "")
    if grave or _RECORD.search(text):
        return grave or "record numbers"
    return prose.PERSON if _names_somebody(_MARKS.sub(" ", text)) else ""


def held_by_file_name(name: str) -> str:
    """Return the kind of identifier in a file's name, or an empty string if there is none."""
    text = normal(_stem(name))
    spaced = _MARKS.sub(" ", _CAMEL.sub(" ", text)).strip()
    if grave := held_by_column_name(text):
        return grave
    if _holds_day(text, spaced):
        return prose.DAY
    if _RUN.search(text):
        return prose.RUN
    words = spaced.split()
    if len(words) > 1 and (any(map(_is_given, words)) or prose.has_person(spaced)):
        return prose.PERSON
    return ""


def shareable_name(name: str) -> str:
    """Return a file's name, or a neutral name if the name contains an identifier."""
    return NEUTRAL + _endings(name) if held_by_file_name(name) else name


def _names_somebody(text: str) -> bool:
    """Return whether a string has a full name: a given name before a capitalized word."""
    return prose.has_titled(text) or any(
        _is_given(first) and first.istitle() and second.istitle() and not is_ordinary(second)
        for first, second in pairwise(text.split())
    )


def _is_given(word: str) -> bool:
    small = word.casefold()
    return len(small) >= _SHORTEST_NAME and small in given_names() and not is_ordinary(small)


def _holds_day(text: str, spaced: str) -> bool:
    """Return whether a string contains a date with a day, in one of several notations."""
    parts = re.findall(r"\d{8}", text)
    hyphened = spaced.replace(" ", "-")
    dates = re.findall(r"\d{4}-\d\d?-\d\d?(?!\d)|\d\d?-\d\d?-\d{4}(?!\d)", hyphened)
    return any(map(is_day, (*parts, *dates))) or holds_day(text) or holds_day(spaced)


def _stem(name: str) -> str:
    endings = _endings(name)
    return name.removesuffix(endings) if endings else name


def _endings(name: str) -> str:
    """Return the extensions of a file name that show the format, such as .csv.gz."""
    suffixes = PurePath(name).suffixes[-2:]
    return "".join(one for one in suffixes if re.fullmatch(r"\.[A-Za-z]{2,8}", one))
