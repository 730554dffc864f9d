"""Turn the name that a browser sends with an uploaded file into a safe name for the copy."""

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
"""The characters that would turn a path into a pattern, an address, or health data."""


def name_of(header: str, endings: tuple[str, ...] = TABLES) -> str:
    """Return a plain name for a copy, without folders or special characters.

    `header` is the name in percent-encoded UTF-8, because a header cannot contain all letters.
    `endings` lists the endings that a name may have.

    Raises
    ------
    SettingError
        If the name has a different ending.
    """
    last = _ELSEWHERE.split(unquote(header))[-1]
    seen = "".join(one for one in unicodedata.normalize("NFC", last) if one.isprintable())
    plain = _MEANS_MORE.sub("_", seen).strip(" .")
    ending = next((one for one in endings if plain.lower().endswith(one)), None)
    what = "table" if endings is TABLES else "codebook"
    if ending is None or not plain[: -len(ending)].strip(" ."):
        raise SettingError(
            f"the file name does not have the ending of a {what}",
            where=named(last or "the file"),
            fix=f"drop one of {', '.join(endings)}, or enter the path of the file, which may have "
            "any ending",
        )
    return f"{_first(plain[: -len(ending)])}{plain[-len(ending) :]}"


def _first(stem: str) -> str:
    """Shorten a name to a length that every file system accepts."""
    return stem.encode()[:_LONGEST].decode("utf-8", "ignore")
