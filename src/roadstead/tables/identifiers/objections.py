"""Reasons against releasing a column unchanged, under any header.

The findings of `findings.py` name one of the eighteen identifiers of Safe Harbor. An objection is
broader. Examples are free text that no one has read, values that reveal a person or a date although
the header does not announce it, and a column that reveals the hidden content of another column. A
column with an objection is released only if the custodian lists it under ``release``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ObjectionKind: TypeAlias = Literal[
    "identifier", "person", "link", "text", "date", "place", "undoes", "rare"
]
"""The reason: an identifier; the person ID or a code of people; person IDs of other people; text
that may hold identifiers; dates; places; the values of a column that is generalized or withheld;
values that few records have.
"""

HELD: dict[ObjectionKind, str] = {
    "identifier": "numbers or addresses that identify people",
    "person": "the person ID",
    "link": "person IDs of other people",
    "text": "text that may name people",
    "date": "dates",
    "place": "places",
    "undoes": "values that reveal another hidden column",
    "rare": "values that few records have",
}
"""For each kind of objection, the content of a released column."""


@dataclass(frozen=True)
class Objection:
    """One reason not to release a column unchanged."""

    column: str
    kind: ObjectionKind
    why: str  # in words that show no value
    others: tuple[str, ...] = ()  # the columns that it was found with
    number: int | None = None  # the one of the eighteen identifiers of Safe Harbor, if any

    def to_dict(self) -> dict[str, Any]:
        """Return the objection as JSON holds it."""
        return {"kind": self.kind, "why": self.why, "others": list(self.others)}
