"""Decide on the role of a column: change the project file, and handle objections.

If the command line would reject a choice, the page rejects the choice at once, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import tomlkit

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import naming
from roadstead.reasons import require_reason
from roadstead.tables.identifiers.findings import IdentifierFinding
from roadstead.tables.identifiers.objections import HELD, Objection
from roadstead.tables.identifiers.releasable import removed_identifier, require_releasable
from roadstead.tables.roles import MOST_QUASI
from roadstead.web.sessions.choices import (
    FORCED,
    ROLES,
    UNDECIDED,
    Choices,
    add_forced,
    choices_of,
    set_reason,
    set_role,
    set_value,
)
from roadstead.web.steps.columns.treatments import set_treatment
from roadstead.web.words import PageNaming

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from roadstead.web.sessions.session import WorkSession

_SHELF, _LIMITS_SHELF = "shelf", "shelf-limits"
"""The facts that store the hierarchies and limits of former quasi-identifiers."""
_LIMITS = ("levels.min", "levels.max", "quality.weights")


class RoleWords(NamedTuple):
    """The text about a role on the page."""

    role: str
    title: str
    says: str


ROLE_WORDS = (
    RoleWords(
        "quasi",
        "Quasi-identifier",
        "A fact that an outsider could know about a person, such as an age. Roadstead makes it "
        "coarser if the privacy requirements need this.",
    ),
    RoleWords(
        "sensitive",
        "Sensitive",
        "A private fact that no outsider knows, such as a diagnosis. The release shows the "
        "values, unchanged or rounded.",
    ),
    RoleWords(
        "unchanged",
        "Not sensitive",
        "A fact that does not help to find a person and is not private, such as a unit. The "
        "release shows the values, unchanged or rounded.",
    ),
    RoleWords(
        "identifiers",
        "Direct identifier",
        "A name or a number that identifies a person. Also use this role for a column that "
        "you do not need. The release leaves the column out.",
    ),
    RoleWords(
        "person",
        "Person ID",
        "A number that shows which records belong to one person. The release shows a pseudonym "
        "instead, or leaves the column out.",
    ),
)
TITLES = {one.role: one.title for one in ROLE_WORDS} | {
    FORCED: "Released anyway",
    UNDECIDED: "Undecided",
}
_IN_TEXT = {"intervals": "numbers", "cuts": "numbers", "dates": "dates"}
"""The kind of values in a text column, such as a column of a CSV file, by suggested hierarchy."""
_TYPES = {
    "int": "whole numbers",
    "float": "numbers",
    "decimal": "numbers",
    "bool": "yes or no",
    "date": "dates",
    "timestamp": "times",
    "array": "lists",
}
"""The page's names for the engine's types. The keys are the first letters of the types."""


class LooksLike(NamedTuple):
    """What a column looks like, such as names, and the reason."""

    identifier: str
    why: str


class ColumnRow(NamedTuple):
    """A column in the list."""

    number: int  # its position in the table, from 1
    name: str
    role: str
    about: Mapping[str, Any]  # the results of the scan
    findings: tuple[IdentifierFinding, ...]
    objections: tuple[Objection, ...] = ()

    @property
    def removed(self) -> IdentifierFinding | None:
        """The Safe Harbor identifier that the column looks like and that must be removed."""
        return removed_identifier(self.findings)

    @property
    def looks_like(self) -> LooksLike | None:
        """The objection to releasing the column unchanged, if only a reason can override it."""
        if (found := self.removed) is not None:
            return LooksLike(found.identifier, found.why)
        if not self.objections:
            return None
        return LooksLike(HELD[self.objections[0].kind], self.objections[0].why)

    @property
    def kind(self) -> str:
        """The kind of the column's values, in words, or "" for text, which may hold numbers."""
        name = str(self.about.get("type", "")).lower().removeprefix("u")
        if name.startswith("string"):
            return _IN_TEXT.get((self.about.get("hierarchy") or {}).get("kind", ""), "")
        return next((words for start, words in _TYPES.items() if name.startswith(start)), name)


def column_rows(session: WorkSession, choices: Choices) -> tuple[ColumnRow, ...]:
    """Return the columns in the order of the table."""
    findings, objections = _findings(session), _objections(session)
    return tuple(
        ColumnRow(
            number,
            one["name"],
            choices.roles.get(one["name"], UNDECIDED),
            one,
            findings.get(one["name"], ()),
            objections.get(one["name"], ()),
        )
        for number, one in enumerate(choices.columns, 1)
    )


def column_row(session: WorkSession, choices: Choices, number: int) -> ColumnRow:
    """Return a column by its number."""
    if not 1 <= number <= len(choices.columns):
        raise SettingError("this column does not exist", fix="go back to the list of columns")
    return column_rows(session, choices)[number - 1]


def require_quasi(row: ColumnRow) -> ColumnRow:
    """Reject a column that is not a quasi-identifier, because it has no levels."""
    if row.role != "quasi":
        raise SettingError(
            "the column is not a quasi-identifier, so it does not have levels",
            where=f"column {quoted(row.name)}",
            fix="set its role to Quasi-identifier first",
        )
    return row


def _findings(session: WorkSession) -> dict[str, tuple[IdentifierFinding, ...]]:
    found: dict[str, tuple[IdentifierFinding, ...]] = {}
    for one in session.facts("scan").get("safe_harbor", ()):
        keys = ("column", "number", "why", "remedy", "called", "share")
        finding = IdentifierFinding(**{key: one[key] for key in keys})
        found[finding.column] = (*found.get(finding.column, ()), finding)
    return found


def _objections(session: WorkSession) -> dict[str, tuple[Objection, ...]]:
    return {
        name: tuple(Objection(name, one["kind"], one["why"], tuple(one["others"])) for one in found)
        for name, found in session.facts("scan").get("objections", {}).items()
    }


