"""What a report shows of the columns that are released as they are.

Which of them look like one of the eighteen identifiers, what became of each of the eighteen, and
how many records these columns tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReleasedIdentifier:
    """A released column that looks like one of the eighteen identifiers of Safe Harbor.

    Attributes
    ----------
    column, number, identifier
        The column, and the number and name of what it looks like.
    why, remedy
        How that is known, and what Safe Harbor asks for.
    forced
        Whether it was released by name, against the rule.
    """

    column: str
    number: int
    identifier: str
    why: str
    remedy: str
    forced: bool

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
    """One of the eighteen identifiers.

    Attributes
    ----------
    number, identifier
        Number and name in the rule.
    answer
        Whether it was found.
    columns
        Where it was found, each with what became of the column.
    note
        What was not looked at.
    """

    number: int
    identifier: str
    answer: str
    columns: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class SmallGroups:
    """Records in small groups, by what somebody knows alongside the quasi-identifiers.

    Attributes
    ----------
    known
        The columns known.
    unique, below_k
        Records that are like no other, and those in groups of fewer than k.
    """

    known: str
    unique: int
    below_k: int


@dataclass(frozen=True)
class AddedFigures:
    """What the released columns add to the risk.

    Attributes
    ----------
    k, records
        The size that is large enough, and the records released.
    quasi, together
        By the quasi-identifiers alone, and with all other released columns.
    columns
        With each of these, from the one that adds most.
    """

    k: int
    records: int
    quasi: SmallGroups
    together: SmallGroups
    columns: tuple[SmallGroups, ...] = ()

    def share(self, records: int) -> float:
        """Give the share of the released records."""
        return records / self.records if self.records else 0.0
