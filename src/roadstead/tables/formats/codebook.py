"""What a file says about its columns: descriptions, labels of codes, and missing codes.

A statistics package stores ``2`` and the label ``female``. Roadstead works with the label, so that
hierarchies, reports, and the workbench show it. A release has the code again, with its label.

A label may occur twice in a column, or be the text of another code. Then Roadstead appends the code
to it, so that each label has exactly one code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

Code: TypeAlias = float | str
"""A stored value: a number, or a text. Whole numbers are floating-point numbers too."""


_LETTER = 2.0**70
"""A missing value with a letter, such as ``.a`` in Stata, is a multiple of this number."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz_"
LETTERS: tuple[Code, Code] = (_LETTER, _LETTER * len(_LETTERS))
"""The range of the codes of missing values with a letter."""


def letter_code(letter: str) -> float | None:
    """Return the code of a missing value with a letter; None for any other text."""
    place = _LETTERS.find(letter.lower()) if len(letter) == 1 else -1
    return None if place < 0 else _LETTER * (place + 1)


def letter_of(code: float) -> str | None:
    """Return the letter of a missing value; None for a number."""
    return _LETTERS[round(code / _LETTER) - 1] if code >= _LETTER else None


@dataclass(frozen=True)
class ColumnNotes:
    """What a file says about a column.

    Attributes
    ----------
    description
        The description of the column (SPSS and Stata: variable label).
    labels
        The label of each labeled code.
    missing
        Ranges of numbers that represent a missing value, with both ends; or single texts.
    measure
        The level of measurement in SPSS: nominal, ordinal, or scale.
    shown
        How the program displays the values: ``F8.2``, ``%td``, or ``DATE9``.
    labeled
        Whether the table has the labels instead of the codes. That is so if each value has a label.
    """

    description: str | None = None
    labels: Mapping[Code, str] = field(default_factory=dict)
    missing: tuple[tuple[Code, Code], ...] = ()
    measure: str | None = None
    shown: str | None = None
    labeled: bool = False

    @property
    def texts(self) -> dict[Code, str]:
        """The text that stands for each labeled code; no two codes have the same text."""
        times = Counter(label.strip() for label in self.labels.values())
        codes = {code_text(code): code for code in self.labels}
        found: dict[Code, str] = {}
        for code, label in self.labels.items():
            text = label.strip()
            clear = text and times[text] == 1 and codes.get(text, code) == code
            found[code] = text if clear else f"{text} ({code_text(code)})".strip()
        return found

    def is_missing(self, code: Code) -> bool:
        """Whether a code represents a missing value."""
        same = [(low, high) for low, high in self.missing if isinstance(low, type(code))]
        return any(low <= code <= high for low, high in same)  # type: ignore[operator] # one type


@dataclass(frozen=True)
class Codebook:
    """What a file says about its columns and itself.

    Attributes
    ----------
    columns
        The notes for each column, in the order of the file.
    details
        Words on the file for its first line of output, such as ``sheet Visits (first of 3)``.
    fewest
        The labels of values that fewer records have are not written.
    """

    columns: Mapping[str, ColumnNotes] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    fewest: int = 1

    def of(self, column: str) -> ColumnNotes:
        """The notes for a column; empty notes for a column that the file did not have."""
        return self.columns.get(column, ColumnNotes())

    def without_descriptions(self, wrong: Callable[[str], object]) -> Codebook:
        """Return the codebook without the descriptions that hold something wrong."""
        kept = {
            name: replace(notes, description=None)
            if notes.description and wrong(notes.description)
            else notes
            for name, notes in self.columns.items()
        }
        return replace(self, columns=kept)


def code_text(code: Code) -> str:
    """Write a code as a person writes it: ``3`` for 3.0."""
    if isinstance(code, str):
        return code
    if (letter := letter_of(code)) is not None:
        return f".{letter}"
    return str(int(code)) if float(code).is_integer() else repr(float(code))
