"""What a report shows of the columns that are released as they are.

Which of them look like one of the eighteen identifiers, and what became of each of the eighteen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReleasedIdentifier:
    """A released column that looks like one of the eighteen identifiers of Safe Harbor."""

    column: str  # the column, and the number and name of what it looks like
    number: int
    identifier: str
    why: str  # how that is known, and what Safe Harbor asks for
    remedy: str
    forced: bool  # whether it was released by name, against the rule

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {
            "column": self.column,
            "number": self.number,
            "identifier": self.identifier,
            "remedy": self.remedy,
            "forced": self.forced,
        }


@dataclass(frozen=True)
class ChecklistRow:
    """One of the eighteen identifiers."""

    number: int  # number and name in the rule
    identifier: str
    answer: str  # whether it was found
    # Where it was found, each with what became of the column.
    columns: tuple[tuple[str, str], ...] = ()
    note: str = ""  # what was not looked at
