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
"""Characters that turn a path into a pattern, an address, or health data."""


def name_of(header: str) -> str:
    """Give a plain name for a copy, without folders, invisible characters, and special characters.

    `header` is percent-encoded UTF-8, because a header cannot contain other letters.

    Raises
    ------
    SettingError
        If the name is not a name of a table's file.
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
    """Shorten a name to a length that every file system accepts."""
    return stem.encode()[:_LONGEST].decode("utf-8", "ignore")
