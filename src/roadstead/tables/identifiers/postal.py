"""Find the country of postal codes, because Safe Harbor's three-digit rule is for US ZIP codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from roadstead.code_systems.forms import shape_of
from roadstead.code_systems.recognition import is_named, recognized
from roadstead.code_systems.system import systems
from roadstead.tables.identifiers.vocabulary import is_called, words

US: Final = "postcode_us"
_SHORT: Final = "0000"

Country: TypeAlias = Literal["us", "unclear", "other"]
"""The country of postal codes: the US, another country, or unclear."""


def country_of(name: str, values: Sequence[str]) -> Country:
    """Return the country of a column of postal codes.

    ZIP codes can be cut and masked in many ways. So a column with a name such as ``zip`` is assumed
    to contain US ZIP codes, unless its values fit another country.
    """
    called, zips = words(name), systems()[US]
    found = recognized(called, values, postal=is_called(name, "zip"))
    if found is not None and found.chosen is not None:
        return "us" if found.chosen is zips else "other"
    if not is_named(zips, called):
        return "unclear" if found is None or zips in found.possible else "other"
    # The values fit other countries better, or all values are too short. Short values lack a zero,
    # or are postal codes of another country.
    short = values and all(shape_of(value) == _SHORT for value in values)
    return "unclear" if found is not None or short else "us"
