"""Determine whether two column names look the same to a reader.

A gate may forbid a column ``name``. To evade the gate, someone can name the column ``n\u200bame``,
`` Name``, or, with a Cyrillic letter, ``n\u0430me``. So names are compared after NFKC
normalization, in lowercase, and without invisible marks and outer blanks. Letters from other
scripts are replaced by the Latin letters that they resemble. A name that mixes Latin letters with
similar letters from another script is rejected, because no honest table has such a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from roadstead.printable import is_drawn

_CYRILLIC = str.maketrans("авеһікмнорстухѕјԁԛԝү", "abehikmhopctyxsjdqwy")
_GREEK = str.maketrans("αβεζηικμνορτυχ", "abeznikmvoptyx")
_LIKE_LATIN = frozenset("εζηικνορτυχ")
"""Greek letters that look like Latin letters, in lowercase or uppercase.

English names do not contain these letters. Alpha, beta, and mu are not in the list, because names
such as *TNF-alpha* are often written with a Greek letter.
"""
_MIXED_WITH_LATIN = ("CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN", "DESERET")


def as_read(name: str) -> str:
    """Return the normalized form of a name, which is used for comparison."""
    plain = unicodedata.normalize("NFKC", name)
    seen = "".join(sign for sign in plain if is_drawn(sign))
    small = unicodedata.normalize("NFKC", seen.casefold())
    return " ".join(small.translate(_CYRILLIC).translate(_GREEK).split())


def is_like(name: str, pattern: str) -> bool:
    """Return whether a name matches a pattern. In the pattern, ``*`` matches any letters."""
    parts = (re.escape(_part_as_read(part)) for part in pattern.strip().split("*"))
    return re.fullmatch(".*".join(parts), as_read(name), re.DOTALL) is not None


def _part_as_read(part: str) -> str:
    """Return the normalized form of a piece of a pattern, with outer blanks."""
    before, after = part[:1].isspace(), part[-1:].isspace()
    return " " * before + as_read(part) + " " * (after and bool(part.strip()))


def mixed_scripts(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first name that mixes Latin letters with another script, and the script."""
    for name in names:
        letters = [one for one in unicodedata.normalize("NFKC", name) if one.isalpha()]
        scripts = {unicodedata.name(one, "").partition(" ")[0] for one in letters}
        other = next((script for script in _MIXED_WITH_LATIN if script in scripts), None)
        if other is None and any(one.casefold() in _LIKE_LATIN for one in letters):
            other = "GREEK"
        if other is not None and "LATIN" in scripts:
            return name, other.capitalize()
    return None
