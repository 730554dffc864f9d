"""Recognize places in any form, such as postcodes, addresses, ZIP codes, or coordinates.

The forms are in ``data/places.toml``. Numbers need more evidence than a form. Strings are ZIP codes
only if all have five digits, and nearly all are in areas that the postal service uses. In addition,
some values must have leading zeros, or share an area with other values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Final

from roadstead.tables.identifiers.vocabulary import populous_areas, table_of

_FEWEST: Final = 10
_NEARLY_ALL: Final = 0.9
_ZIP = re.compile(r"\d{5}")
_AREA: Final = 3
_NEIGHBORS: Final = 4
"""The minimum average number of ZIP codes with the same first three digits."""
_FEWEST_ZIPS: Final = 20
_GEOHASH = re.compile(r"(?=.*\d)(?=.*[a-z])[0-9b-hjkmnp-z]{5,12}")
_LETTER_LATER = re.compile(r"\d.*[a-z]")
_BED = re.compile(r"(\d{1,3})[ -]?([A-Fa-f])")
"""The number of a room and the letter of a bed."""
_DECIMALS = re.compile(r"[+-]?\d{1,3}\.(\d{4,})")
_POLE, _DATE_LINE = 90.0, 180.0
_NARROW, _WIDE = 30.0, 70.0
_NEAR_ZERO: Final = 4.0


def place_code(values: Collection[str]) -> str:
    """Return the kind of place codes in nearly all values, or an empty string if there is none."""
    if len(values) < _FEWEST:
        return ""
    for what, form in _forms("whole"):
        if sum(form.fullmatch(value) is not None for value in values) >= _NEARLY_ALL * len(values):
            return what
    if _are_beds(values):
        return "numbers of rooms or beds"
    return "geohashes" if _are_geohashes(values) else ""


def place_within(text: str) -> str:
    """Return the kind of place in a string, or an empty string if there is none."""
    return next((what for what, form in _forms("within") if form.search(text)), "")


def are_zip_codes(values: Mapping[str, int]) -> bool:
    """Return whether leading zeros or shared areas show that five-digit strings are ZIP codes."""
    if len(values) < _FEWEST_ZIPS or not all(map(_ZIP.fullmatch, values)):
        return False
    areas = [value[:_AREA] for value in values]
    used = sum(area in populous_areas() for area in areas)
    if used < _NEARLY_ALL * len(areas):
        return False
    zero = sum(value.startswith("0") for value in values)
    rounded = sum(value.endswith("00") for value in values)
    if zero:
        return zero >= _NEARLY_ALL * len(values) or rounded < len(values) / 3
    return _NEIGHBORS * len(set(areas)) <= len(areas) and rounded < len(values) / 10


def coordinate(values: Collection[str]) -> tuple[float, float] | None:
    """Return the lowest and the highest number if the numbers look like geographical degrees."""
    found = [float(value) for value in values if (one := _DECIMALS.fullmatch(value)) and one[1]]
    if len(values) < _FEWEST or len(found) < _NEARLY_ALL * len(values):
        return None
    low, high = min(found), max(found)
    near = low > -_NEAR_ZERO and high < _NEAR_ZERO
    return None if near or low < -_DATE_LINE or high > _DATE_LINE else (low, high)


def could_be_pair(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Return whether two ranges of degrees could be latitudes and longitudes in one country."""
    latitude = first[0] >= -_POLE and first[1] <= _POLE and first[1] - first[0] <= _NARROW
    return latitude and second[1] - second[0] <= _WIDE


def _are_geohashes(values: Iterable[str]) -> bool:
    """Return whether values look like geohashes of equal length in one region."""
    drawn = list(values)
    fits = [value for value in drawn if _GEOHASH.fullmatch(value)]
    if len(drawn) < _FEWEST_ZIPS or len(fits) < _NEARLY_ALL * len(drawn):
        return False
    if 2 * sum(_LETTER_LATER.search(value) is not None for value in fits) < len(fits):
        return False
    first = max(sum(value[0] == start for value in fits) for start in {one[0] for one in fits})
    return len(set(map(len, fits))) == 1 and first >= _NEARLY_ALL * len(fits)


def _are_beds(values: Collection[str]) -> bool:
    """Return whether values are numbers that combine freely with a letter, such as 12A and 12B."""
    found = [one for value in values if (one := _BED.fullmatch(value)) is not None]
    if len(values) < _FEWEST_ZIPS or len(found) < _NEARLY_ALL * len(values):
        return False
    numbers, letters = {int(one[1]) for one in found}, {one[2].upper() for one in found}
    combined = len(found) >= _NEARLY_ALL * len(numbers) * len(letters)
    return combined and len(letters) > 1 and len(numbers) >= _FEWEST


@cache
def _forms(where: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (one["what"], re.compile("".join(one["form"].splitlines())))
        for one in table_of("places.toml")[where]
    )
