"""Define objections, which are reasons against releasing a column unchanged.

Objections are broader than the findings of `findings.py`. Each finding is about one of the eighteen
identifiers of Safe Harbor. Other reasons for objections are, for example, free text that no one has
read, or a column that reveals the hidden content of another column. A column with an objection is
released only if the custodian lists it under ``release``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ObjectionKind: TypeAlias = Literal[
    "identifier", "person", "link", "text", "date", "place", "undoes", "rare"
]
"""The kind of an objection.

The kinds are, in this order: an identifier; the person ID or a code of people; person IDs of other
people; text that may contain identifiers; dates; places; values that reveal a generalized or
withheld column; and values that few records have.
"""

HELD: dict[ObjectionKind, str] = {
    "identifier": "numbers or addresses that identify people",
    "person": "the person ID",
    "link": "person IDs of other people",
    "text": "text that may name people",
    "date": "dates",
    "place": "places",
    "undoes": "values that reveal a hidden column",
    "rare": "rare values",
}
"""A description, by kind of objection, of what the released column would reveal."""


@dataclass(frozen=True)
class Objection:
    """One reason against releasing a column unchanged."""

    column: str
    kind: ObjectionKind
    why: str  # a description that does not show a value
    others: tuple[str, ...] = ()  # the other columns that are part of the evidence
    number: int | None = None  # the number of the Safe Harbor identifier, if there is one
    share: float = 1.0  # of the records with the evidence, or 1 if most values have it
    exact: bool = False  # whether the column shows the value of another one in all records

    def to_dict(self) -> dict[str, Any]:
        """Return the objection in JSON form."""
        return {"kind": self.kind, "why": self.why, "others": list(self.others)}
