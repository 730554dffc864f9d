"""Propose roles and hierarchies for a table, and say what needs a decision.

A proposal looks at what the columns hold and at what they are called; it decides nothing. It is
written down as a project file, which is a request that a person has to read, correct and accept.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from roadstead.errors import InputError, OutputError
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.hierarchies.defaults import propose
from roadstead.printable import printable, printable_toml
from roadstead.tables.frequency import summarize
from roadstead.tables.health.condition_groups import ConditionGroups, condition_groups, write_rows
from roadstead.tables.identifiers.column_names import words
from roadstead.tables.identifiers.findings import Finding, find
from roadstead.tables.identifiers.sample import sample
from roadstead.tables.locations import CdmLocation, DuckdbLocation
from roadstead.tables.profile import ColumnProfile, profile
from roadstead.tables.sources import Source, read
from roadstead.verbs.project import read_project

_OF_GROUPS = (
    "For roadstead synthesize. A vocabulary of no more than the conditions of your patients",
    "tells which these are: take a whole one.",
)
_MOST_VALUES = 100_000
_MOSTLY = 0.9

_IDENTIFYING_NAMES = re.compile(
    r"(^|_)(first|last|full|family|given|maiden|patient|person)?_?(name|surname)$"
    r"|^name|ssn|social_?sec|(^|_)(mrn|id|uid|guid|uuid|key|passport|license|account|acct)$"
    r"|record_?(no|num|number)|(patient|person|member|subject|case|encounter|visit)_?(id|no|nr|num)"
    r"|phone|fax|e_?mail|(^|_)(url|web|ip)(_|$)|address|street|photo|device|serial|plate|biometric",
)
_QUASI_NAMES = re.compile(
    r"(^|_)(age|iage|dob|yob|sex|gender|race|ethnic\w*|hispanic|zip\w*|post\w*code|postal\w*|city|town|county"
    r"|state|region|country|nation\w*|birth\w*|death\w*|marital\w*|education|occupation|job|work\w*"
    r"|religion|language|citizenship|admi\w*|discharge_date|visit_date)(_|$)|_date$|^date",
)
_SENSITIVE_NAMES = re.compile(
    r"diag|icd|condition|disease|procedure|medic|drug|outcome|died|mortal|income|salary|hiv|genetic"
    r"|psych|substance|result",
)
_IDENTIFYING_SHAPES = ("ssn", "email", "phone", "uuid", "url", "ip")
_DATE_SHAPES = (
    "iso_date",
    "iso_timestamp",
    "slashed_iso_date",
    "month_first_date",
    "day_first_date",
    "dotted_date",
    "named_date",
)


@dataclass(frozen=True)
class ColumnProposal:
    """What is proposed for a column, and why.

    Attributes
    ----------
    name, role
        The column and the role proposed.
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
    role: str
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
        How the table had to be read: ``delimiter``, ``encoding``, ``header``, where they were said.
    safe_harbor
        The identifiers of HIPAA's Safe Harbor that columns seem to hold.
    groups
        Of an OMOP CDM, the groups of its conditions; None of anything else.
    """

    source: Source
    columns: tuple[ColumnProposal, ...]
    reading: Mapping[str, str | bool] = field(default_factory=dict)
    safe_harbor: tuple[Finding, ...] = ()
    groups: ConditionGroups | None = None

    @property
    def records(self) -> int:
        """Records of the table."""
        return self.columns[0].profile.records

    def names(self, role: str) -> list[str]:
        """Columns a role is proposed for."""
        return [column.name for column in self.columns if column.role == role]

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
            "safe_harbor": [finding.to_dict() for finding in self.safe_harbor],
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
            names = tomlkit.array()
            for column in self.columns:
                if column.role == role:
                    names.add_line(column.name, comment=printable("; ".join(self._remarks(column))))
            if names:
                names.add_line(indent="")
            roles.add(role, names)
        return roles

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
                mend="choose another place",
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
        raise OutputError("exists already", where=str(path), mend="choose another, or --force")
    if path.exists():
        try:
            read_project(path)
        except InputError:
            raise OutputError(
                "exists and is not a project file", where=str(path), mend="choose another name"
            ) from None


def check_new_groups(path: Path, *, force: bool) -> None:
    """Refuse a file that exists, unless `force` is given and it is a hierarchy.

    Raises
    ------
    OutputError
        When it exists, or is anything else.
    """
    if path.exists() and not force:
        raise OutputError("exists already", where=str(path), mend="choose another, or --force")
    if path.exists():
        try:
            read_hierarchy(path, path.stem)
        except InputError:
            raise OutputError(
                "exists and is not a hierarchy file", where=str(path), mend="choose another name"
            ) from None


def scan(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    reading: Mapping[str, str | bool] | None = None,
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
    profiles = profile(source)
    domains: dict[str, Sequence[str]] = {}
    columns = tuple(_proposal(source, column, domains) for column in profiles)
    found = find(profiles, sample(source, profiles), domains)
    return Proposal(source, columns, reading or {}, found, condition_groups(source))


def _proposal(
    source: Source, column: ColumnProfile, domains: dict[str, Sequence[str]]
) -> ColumnProposal:
    """Propose a role and a hierarchy; the domain that the hierarchy is for is kept in `domains`."""
    judgments = ((role, judge(column)) for role, judge in _JUDGES)
    role, reason = next((j for j in judgments if j[1]), _HARMLESS)
    hierarchy = None
    if role == "quasi" and column.distinct <= _MOST_VALUES:
        (domain,) = summarize(source, [column.name]).domains
        hierarchy = propose(column.name, domain)
        domains[column.name] = domain
    return ColumnProposal(column.name, role, reason, column, hierarchy, _warning(column, role))


def _identifying(column: ColumnProfile) -> str:
    if column.is_list and _sensitive(column):
        return ""  # what somebody has, even if nobody else has exactly the same
    for shape in _IDENTIFYING_SHAPES:
        if column.share(shape) >= _MOSTLY:
            return f"reads like {shape}"
    if _IDENTIFYING_NAMES.search(words(column.name)):
        return "called like something that names or numbers a person"
    if _is_unique_text(column):
        return "nearly every record has a value of its own"
    return ""


def _is_unique_text(column: ColumnProfile) -> bool:
    measured = column.share("number") - column.share("integer") > 1 - _MOSTLY
    return column.uniqueness >= _MOSTLY and not measured and not _is_date(column)


def _is_date(column: ColumnProfile) -> bool:
    return any(column.share(shape) >= _MOSTLY for shape in _DATE_SHAPES)


def _quasi(column: ColumnProfile) -> str:
    if _is_date(column):
        return "dates; others may know when something happened"
    if _QUASI_NAMES.search(words(column.name)):
        return "called like something others may know of a person"
    return ""


def _sensitive(column: ColumnProfile) -> str:
    if _SENSITIVE_NAMES.search(words(column.name)):
        return "called like something nobody should learn"
    if column.share("icd10") >= _MOSTLY and column.share("number") < _MOSTLY:
        return "reads like diagnosis codes"
    return ""


def _warning(column: ColumnProfile, role: str) -> str:
    if role == "sensitive" and column.is_list and column.uniqueness >= _MOSTLY:
        return "nearly nobody has the same list: who knows much of one may find the person"
    if role in {"insensitive", "sensitive"} and column.uniqueness >= _MOSTLY:
        return "nearly every value is different: it may single people out"
    if role == "quasi" and column.distinct > _MOST_VALUES:
        return f"about {column.distinct} values: declare a hierarchy"
    return ""


_JUDGES: tuple[tuple[str, Callable[[ColumnProfile], str]], ...] = (
    ("identifying", _identifying),
    ("quasi", _quasi),
    ("sensitive", _sensitive),
)

_HARMLESS = ("insensitive", "nothing suggests otherwise")


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
