"""The eighteen identifiers, one by one, and what was seen of each in a table.

Each was found in some columns, or looked for and found in none, or not assessed. The last is an
answer too: no software sees a face in an image, a finger print in a file, or a name in the middle
of a note, and what was not looked at must not read as if it were not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from roadstead.tables.identifiers.findings import IdentifierFinding
from roadstead.tables.identifiers.rule import IDENTIFIERS

Answer: TypeAlias = Literal["found", "not found", "not assessed"]

NOT_ASSESSED = MappingProxyType(
    {
        16: "what a file or a code of a body part holds is not looked at",
        17: "what an image shows is not looked at",
        18: "a code with no known form that few records have alone is not seen",
    }
)
"""What stays unseen even where the names and values of all columns were looked at."""


@dataclass(frozen=True)
class ChecklistLine:
    """One of the eighteen.

    `number`: in the rule, 1 to 18. `answer`: whether it was found. `columns`: where it was found.
    `note`: what was not looked at; empty if nothing is to be said.
    """

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
        if self.answer == "found":
            return "found"
        return "not found in any column" if self.answer == "not found" else "not assessed"

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
    """Answer for each of the eighteen.

    `findings`: what was found in the columns that were looked at. `free_text`: columns of long
    texts. Names in them are not assessed, nor are places.
    """
    columns: dict[int, list[str]] = {number: [] for number in IDENTIFIERS}
    for finding in findings:
        if finding.column not in columns[finding.number]:
            columns[finding.number].append(finding.column)
    texts = tuple(free_text)
    return tuple(_line(number, tuple(found), texts) for number, found in columns.items())


def _line(number: int, found: tuple[str, ...], texts: tuple[str, ...]) -> ChecklistLine:
    note = NOT_ASSESSED.get(number, "")
    in_texts = bool(texts) and number in _HIDDEN_IN_TEXT
    if in_texts:
        note = f"not assessed in the long texts of {', '.join(texts)}"
    if found:
        return ChecklistLine(number, "found", found, note)
    unseen = in_texts or number in _NEVER_SEEN
    return ChecklistLine(number, "not assessed" if unseen else "not found", (), note)


_NEVER_SEEN = frozenset((16, 17))
_HIDDEN_IN_TEXT = frozenset((1, 2, 3, 8, 9, 10, 11, 12, 13, 18))
