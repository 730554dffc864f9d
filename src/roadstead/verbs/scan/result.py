"""What a scan proposes: a role and a hierarchy for each column, and what a person has to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from roadstead.printable import printable_lines
from roadstead.tables.health.condition_groups import ConditionGroups
from roadstead.tables.identifiers.findings import IdentifierFinding
from roadstead.tables.identifiers.rule import ChecklistLine
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.source import Source
from roadstead.verbs.in_brief import brief
from roadstead.verbs.scan import project_file, words


@dataclass(frozen=True)
class ColumnProposal:
    """What is proposed for a column, and why."""

    name: str
    role: str | None  # None if a person has to decide
    reason: str  # why, in words
    profile: ColumnProfile  # what the column looks like, in counts
    hierarchy: dict[str, Any] | None = None  # for a quasi-identifier, its declaration
    warning: str = ""  # what a person should look at; empty when nothing


@dataclass(frozen=True)
class Proposal:
    """What is proposed for a table.

    Attributes
    ----------
    source, columns
        The table, and the proposal for each of its columns.
    reading
        How the table had to be read: ``delimiter``, ``encoding``, ``header`` and ``missing``, where
        they were said.
    safe_harbor
        The identifiers of HIPAA's Safe Harbor that columns seem to hold.
    groups
        Of an OMOP CDM, the groups of its conditions; None of anything else.
    checklist
        For each of the eighteen identifiers, whether it was found, and where.
    """

    source: Source
    columns: tuple[ColumnProposal, ...]
    reading: Mapping[str, str | bool | list[str]] = field(default_factory=dict)
    safe_harbor: tuple[IdentifierFinding, ...] = ()
    groups: ConditionGroups | None = None
    checklist: tuple[ChecklistLine, ...] = ()

    def __repr__(self) -> str:
        number = Counter(column.role for column in self.columns)
        return brief(
            self,
            self.source.name,
            f"{self.records:,} records",
            *(f"{many} {role or 'undecided'}" for role, many in number.items()),
            f"{len(self.safe_harbor)} findings of Safe Harbor",
        )

    @property
    def records(self) -> int:
        """Records of the table."""
        return self.columns[0].profile.records

    def names(self, role: str | None) -> list[str]:
        """Columns a role is proposed for; of None, those that a person has to decide."""
        return [column.name for column in self.columns if column.role == role]

    def deciding(self, roles: Mapping[str, str]) -> Proposal:
        """Give the proposal with the roles that a person decided on for some columns."""
        decided = tuple(
            replace(column, role=roles[column.name], reason="decided by a person")
            if column.name in roles
            else column
            for column in self.columns
        )
        return replace(self, columns=decided)

    def to_dict(self) -> dict[str, Any]:
        """Give the proposal as JSON holds it."""
        return {
            "source": self.source.name,
            "format": self.source.format.describe(),
            "records": self.records,
            "columns": [
                {
                    "name": c.name,
                    "role": c.role,
                    "reason": c.reason,
                    "type": c.profile.type,
                    "missing": c.profile.missing,
                    "distinct": c.profile.distinct,
                    "hierarchy": c.hierarchy,
                    "warning": c.warning,
                }
                for c in self.columns
            ],
            "undecided": self.names(None),
            "safe_harbor": [finding.to_dict() for finding in self.safe_harbor],
            "checklist": [line.to_dict() for line in self.checklist],
        }

    def groups_file(self, project: Path) -> Path | None:
        """Say where the groups of conditions are written: alongside the project file."""
        if self.groups is None or not self.groups.rows:
            return None
        return project.with_name(f"{project.stem}_{self.groups.column}.csv")

    def to_toml(self, folder: Path | None = None, groups: Path | None = None) -> str:
        """Give the proposal as a project file in `folder`, with the file `groups` alongside."""
        return project_file.written(self, folder, groups)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the project file, whole or not at all.

        Raises
        ------
        OutputError
            When it exists and `force` is not given, or cannot be written.
        """
        project_file.write(self, Path(path), force=force)

    def __str__(self) -> str:
        return printable_lines(words.lines(self))

    def _repr_html_(self) -> str:
        return words.page(self)
