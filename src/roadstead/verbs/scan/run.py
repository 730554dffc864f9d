"""Propose roles and hierarchies for a table, and say what needs a decision.

A proposal looks at what the columns hold and at what they are called; it decides nothing. It is
written down as a project file, which is a request that a person has to read, correct and accept.
"""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Array, Table

from roadstead.errors import InputError, OutputError
from roadstead.front_end import option, worded
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.hierarchies.defaults import propose
from roadstead.printable import printable, printable_toml
from roadstead.reports.wording import counted
from roadstead.requests.former_project import Project
from roadstead.tables.frequency import summarize
from roadstead.tables.health.condition_groups import ConditionGroups, condition_groups, write_rows
from roadstead.tables.identifiers.checklist import ChecklistLine, checklist
from roadstead.tables.identifiers.column_names import meaning
from roadstead.tables.identifiers.findings import Finding
from roadstead.tables.identifiers.judgment import Examined, examine, is_free_text
from roadstead.tables.identifiers.rule import KEEP_YEAR
from roadstead.tables.locations import CdmLocation, DuckdbLocation
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.verbs.in_brief import brief

_MOST_VALUES = 100_000
_MOSTLY = 0.9
_UNDECIDED = "undecided"
_KEYS = frozenset(field.name for field in fields(Project))
_FORCED = (
    "Nothing speaks for a role of the columns below. Give each a role above, or leave all out:",
    'undecided = "withhold"',
)


