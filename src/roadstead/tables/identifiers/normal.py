"""Normalize strings before detectors examine them.

The same address can be written with a full-width sign, an en dash, Arabic digits, a zero-width
space, or ``(at)``. Normalization applies NFKC and removes invisible characters. Normalization
replaces every kind of dash with a hyphen, every digit with an ASCII digit, every kind of blank with
one blank, and the usual ways of hiding ``@`` with this sign.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_DASHES = re.compile(r"[\u058a\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\u301c\u3030]")
_BLANKS = re.compile(r"\s+")
_DIGITS = re.compile(r"[^\x00-\x7f]")
_AT = re.compile(r"\s*[\[({<]\s*(?:at|@|ät|arroba)\s*[\])}>]\s*", re.IGNORECASE)
_DOT = re.compile(r"\s*[\[({<]\s*(?:dot|\.|punkt|punto|point)\s*[\])}>]\s*", re.IGNORECASE)
_SPOKEN = re.compile(
    r"(?<=\w)\s+at\s+(\w[\w-]*(?:(?:\.|\s+dot\s+)\w[\w-]*)*(?:\.|\s+dot\s+)[a-z]{2,})\b",
    re.IGNORECASE,
)
_SPACED = re.compile(
    r"(?<=\w) @ ([\w-]+(?:(?:\.| \. )[\w-]+)*(?:\.| \. )[a-z]{2,})\b", re.IGNORECASE
)
_SPOKEN_DOT = re.compile(r"\s+dot\s+", re.IGNORECASE)
_ESCAPED = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#64|#x40|commat);", re.IGNORECASE)


def normal(text: str) -> str:
    """Return the normal form of a string. A plain ASCII text stays the same."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = _DASHES.sub("-", _INVISIBLE.sub("", text))
        text = _DIGITS.sub(_ascii_digit, text)
    if "%" in text and _ESCAPED.search(text):
        text = unquote(text)
    if "&" in text:
        text = _ENTITY.sub("@", text)
    text = _BLANKS.sub(" ", text).strip()
    if " " in text or "(" in text or "[" in text:
        text = _DOT.sub(".", _AT.sub("@", text))
        text = _SPACED.sub(lambda found: "@" + found[1].replace(" ", ""), text)
        text = _SPOKEN.sub(lambda found: "@" + _SPOKEN_DOT.sub(".", found[1]), text)
    return text


def plain(text: str) -> str:
    """Return a normalized string in lowercase, without accents, for comparisons."""
    small = text.casefold()
    if small.isascii():
        return small
    parts = unicodedata.normalize("NFKD", small)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _ascii_digit(found: re.Match[str]) -> str:
    value = unicodedata.digit(found[0], None)
    return found[0] if value is None else str(value)
