"""Why something was released against a promise or a warning, in the words of who decided it.

A column may go out although it looks like an identifier, and a release may keep less than was
declared. Then the person who decides says why, and policy, certificate and report keep the words.
They are data: one line of limited length, without characters that cannot be seen, and escaped
wherever they are shown.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from roadstead.errors import SettingError
from roadstead.printable import printable

LONGEST: Final = 300
"""Characters of a reason at most."""
FEWEST_WORDS: Final = 3
"""Words of a reason at least: "yes" is not a reason."""
_FEWEST_LETTERS: Final = 10


def require_reason(text: str, *, where: str) -> str:
    """Give a reason on one line; refuse one that says nothing, or that cannot be shown."""
    plain = " ".join(text.split())
    if len(plain.split()) < FEWEST_WORDS or sum(map(str.isalpha, plain)) < _FEWEST_LETTERS:
        what = "the reason is too short" if plain else "the reason is missing"
        fix = f"write {FEWEST_WORDS} words or more; the certificate and the report will show them"
        raise SettingError(what, where=where, fix=fix)
    if len(plain) > LONGEST:
        what = f"the reason has more than {LONGEST} characters"
        raise SettingError(what, where=where, fix="write a shorter reason")
    if printable(plain) != plain:
        what = "the reason has invisible characters"
        raise SettingError(what, where=where, fix="write it in letters")
    return plain


def _as_written(text: str) -> str:
    """Refuse in a document what `require_reason` would not have let in."""
    if printable(text) != text or " ".join(text.split()) != text:
        raise ValueError("has invisible characters")
    return text


Reason = Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(_as_written)]
"""A reason as documents hold it."""