@dataclass(frozen=True)
class ColumnProposal:
    """What is proposed for a column, and why.

    Attributes
    ----------
    name, role
        The column, and the role proposed; None if a person has to decide.
    reason
        Why, in words.
    profile
        What the column looks like, in counts.
    hierarchy
        For a quasi-identifier, the declaration of its hierarchy.
    warning
        What a person should look at; empty when nothing.
    """

    name: str
    role: str | None
    reason: str
    profile: ColumnProfile
    hierarchy: dict[str, Any] | None = None
    warning: str = ""


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
    safe_harbor: tuple[Finding, ...] = ()
    groups: ConditionGroups | None = None
    checklist: tuple[ChecklistLine, ...] = ()

    def __repr__(self) -> str:
        number = Counter(column.role for column in self.columns)
        return brief(
            self,
            self.source.name,
            f"{self.records:,} records",
            *(f"{many} {role}" for role, many in number.items()),
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
        """Say where the groups of conditions are written: beside the project file."""
        if self.groups is None or not self.groups.rows:
            return None
        return project.with_name(f"{project.stem}_{self.groups.column}.csv")

    def to_toml(self, folder: Path | None = None, groups: Path | None = None) -> str:
        """Give the proposal as a project file that lies in `folder`, beside the file `groups`."""
        document = tomlkit.document()
        document.add(tomlkit.comment("Proposed by roadstead scan. Read it, correct it, then run:"))
        document.add(tomlkit.comment("roadstead anonymize --project FILE --out release"))
        document.add("data", tomlkit.item(_path(self.source, folder)))
        if self.reading:
            document.add("reading", tomlkit.item(dict(self.reading)))
        document.add("roles", self._roles())
        privacy = tomlkit.table()
        privacy.add("k", 5)
        privacy.add("suppression", 0.05)
        document.add("privacy", privacy)
        document.add("hierarchies", self._hierarchies())
        if self.groups is not None and groups is not None:
            document.add(tomlkit.nl())
            document.add(
                tomlkit.comment("For roadstead synthesize. A vocabulary of no more than the")
            )
            document.add(
                tomlkit.comment("conditions of your patients tells which: take a whole one.")
            )
            column = self.groups.column
            document.add("sets", _named(column, {"column": column}))
            document.add("domains", _named(column, {"taxonomy": groups.name}))
        return printable_toml(tomlkit.dumps(document))

    def _roles(self) -> Table:
        roles = tomlkit.table()
        for role in ("quasi", "sensitive", "identifying", "insensitive"):
            roles.add(role, self._listed(role))
        if self.names(None):
            roles.add(tomlkit.nl())
            for line in _FORCED:
                roles.add(tomlkit.comment(line))
            roles.add(_UNDECIDED, self._listed(None))
        return roles

    def _listed(self, role: str | None) -> Array:
        """List the columns of a role, each with the reason beside it."""
        names = tomlkit.array()
        for column in self.columns:
            if column.role == role:
                names.add_line(column.name, comment=printable("; ".join(self._remarks(column))))
        if names:
            names.add_line(indent="")
        return names

    def _remarks(self, column: ColumnProposal) -> list[str]:
        """Say why a column has its role, and what Safe Harbor would do with it."""
        found = [f for f in self.safe_harbor if f.column == column.name]
        return [
            column.reason,
            *([column.warning] if column.warning else []),
            *(f"Safe Harbor {f.number}: {f.remedy}" for f in found),
        ]

    def _hierarchies(self) -> Table:
        hierarchies = tomlkit.table()
        for column in self.columns:
            if column.hierarchy is not None:
                inline = tomlkit.inline_table()
                inline.update(column.hierarchy)
                hierarchies.add(column.name, inline)
        return hierarchies

    def write(self, path: Path, *, force: bool = False) -> None:
        """Write the project file, whole or not at all.

        Raises
        ------
        OutputError
            When it exists and `force` is not given, or cannot be written.
        """
        check_new(path, force=force)
        groups = self.groups_file(path)
        if self.groups is not None and groups is not None:
            check_new_groups(groups, force=force)
            write_rows(self.groups.rows, groups)
        aside = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            aside.write_text(self.to_toml(path.parent, groups), encoding="utf-8")
            aside.replace(path)
        except OSError as error:
            raise OutputError(
                f"cannot be written ({error.strerror})",
                where=str(path),
                fix="choose another place",
            ) from None
        finally:
            with contextlib.suppress(OSError):
                aside.unlink(missing_ok=True)


def check_new(path: Path, *, force: bool) -> None:
    """Refuse a file that exists, unless `force` is given and it is a project file.

    Raises
    ------
    OutputError
        When it exists, or is anything else.
    """
    if path.exists() and not force:
        raise OutputError(
            "exists already", where=str(path), fix=f"choose another, or {option('force', True)}"
        )
    if path.exists() and not _is_project(path):
        raise OutputError(
            "exists and is not a project file", where=str(path), fix="choose another name"
        )


def _is_project(path: Path) -> bool:
    """Whether a file is a project file, be it one that nobody has completed yet."""
    try:
        document = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    except (OSError, ValueError):
        return False
    return isinstance(document.get("roles"), dict) and document.keys() <= _KEYS


def check_new_groups(path: Path, *, force: bool) -> None:
    """Refuse a file that exists, unless `force` is given and it is a hierarchy.

    Raises
    ------
    OutputError
        When it exists, or is anything else.
    """
    if path.exists() and not force:
        raise OutputError(
            "exists already", where=str(path), fix=f"choose another, or {option('force', True)}"
        )
    if path.exists():
        try:
            read_hierarchy(path, path.stem)
        except InputError:
            raise OutputError(
                "exists and is not a hierarchy file", where=str(path), fix="choose another name"
            ) from None


def scan(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    reading: Mapping[str, str | bool | list[str]] | None = None,
) -> Proposal:
    """Propose roles and hierarchies for a table.

    Parameters
    ----------
    data
        A `Source`, a path, a data frame, an Arrow table or an Ibis table.
    reading
        How the source was read, where it had to be said; kept for the project file.
    """
    source = data if isinstance(data, Source) else read(data)
    seen = examine(source, source.columns)
    columns = tuple(_proposal(source, column, seen) for column in seen.profiles)
    found = tuple(f for judgment in seen.judgments.values() for f in judgment.findings)
    texts = [name for name, values in seen.samples.items() if is_free_text(values)]
    groups = condition_groups(source)
    return Proposal(
        source, columns, reading or {}, found, groups, checklist(found, free_text=texts)
    )


def _proposal(source: Source, column: ColumnProfile, seen: Examined) -> ColumnProposal:
    """Propose the role that the judgment has, and for a quasi-identifier a hierarchy."""
    judgment = seen.judgments[column.name]
    role = judgment.role
    hierarchy = None
    if role == "quasi" and column.distinct <= _MOST_VALUES:
        (domain,) = summarize(source, [column.name]).domains
        hierarchy = propose(column.name, domain, meaning(column.name))
    warnings = "; ".join(_warnings(column, role, hierarchy, judgment.findings))
    return ColumnProposal(column.name, role, judgment.reason, column, hierarchy, warnings)


def _warnings(
    column: ColumnProfile,
    role: str | None,
    hierarchy: Mapping[str, Any] | None,
    findings: Sequence[Finding],
) -> Iterator[str]:
    if role == "sensitive" and column.is_list and column.uniqueness >= _MOSTLY:
        yield "nearly nobody has the same list: who knows much of one may find the person"
    if role == "quasi" and column.distinct > _MOST_VALUES:
        yield f"about {column.distinct} values: declare a hierarchy"
    is_date = any(f.remedy == KEEP_YEAR and f.why.endswith("dates") for f in findings)
    if is_date and hierarchy is not None and hierarchy["kind"] != "dates":
        yield "not all values are dates of one form: declare a hierarchy"
    elif is_date and hierarchy is not None and hierarchy.get("units", ("day",))[0] == "year":
        yield "day and month cannot be told apart: by year"
    if column.marked:
        way = worded(
            command=f"--missing '{column.marker}'", python=option("missing", [column.marker])
        )
        yield (
            f'"{column.marker}" in {counted(column.marked, "record")} may stand for missing: '
            f"if it does, say {way}, or missing under [reading]"
        )


def _named(name: str, keys: Mapping[str, str]) -> Table:
    """Give a table of one table, such as ``[sets.conditions]``."""
    inner = tomlkit.table()
    inner.update(keys)
    outer = tomlkit.table(is_super_table=True)
    outer.add(name, inner)
    return outer


def _path(source: Source, folder: Path | None) -> str:
    """Name the source's file as seen from the project file, or its address without a user."""
    location = source.location
    if isinstance(location, CdmLocation) and isinstance(location.person, DuckdbLocation):
        person = replace(location.person, path=_seen_from(folder, location.person.path))
        return replace(location, person=person).address
    if isinstance(location, DuckdbLocation):
        return replace(location, path=_seen_from(folder, location.path)).address
    if location is not None:
        return location.address
    return source.name if source.path is None else str(_seen_from(folder, source.path))


def _seen_from(folder: Path | None, path: Path) -> Path:
    absolute, base = path.absolute(), (folder or Path()).absolute()
    return absolute.relative_to(base) if absolute.is_relative_to(base) else absolute
