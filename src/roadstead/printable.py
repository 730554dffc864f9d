r"""Make text from untrusted sources safe to print.

Column names, values, file names, and certificates come from untrusted sources. In text from such a
source, a line break or an escape sequence could add a false line such as "Passed". It could also
overwrite another line, or reverse the reading direction. The function `printable` replaces
invisible characters with escapes, such as ``\x1b`` or ``\u202e``. The letters of all scripts stay
unchanged.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable

_SEEN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that Unicode defines as ignorable by default."""

_LONGEST_NAME = 80
_BEYOND = 0x10000


def printable(text: str) -> str:
    r"""Return the text on one line, with every character visible.

    Escapes such as ``\n``, ``\x1b``, and ``\u202e`` replace control and format characters, line and
    paragraph separators, lone surrogates, invisible characters, and unassigned code points. Calling
    the function again does not change the result.
    """
    if text.isprintable() and not _SEEN_AS_NOTHING.search(text):
        return text
    return "".join(character if is_drawn(character) else _escape(character) for character in text)


def printable_lines(lines: Iterable[str]) -> str:
    """Make each line `printable`, and join the lines with line breaks."""
    return "\n".join(map(printable, lines))


def named(text: str) -> str:
    """Make an untrusted name `printable`, and limit its length.

    A terminal wraps long lines, so the end of a long name could look like a separate line.
    Therefore, repeated spaces are collapsed, and long names are truncated.
    """
    shown = re.sub(r"\s{2,}", " ", printable(text))
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def printable_json(text: str) -> str:
    r"""Return equivalent JSON in which every character is visible.

    JSON escapes such as ``\u001b`` and ``\ud83d\ude00`` replace the characters that `printable`
    would escape. Line breaks between JSON elements are kept.
    """
    return _lines_escaped(text, lambda character: json.dumps(character)[1:-1])


def printable_toml(text: str) -> str:
    r"""Return equivalent TOML in which every character is visible.

    Strings are written in double quotes with TOML escapes, such as ``\u202e`` and ``\U000e0001``.
    Comments are made `printable`, and line breaks are kept.
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
    """Return whether a character is visible. Spaces of any width count as visible."""
    if character.isprintable():
        return not _SEEN_AS_NOTHING.match(character)
    return unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
