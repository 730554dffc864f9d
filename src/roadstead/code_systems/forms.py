"""Describe the forms of codes: which characters are digits or letters, and where parts end.

In a form, ``0`` is a digit, ``A`` is a letter, and ``X`` is either. The parts are in order from
general to specific, and a bar precedes each part except the first. For example, ``AA|0A| 0|AA`` is
the form of a postcode such as ``SW1A 1AA``, whose parts are ``SW``, ``SW1A``, ``SW1A 1``. All other
characters are *marks* and represent themselves. A code may be written with all of its marks or with
none, and in uppercase or lowercase.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase, digits

BAR = "|"
SIGNS = "0A"
"""The characters of a form that represent a digit and a letter."""
_EITHER = "X"

CAPITALS = ascii_lowercase, ascii_uppercase
SHAPES = (
    digits[1:] + ascii_lowercase + ascii_uppercase[1:],
    "0" * 9 + "A" * (2 * len(ascii_lowercase) - 1),
)
"""A translation table from the characters of a string to the characters of its shape."""
_TO_SHAPE = str.maketrans(*SHAPES)


def shape_of(text: str) -> str:
    """Replace each digit of a string with 0 and each letter with A. Keep other characters."""
    return text.translate(_TO_SHAPE)


def plain(text: str, marks: str) -> str:
    """Return a code in uppercase, without the marks between its parts."""
    return text.translate(_without(marks))


@cache
def _without(marks: str) -> dict[int, int | None]:
    return {**str.maketrans(*CAPITALS), **str.maketrans("", "", marks)}


def with_signs(form: str) -> Iterator[str]:
    """Yield all forms in which every ``X`` is replaced by a digit or a letter."""
    if _EITHER not in form:
        yield form
        return
    for sign in SIGNS:
        yield from with_signs(form.replace(_EITHER, sign, 1))


def marks_of(forms: Sequence[str]) -> str:
    """Return the marks of the forms, in order."""
    return "".join(sorted({sign for form in forms for sign in form} - {*SIGNS, BAR}))


@cache
def first_parts(form: str, keep: int) -> str:
    """Return the first `keep` parts of a form, or all parts if there are fewer parts."""
    pieces = form.split(BAR)[:keep]
    return "".join(pieces).rstrip(marks_of([form]))


def by_shape(forms: Sequence[str]) -> Mapping[str, str]:
    """Map each shape to its form. If two forms have the same shape, the first form is used."""
    marks = marks_of(forms)
    found: dict[str, str] = {}
    for form in forms:
        whole = form.replace(BAR, "")
        for shape in (whole, plain(whole, marks)):
            found.setdefault(shape, form)
    return found


@cache
def runs_of(begin: str) -> tuple[tuple[str, int, int], ...]:
    """Return the pieces of a form's beginning. Each piece is a mark or a range of characters.

    A mark is stored with two zeros. A range is stored as an empty string, a start, and an end.
    """
    found: list[tuple[str, int, int]] = []
    at = 0
    for is_sign, run in groupby(begin, SIGNS.__contains__):
        piece = "".join(run)
        found.append(("", at, at + len(piece)) if is_sign else (piece, 0, 0))
        at += len(piece) if is_sign else 0
    return tuple(found)


def written(begin: str, code: str) -> str:
    """Insert the marks of a form's beginning into the first characters of a plain code."""
    return "".join(mark or code[start:end] for mark, start, end in runs_of(begin))
