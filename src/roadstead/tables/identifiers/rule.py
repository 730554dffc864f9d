"""The eighteen identifiers in the order of the rule: 45 CFR 164.514(b)(2)(i)(A) to (R).

In a table each was found in some columns, or looked for and found in none, or not assessed. The
last is an answer too: no software sees a face in an image, a finger print in a file, or a name in
the middle of a note, and what was not looked at must not read as if it were not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from roadstead.tables.identifiers.vocabulary import table_of

if TYPE_CHECKING:
    from roadstead.tables.identifiers.findings import IdentifierFinding


OLDEST = 89
"""The highest age that may be told; those above it are one category, 90 or older."""

FEWEST_PEOPLE = 20_000
"""A three-digit ZIP area may be told if more people than this live in it."""

REMOVE = "remove"
KEEP_YEAR = "keep the year only"
ONE_AGE = "one category for 90 and over"
"""What is to be done; further remedies stand in ``data/traces.toml``."""

Answer: TypeAlias = Literal["found", "not found", "not assessed"]

_NEVER_SEEN = frozenset((16, 17))
_HIDDEN_IN_TEXT = frozenset((1, 2, 3, 8, 9, 10, 11, 12, 13, 18))


@cache
def identifiers() -> Mapping[int, str]:
    """Give the number and short name of each of the eighteen."""
    return dict(enumerate(table_of("rule.toml")["identifiers"], 1))


@dataclass(frozen=True)
class ChecklistLine:
    """Whether one of the eighteen was found, in which columns, and in `note` what was not seen."""

    number: int
    answer: Answer
    columns: tuple[str, ...] = ()
    note: str = ""

    @property
    def identifier(self) -> str:
        """Short name of the identifier."""
        return identifiers()[self.number]

    def describe(self) -> str:
        """Say the answer in words, without the columns."""
        return "not found in any column" if self.answer == "not found" else self.answer

    def to_dict(self) -> dict[str, Any]:
        """Give the line as JSON holds it."""
        return {
            "number": self.number,
            "identifier": self.identifier,
            "answer": self.answer,
            "columns": list(self.columns),
            "note": self.note,
        }


def checklist(
    findings: Iterable[IdentifierFinding], *, free_text: Iterable[str] = ()
) -> tuple[ChecklistLine, ...]:
    """Answer for each of the eighteen, of the columns that were looked at.

    Names in columns of long texts, `free_text`, are not assessed, nor are places.
    """
    columns: dict[int, dict[str, None]] = {number: {} for number in identifiers()}
    for finding in findings:
        columns[finding.number][finding.column] = None
    texts = ", ".join(free_text)
    return tuple(_line(number, tuple(found), texts) for number, found in columns.items())


def _line(number: int, found: tuple[str, ...], texts: str) -> ChecklistLine:
    hidden = bool(texts) and number in _HIDDEN_IN_TEXT
    unseen = table_of("rule.toml")["not_assessed"].get(str(number), "")
    note = f"not assessed in the long texts of {texts}" if hidden else unseen
    if found:
        return ChecklistLine(number, "found", found, note)
    answer: Answer = "not assessed" if hidden or number in _NEVER_SEEN else "not found"
    return ChecklistLine(number, answer, (), note)
