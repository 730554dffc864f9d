"""Represent the codebook of a file, which describes columns, labels of codes, and missing codes.

A statistics package stores the code ``2`` and the label ``female``. Roadstead uses the label, so
hierarchies, reports, and the workbench show the label. A release contains the code and its label.

A label may occur twice in a column, or may equal the text of another code. In these cases,
Roadstead appends the code to the label, so that each label has exactly one code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

Code: TypeAlias = float | str
"""A stored value, which is a string or a floating-point number."""


_FIRST_LETTER = 2.0**1023
"""The lowest number that represents a missing value with a letter, such as ``.a``.

Stata also uses numbers of this size for missing values. In SAS, numbers of this size are very rare.
"""
_LETTERS = "abcdefghijklmnopqrstuvwxyz_"
_STEPS = 32
_CLOCK_TIME = re.compile(r"(-?)(\d+):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?", re.ASCII)
LETTERS: tuple[Code, Code] = (_FIRST_LETTER, _FIRST_LETTER * (1 + len(_LETTERS) / _STEPS))
"""The range of codes for missing values with a letter."""


def letter_code(letter: str) -> float | None:
    """Return the code of a missing value that is written as a letter, or None for other strings."""
    place = _LETTERS.find(letter.lower()) if len(letter) == 1 else -1
    return None if place < 0 else _FIRST_LETTER * (1 + place / _STEPS)


def letter_of(code: float) -> str | None:
    """Return the letter of a missing value, or None for a number."""
    step = (code / _FIRST_LETTER - 1) * _STEPS
    return _LETTERS[int(step)] if step in range(len(_LETTERS)) else None


@dataclass(frozen=True)
class ColumnNotes:
    """A file's notes on one column.

    Attributes
    ----------
    description
        The description of the column (SPSS and Stata: variable label).
    labels
        The label of each labeled code.
    missing
        Ranges of numbers that represent a missing value (both ends are included), or single
        strings.
    measure
        The level of measurement in SPSS: nominal, ordinal, or scale.
    shown
        How the program displays the values: ``F8.2``, ``%td``, ``DATE9``, or ``hh:mm:ss``.
    number
        Whether the file of a statistics package stores the values as numbers, and not as dates.
    labeled
        Whether the table contains the labels instead of the codes, because each value has a label.
    levels
        The levels of an R factor, in their order; empty if the column is not a factor.
    codes_lost
        The declared missing codes and ranges that occur, but that the table does not distinguish
        from other missing values.
    kept
        The missing codes that the table shows as separate values although not all values of the
        column have labels. The keys are the strings in the table.
    plain
        Whether no missing code of the column is a separate value, because a setting needs this.
    rare
        The strings in the table whose labels are not written, because too few people have them.
        Their codes are written instead.
    """

    description: str | None = None
    labels: Mapping[Code, str] = field(default_factory=dict)
    missing: tuple[tuple[Code, Code], ...] = ()
    measure: str | None = None
    shown: str | None = None
    number: bool = False
    labeled: bool = False
    levels: tuple[str, ...] = ()
    codes_lost: tuple[str, ...] = ()
    kept: Mapping[str, Code] = field(default_factory=dict)
    plain: bool = False
    rare: frozenset[str] = frozenset()

    @property
    def texts(self) -> dict[Code, str]:
        """Return the string that the table shows for each labeled code; all strings differ."""
        labels = {code: label.strip() for code, label in self.labels.items()}
        times = Counter(labels.values())
        codes = {code_text(code): code for code in labels}
        found = {
            code: text
            for code, text in labels.items()
            if text and times[text] == 1 and codes.get(text, code) == code
        }
        taken = {*labels.values(), *codes}
        for code, text in labels.items():
            if code in found:
                continue
            own = text
            while not own or own in taken:
                own = f"{own} ({code_text(code)})".strip()
            found[code] = own
            taken.add(own)
        return {code: found[code] for code in labels}

    def missing_text(self, code: float) -> str | None:
        """Return the text for a kept missing code, or None if another value has this text.

        The text is the label of the code. If there is no label, or if the label is a number and
        would look like a value, the text is the code itself.
        """
        own = self.texts
        text = own.get(code, "")
        if not text or _is_number(text):
            text = code_text(code)
        return None if any(one == text for other, one in own.items() if other != code) else text

    @property
    def missing_labels(self) -> dict[str, Code]:
        """Map labels to missing codes, if the table shows the missing codes as labels, too."""
        own = self.texts.items() if self.labeled else ()
        return {text: code for code, text in own if self.is_missing(code)}

    def is_missing(self, code: Code) -> bool:
        """Return whether a code represents a missing value."""
        return self.missing_range(code) is not None

    def missing_range(self, code: Code) -> tuple[Code, Code] | None:
        """Return the range of missing codes that contains a code, or None."""
        same = [ends for ends in self.missing if isinstance(ends[0], type(code))]
        return next((one for one in same if one[0] <= code <= one[1]), None)  # type: ignore[operator] # one type


@dataclass(frozen=True)
class Codebook:
    """A file's notes on its columns and on the file itself.

    Attributes
    ----------
    columns
        The notes on each column, in the order of the file.
    details
        A description of the file for the first line of output, such as ``sheet Visits (first of
        3)``.
    fewest
        The minimum number of records that a value must have for its label to be written.
    """

    columns: Mapping[str, ColumnNotes] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    fewest: int = 1

    def of(self, column: str) -> ColumnNotes:
        """Return the notes on a column. They are empty if the file does not have the column."""
        return self.columns.get(column, ColumnNotes())

    def without_descriptions(self, wrong: Callable[[str], object]) -> Codebook:
        """Return the codebook without the descriptions for which `wrong` is true.

        Labels that the table does not show, because other values have no label, are treated alike.
        """
        kept = {
            name: replace(
                notes,
                description=None if wrong(notes.description or "") else notes.description,
                labels={
                    code: label
                    for code, label in notes.labels.items()
                    if notes.labeled or not wrong(label)
                },
            )
            for name, notes in self.columns.items()
        }
        return replace(self, columns=kept)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def range_text(ends: tuple[Code, Code]) -> str:
    """Return a range of codes in words, such as ``-9 to -8`` or ``900 and above``."""
    low, high = ends
    if low == high:
        return code_text(low)
    if isinstance(high, float) and high >= _FIRST_LETTER:
        return f"{code_text(low)} and above"
    if isinstance(low, float) and low <= -_FIRST_LETTER:
        return f"{code_text(high)} and below"
    return f"{code_text(low)} to {code_text(high)}"


def code_text(code: Code) -> str:
    """Return a code in the form that people write, such as ``3`` for 3.0."""
    if isinstance(code, str):
        return code
    if (letter := letter_of(code)) is not None:
        return f".{letter}"
    return str(int(code)) if float(code).is_integer() else repr(float(code))


def clock_micros(text: str) -> int | None:
    """Return the microseconds of a time such as ``26:30:00``, or None for other strings."""
    parts = _CLOCK_TIME.fullmatch(text)
    if parts is None:
        return None
    sign, hours, minutes, seconds, rest = parts.groups()
    whole = ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1_000_000
    micros = whole + int((rest or "0").ljust(6, "0"))
    return -micros if sign else micros


def clock_text(micros: int) -> str:
    """Return a number of microseconds as hours, minutes, and seconds, such as ``26:30:00``."""
    sign, whole = ("-" if micros < 0 else ""), abs(micros)
    seconds, rest = divmod(whole, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    return f"{sign}{hour:02}:{minute:02}:{second:02}{fraction}"
