"""The browser's name for a file, changed so that a copy can safely have it."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from roadstead.errors import SettingError
from roadstead.places import TABLES
from roadstead.printable import named

_LONGEST = 120
_ELSEWHERE = re.compile(r"[\\/]")
_MEANS_MORE = re.compile(r"[:?*\[\]#%]")
"""Characters by which a path is read as a pattern, an address, or health data."""


def name_of(header: str) -> str:
    """Give a plain name for a copy: no folders, nothing unseen, nothing that means more.

    `header` is percent-encoded UTF-8, since a header holds no other letters.

    Raises
    ------
    SettingError
        When it is not called like a table.
    """
    last = _ELSEWHERE.split(unquote(header))[-1]
    seen = "".join(one for one in unicodedata.normalize("NFC", last) if one.isprintable())
    plain = _MEANS_MORE.sub("_", seen).strip(" .")
    ending = next((one for one in TABLES if plain.lower().endswith(one)), None)
    if ending is None or not plain[: -len(ending)].strip(" ."):
        raise SettingError(
            "is not a table that Roadstead can read",
            where=named(last or "the file"),
            fix=f"drop one of {', '.join(TABLES)}",
        )
    return f"{_first(plain[: -len(ending)])}{plain[-len(ending) :]}"


def _first(stem: str) -> str:
    """Give as much of a name as every file system takes."""
    return stem.encode()[:_LONGEST].decode("utf-8", "ignore")
