"""The forms of codes: which signs are digits and letters, and where their parts end.

A form is written with ``0`` for a digit, ``A`` for a letter, ``X`` for either, and a bar before
each further part, from general to specific: ``AA|0A| 0|AA`` is a postcode such as ``SW1A 1AA``, and
its parts are ``SW``, ``SW1A``, ``SW1A 1``. All other signs stand for themselves. A code may be
written with them, or without any of them, and in small letters.

There are no regular expressions, because each engine of SQL has others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase, digits

BAR = "|"
SIGNS = "0A"
"""What stands for a digit and for a letter."""
_EITHER = "X"

CAPITALS = ascii_lowercase, ascii_uppercase
SHAPES = (
    digits[1:] + ascii_lowercase + ascii_uppercase[1:],
    "0" * 9 + "A" * (2 * len(ascii_lowercase) - 1),
)
"""Signs of a text, and what stands for each in its shape."""
_TO_SHAPE = str.maketrans(*SHAPES)


def shape_of(text: str) -> str:
    """Replace each digit of a text by 0, and each letter by A; other signs stay."""
    return text.translate(_TO_SHAPE)


def plain(text: str, marks: str) -> str:
    """Write a code in capitals, without the marks between its parts."""
    return text.translate(_without(marks))


@cache
def _without(marks: str) -> dict[int, int | None]:
    """Return what makes letters large and removes marks."""
    return {**str.maketrans(*CAPITALS), **str.maketrans("", "", marks)}


def with_signs(form: str) -> Iterator[str]:
    """Yield the forms that a form with X stands for."""
    if _EITHER not in form:
        yield form
        return
    for sign in SIGNS:
        yield from with_signs(form.replace(_EITHER, sign, 1))


def marks_of(forms: Sequence[str]) -> str:
    """Return the signs of forms that stand for themselves, in order."""
    return "".join(sorted({sign for form in forms for sign in form} - {*SIGNS, BAR}))


@cache
def first_parts(form: str, keep: int) -> str:
    """Return the beginning of a form: some of its parts, or all that it has."""
    pieces = form.split(BAR)[:keep]
    return "".join(pieces).rstrip(marks_of([form]))


def by_shape(forms: Sequence[str]) -> Mapping[str, str]:
    """Return the form of each shape; if two forms share one, the first form counts."""
    marks = marks_of(forms)
    found: dict[str, str] = {}
    for form in forms:
        whole = form.replace(BAR, "")
        for shape in (whole, plain(whole, marks)):
            found.setdefault(shape, form)
    return found


@cache
def runs_of(begin: str) -> tuple[tuple[str, int, int], ...]:
    """Return the pieces of a form's beginning: marks, or where a code has the signs of the piece.

    Marks come with two zeros; other pieces with the empty text, and a start and an end.
    """
    found: list[tuple[str, int, int]] = []
    at = 0
    for is_sign, run in groupby(begin, SIGNS.__contains__):
        piece = "".join(run)
        found.append(("", at, at + len(piece)) if is_sign else (piece, 0, 0))
        at += len(piece) if is_sign else 0
    return tuple(found)


def written(begin: str, code: str) -> str:
    """Write the first signs of a plain code in the form of a beginning."""
    return "".join(mark or code[start:end] for mark, start, end in runs_of(begin))