def decide(
    session: WorkSession,
    name: str,
    role: str,
    reason: str = "",
    *,
    refused: Sequence[str] = (),
) -> str:
    """Give a column a role, and return a message about the change.

    `refused` lists the objections that a job found to releasing the column. If there are
    objections, or if the column looks like an identifier, releasing it requires a reason. With a
    reason, a quasi-identifier or a sensitive column may show an identifier. The same role without a
    reason withdraws this permission.
    """
    if role not in (*ROLES, FORCED, UNDECIDED):
        raise SettingError(f"{quoted(role)} is not a role", fix="choose a role from the list")
    before = choices_of(session)
    looks = any(map(_removed, _findings(session).get(name, ())))
    objected = looks or bool(refused) or name in _objections(session)
    also_forced = bool(reason or refused) and (
        role == "quasi" or (role == "sensitive" and objected)
    )
    with naming(PageNaming()), session.changed() as document:
        _require_free(document, name, role)
        if role in ("sensitive", "unchanged") and not also_forced:
            require_releasable(
                {role: [name]},
                _findings(session),
                objections=_objections(session),
                fix="choose another role",
            )
        if role == FORCED and not objected:
            role = "unchanged"  # There is no objection to override.
        said = None
        if role == FORCED or also_forced:
            said = require_reason(reason, where=f"releasing {name}")
        if role not in RELEASED:
            set_treatment(document, name, None)
        _shelve(session, document, name)
        order = [one["name"] for one in before.columns]
        set_role(document, name, None if role == UNDECIDED else role, order)
        if also_forced:
            add_forced(document, name)
        set_reason(document, name, said)
        if role == "quasi":
            _unshelve(session, document, name)
            if len(document["roles"]["quasi"]) > MOST_QUASI:
                raise RoleError(
                    f"Roadstead supports at most {MOST_QUASI} quasi-identifiers",
                    fix="mark only columns that an attacker could really know",
                )
    return f"{name}: {TITLES[role]}. {_besides(before, name, role)}".strip()


def _removed(finding: IdentifierFinding) -> bool:
    return removed_identifier([finding]) is not None


def _require_free(document: Mapping[str, Any], name: str, role: str) -> None:
    """Raise an error if a column must keep its role because another setting refers to it."""
    for model in document.get("privacy", {}).get("models", ()):
        if model.get("column") == name and role != "sensitive":
            raise RoleError(
                f"the privacy model {model.get('kind')} uses this column, so the column must "
                "stay sensitive",
                where=f"column {quoted(name)}",
                fix="remove this privacy model first",
            )
    if document.get("quality", {}).get("target") == name and role not in RELEASED:
        raise RoleError(
            "this is the column to predict, so it must be released unchanged",
            where=f"column {quoted(name)}",
            fix="choose another column to predict first",
        )


RELEASED = ("sensitive", "unchanged", FORCED)
"""The roles of released columns that are not quasi-identifiers."""


def _shelve(session: WorkSession, document: Mapping[str, Any], name: str) -> None:
    """Store the hierarchy and the limits until the column is a quasi-identifier again."""
    spec = document.get("hierarchies", {}).get(name)
    if spec is not None:
        session.find(_SHELF, {**session.facts(_SHELF), name: _plain(spec)})
    if name in document.get("roles", {}).get("quasi", ()):
        found = {place: _limits_at(document, place) for place in _LIMITS}
        limits = {place: own[name] for place, own in found.items() if name in own}
        session.find(_LIMITS_SHELF, {**session.facts(_LIMITS_SHELF), name: limits})


def _unshelve(session: WorkSession, document: TOMLDocument, name: str) -> None:
    known = {one["name"]: one.get("hierarchy") for one in session.facts("scan").get("columns", ())}
    spec = session.facts(_SHELF).get(name) or known.get(name)
    if spec is not None and name not in document.get("hierarchies", {}):
        set_hierarchy(document, name, spec)
    for place, value in session.facts(_LIMITS_SHELF).get(name, {}).items():
        set_value(document, place, {**_limits_at(document, place), name: value})


def _limits_at(document: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the entry for each column in a table such as ``levels.max``."""
    table, _, key = place.partition(".")
    return dict(_plain(document.get(table, {}).get(key, {})))


def _plain(value: Any) -> Any:  # noqa: ANN401 - of TOML
    return value.unwrap() if hasattr(value, "unwrap") else value


def set_hierarchy(document: TOMLDocument, name: str, spec: Mapping[str, Any] | None) -> None:
    """Declare the generalization of a column on one line. The value None restores the default."""
    if spec is None:
        if name in document.get("hierarchies", {}):
            del document["hierarchies"][name]
        return
    line = tomlkit.inline_table()
    line.update(spec)
    document.setdefault("hierarchies", tomlkit.table())[name] = line


def withhold(session: WorkSession, *, all_of_them: bool) -> None:
    """Withhold all undecided columns, or make them undecided again."""
    unnamed = choices_of(session).unnamed
    with session.changed() as document:
        set_value(document, "roles.undecided", "withhold" if all_of_them else list(unnamed))


def _besides(before: Choices, name: str, role: str) -> str:
    """Report how a change affects other columns and choices."""
    if role == "person" and before.person not in (None, name):
        return f"{before.person} was the person ID before. It does not have a role now."
    if before.person == name and role != "person":
        return "Roadstead now counts records, not people. The settings for people are removed."
    return ""


def first_open(rows: Iterable[ColumnRow]) -> ColumnRow | None:
    """Return the first column whose role is undecided."""
    return next((row for row in rows if row.role == UNDECIDED), None)
