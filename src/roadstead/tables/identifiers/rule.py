"""The eighteen identifiers in the order of the rule: 45 CFR 164.514(b)(2)(i)(A) to (R).

In a table each was found in some columns, or looked for and found in none, or not assessed. The
last is an answer too: no software sees a face in an image, a finger print in a file, or a name in
the middle of a note, and what was not looked at must not read as if it were not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roadstead.tables.identifiers.findings import IdentifierFinding

IDENTIFIERS = MappingProxyType(
    {
        1: "names",
        2: "places smaller than a state",
        3: "dates finer than a year, and ages over 89",
        4: "telephone numbers",
        5: "fax numbers",
        6: "e-mail addresses",
        7: "social security numbers",
        8: "medical record numbers",
        9: "health plan beneficiary numbers",
        10: "account numbers",
        11: "certificate and license numbers",
        12: "vehicle identifiers and plates",
        13: "device identifiers and serial numbers",
        14: "web addresses",
        15: "IP addresses",
        16: "biometric identifiers",
        17: "full-face photographs",
        18: "other unique numbers and codes",
    }
)
"""Number and short name of each."""

OLDEST = 89
"""The highest age that may be told; those above it are one category, 90 or older."""

FEWEST_PEOPLE = 20_000
"""A three-digit ZIP area may be told if more people than this live in it."""

REMOVE = "remove"
KEEP_YEAR = "keep the year only"
ONE_AGE = "one category for 90 and over"
REMEDIES = MappingProxyType(
    {
        "keep_area": "keep three digits; 000 for areas of 20,000 people or fewer",
        "keep_state": "nothing smaller than a state",
        "keep_year": KEEP_YEAR,
        "one_year": "one category for the years of birth that tell an age over 89",
        "remove": REMOVE,
    }
)

Answer: TypeAlias = Literal["found", "not found", "not assessed"]

NOT_ASSESSED = MappingProxyType(
    {
        16: "what a file or a code of a body part holds is not looked at",
        17: "what an image shows is not looked at",
        18: "a code with no known form that few records have alone is not seen",
    }
)
"""What stays unseen even where the names and values of all columns were looked at."""
_NEVER_SEEN = frozenset((16, 17))
_HIDDEN_IN_TEXT = frozenset((1, 2, 3, 8, 9, 10, 11, 12, 13, 18))


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
        return IDENTIFIERS[self.number]

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
    columns: dict[int, dict[str, None]] = {number: {} for number in IDENTIFIERS}
    for finding in findings:
        columns[finding.number][finding.column] = None
    texts = ", ".join(free_text)
    return tuple(_line(number, tuple(found), texts) for number, found in columns.items())


def _line(number: int, found: tuple[str, ...], texts: str) -> ChecklistLine:
    hidden = bool(texts) and number in _HIDDEN_IN_TEXT
    note = f"not assessed in the long texts of {texts}" if hidden else NOT_ASSESSED.get(number, "")
    if found:
        return ChecklistLine(number, "found", found, note)
    unseen = hidden or number in _NEVER_SEEN
    return ChecklistLine(number, "not assessed" if unseen else "not found", (), note)
