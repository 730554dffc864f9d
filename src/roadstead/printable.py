r"""Text from outside, made safe to print.

Column names, values, file names and certificates come from strangers. Printed as they are, a line
break or an escape sequence in them can write a line of its own ("Passed"), paint over another or
turn the reading direction around. `printable` is the one function that makes such text safe: what
does not stand for itself on the screen is written as an escape, such as ``\x1b`` or ``\u202e``.
Letters of every script stay as they are.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable

_SEEN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Marks and letters that Unicode calls ignorable by default: they are drawn as nothing."""

_LONGEST_NAME = 80
_BEYOND = 0x10000


def printable(text: str) -> str:
    r"""Write text on one line in which every character is what it looks like.

    Escapes (``\n``, ``\x1b``, ``\u202e``) stand for control and format characters, line and
    paragraph separators, lone surrogates, characters that are drawn as nothing, and code points
    without a character. Written twice, it stays as it is.
    """
    if text.isprintable() and not _SEEN_AS_NOTHING.search(text):
        return text
    return "".join(character if is_drawn(character) else _escape(character) for character in text)


def printable_lines(lines: Iterable[str]) -> str:
    """Write lines below each other, each `printable`, so that they are as many as they were."""
    return "\n".join(map(printable, lines))


def named(text: str) -> str:
    """Write a name from outside for a line among others: `printable`, and not long.

    A name that fills a line of the terminal could go on at the start of the next one, and look
    like a line of its own. So runs of blanks are one, and of a long name the first part is given.
    """
    shown = re.sub(r"\s{2,}", " ", printable(text))
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def printable_json(text: str) -> str:
    r"""Write JSON such that every character is what it looks like; it still says the same.

    JSON's escapes (``\u001b``, ``\ud83d\ude00``) stand for what `printable` would escape; line
    breaks between its parts stay.
    """
    return _lines_escaped(text, lambda character: json.dumps(character)[1:-1])


def printable_toml(text: str) -> str:
    r"""Write TOML such that every character is what it looks like; it still says the same.

    Its strings stand in double quotes, and get TOML's escapes (``\u202e``, ``\U000e0001``); its
    comments are `printable`. Line breaks stay.
    """
    return _lines_escaped(
        text,
        lambda character: (
            f"\\u{ord(character):04x}" if ord(character) < _BEYOND else f"\\U{ord(character):08x}"
        ),
    )


def _lines_escaped(text: str, escape: Callable[[str], str]) -> str:
    hidden = (one for one in set(text) - {"\n"} if not is_drawn(one))
    return text.translate({ord(character): escape(character) for character in hidden})


def is_drawn(character: str) -> bool:
    """Tell whether a character stands for itself on the screen; blanks of any width do."""
    if character.isprintable():
        return not _SEEN_AS_NOTHING.match(character)
    return unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
