"""Ages and bands of ages, as tables write them: which whole years a label takes in.

``80-89``, ``[80-90)``, ``80 to 89 years`` and ``(79, 89]`` are the same ten years. A round bracket
says that the end beside it is not taken in; without brackets both ends are.
"""

from __future__ import annotations

import re
from math import ceil, floor

_NUMBER = r"(\d{1,3}(?:\.\d+)?)"
_WORDS = re.compile(r"\b(?:aged?|years?|yrs?|yo|old|of age)\b\.?", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"([\[(\]]?)\s*{_NUMBER}\s*(?:-|\N{{EN DASH}}|\N{{MINUS SIGN}}|,|;|to|bis|\.\.)\s*"
    rf"{_NUMBER}\s*([\])\[]?)",
    re.IGNORECASE,
)
_ALONE = re.compile(_NUMBER)
_FROM = re.compile(
    rf"{_NUMBER}\s*(?:\+|(?:and|or)\s+(?:over|older|above|more|up))"
    rf"|(?:>=|≥|=>|from|at least)\s*{_NUMBER}",
    re.IGNORECASE,
)
_ABOVE = re.compile(rf"(?:>|over|above|older than)\s*{_NUMBER}", re.IGNORECASE)
_UP_TO = re.compile(
    rf"{_NUMBER}\s*(?:and|or)\s+(?:under|younger|below|less)"
    rf"|(?:<=|≤|=<|up to|at most)\s*{_NUMBER}",
    re.IGNORECASE,
)
_BELOW = re.compile(rf"(?:<|under|below|younger than)\s*{_NUMBER}", re.IGNORECASE)


def age_interval(label: str) -> tuple[int, int | None] | None:
    """Read the youngest and the oldest age, in whole years, that a label takes in.

    Parameters
    ----------
    label
        An age or a band of ages: ``42``, ``80-89``, ``[80-90)``, ``90+``, ``>89``, ``under 5``.

    Returns
    -------
    tuple of int, or None
        The lowest and the highest age, both taken in; the highest is None where the band is open.
        None for what is no age.
    """
    text = _WORDS.sub(" ", label).strip()
    if found := _ALONE.fullmatch(text):
        age = floor(float(found[1]))
        return age, age
    if found := _BETWEEN.fullmatch(text):
        return _between(found[1], float(found[2]), float(found[3]), found[4])
    return _open(text)


def _open(text: str) -> tuple[int, int | None] | None:
    """Read a band that is open on one side."""
    if found := _FROM.fullmatch(text):
        return ceil(float(found[1] or found[2])), None
    if found := _ABOVE.fullmatch(text):
        return floor(float(found[1])) + 1, None
    if found := _UP_TO.fullmatch(text):
        return 0, floor(float(found[1] or found[2]))
    if (found := _BELOW.fullmatch(text)) and float(found[1]) > 0:
        return 0, ceil(float(found[1])) - 1
    return None


def _between(opens: str, low: float, high: float, closes: str) -> tuple[int, int] | None:
    """Give the whole years from one end to the other; None where they cross or a bracket is odd."""
    if bool(opens) != bool(closes):
        return None
    first = floor(low) + 1 if opens and opens in "(]" else ceil(low)
    last = ceil(high) - 1 if closes and closes in ")[" else floor(high)
    return (first, last) if first <= last else None
