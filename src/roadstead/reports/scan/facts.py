"""Define the proposal of a scan: a role and a hierarchy for each column of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

from roadstead.errors import SettingError, quoted
from roadstead.near_names import did_you_mean
from roadstead.tables.arx_selection import SelectedRows
from roadstead.tables.codebooks.described import Role
from roadstead.tables.identifiers.findings import ChecklistLine, IdentifierFinding
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.source import Source

if TYPE_CHECKING:
    from roadstead.tables.health.condition_groups import ConditionGroups

PERSON = "person"
"""The role of the person ID column."""
USUAL_SETTINGS: Mapping[str, Mapping[str, Any]] = {"privacy": {"k": 5, "suppression": 0.05}}
"""The default settings in a proposal."""


@dataclass(frozen=True)
class ColumnProposal:
    """The proposed role of a column, with the reason."""

    name: str
    role: str | None  # None if a person must decide
    reason: str  # the reason in words
    profile: ColumnProfile  # the counts that describe the column
    hierarchy: dict[str, Any] | None = None  # the declaration for a quasi-identifier
    warning: str = ""  # what the user should check, or an empty string
    codes: tuple[str, ...] = ()  # numbers that may mean "missing"


@dataclass(frozen=True)
class ProposalFacts:
    """The proposal for a table.

    Attributes
    ----------
    source, columns
        The table, and the proposal for each column.
    safe_harbor
        The identifiers on HIPAA's Safe Harbor list that columns seem to contain.
    groups
        The groups of conditions in an OMOP CDM, or None for other sources.
    checklist
        The eighteen identifiers, and the columns in which the scan found each of them.
    likely_persons
        Columns that look like a person ID but are not proposed as the person ID column.
    objections
        The objections to the values of each column that must not be released unchanged.
    codebook_missing
        The codebook's codes for missing values that occur in the table, such as ``income=-9``, with
        the number of values.
    noticed
        Sentences about unusual values in the whole table.
    kinds_of_rows
        The quasi-identifiers in each kind of row, if the rows of a person are of several kinds.
    settings
        Further sections of the project file, by name.
    reading
        The specified options for reading the table: ``delimiter``, ``encoding``, ``header``, and
        ``missing``.
    hierarchy_files
        The file content for each column with a hierarchy of the kind ``file``.
    selected_rows, is_population
        The rows to release, or None for all rows. The second field says whether the whole table is
        the population from which these rows come.
    """

    source: Source
    columns: tuple[ColumnProposal, ...]
    safe_harbor: tuple[IdentifierFinding, ...] = ()
    groups: ConditionGroups | None = None
    checklist: tuple[ChecklistLine, ...] = ()
    likely_persons: tuple[str, ...] = ()
    objections: Mapping[str, tuple[Objection, ...]] = field(default_factory=dict)
    codebook_missing: Mapping[str, int] = field(default_factory=dict)
    noticed: tuple[str, ...] = ()
    kinds_of_rows: tuple[tuple[str, ...], ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: USUAL_SETTINGS)
    reading: Mapping[str, str | bool | list[str]] = field(default_factory=dict)
    hierarchy_files: Mapping[str, bytes] = field(default_factory=dict)
    selected_rows: SelectedRows | None = None
    is_population: bool = False

    @property
    def records(self) -> int:
        """Return the number of records in the table."""
        return self.columns[0].profile.records

    def names(self, role: str | None) -> list[str]:
        """Return the columns with the given proposed role. The role None means no proposal."""
        return [column.name for column in self.columns if column.role == role]

    @property
    def person(self) -> str | None:
        """Return the proposed person ID column, or None."""
        return next(iter(self.names(PERSON)), None)

    @property
    def has_files(self) -> bool:
        """Return whether the project file refers to other files."""
        return bool(self.hierarchy_files) or self.selected_rows is not None

    def deciding(self, roles: Mapping[str, str]) -> Self:
        """Replace the proposed roles of some columns with the roles that a person chose.

        Raises
        ------
        SettingError
            When a column or a role does not exist. The roles are identifiers, person, quasi,
            sensitive, and unchanged.
        """
        given: object = roles
        if not isinstance(given, Mapping):
            fix = 'write, for example, {"length_of_stay": "unchanged"}'
            raise SettingError(
                f"{quoted(repr(given))} is not a mapping from columns to roles", fix=fix
            )
        columns = [column.name for column in self.columns]
        for name, role in roles.items():
            where = f"column {quoted(str(name))}"
            if name not in columns:
                what = "the table does not have this column"
                fix = did_you_mean(str(name), columns, "correct the name", show=quoted)
                raise SettingError(what, where=where, fix=fix)
            if role not in get_args(Role):
                fix = f"use one of {', '.join(get_args(Role))}"
                raise SettingError(f"there is no role {quoted(str(role))}", where=where, fix=fix)
        decided = tuple(
            replace(column, role=roles[column.name], reason="decided by a person")
            if column.name in roles
            else column
            for column in self.columns
        )
        return replace(self, columns=decided)

    def groups_file(self, project: Path) -> Path | None:
        """Return the path of the file with groups of conditions in the project file's folder."""
        if self.groups is None or not self.groups.rows:
            return None
        return project.with_name(f"{project.stem}_{self.groups.column}.csv")
