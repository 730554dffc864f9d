"""Check the reasons that people give for a release that violates a rule or ignores a warning.

A reason is one line of limited length without invisible characters. The policy, the certificate,
and the report contain the reason, and each of them escapes it for display.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from roadstead.errors import SettingError
from roadstead.printable import printable

LONGEST: Final = 300
"""The maximum length of a reason in characters."""
FEWEST_WORDS: Final = 3
"""The minimum number of words in a reason."""
_FEWEST_LETTERS: Final = 10


def require_reason(text: str, *, where: str) -> str:
    """Return a reason on one line. Reject a reason that is empty or cannot be displayed."""
    plain = " ".join(text.split())
    if len(plain.split()) < FEWEST_WORDS or sum(map(str.isalpha, plain)) < _FEWEST_LETTERS:
        what = "the reason is too short" if plain else "the reason is missing"
        fix = (
            f"write at least {FEWEST_WORDS} words; the certificate and the report will show the "
            "reason"
        )
        raise SettingError(what, where=where, fix=fix)
    if len(plain) > LONGEST:
        what = f"the reason has more than {LONGEST} characters"
        raise SettingError(what, where=where, fix="write a shorter reason")
    if printable(plain) != plain:
        what = "the reason has invisible characters"
        raise SettingError(what, where=where, fix="write it in letters")
    return plain


def _as_written(text: str) -> str:
    """Reject a reason in a document if it contains invisible characters or extra spaces."""
    if printable(text) != text or " ".join(text.split()) != text:
        raise ValueError("has invisible characters")
    return text


Reason = Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(_as_written)]
"""A reason as stored in documents."""
