"""Read the current choices from the project file, and change them.

The choices are stored only in the project file. The functions change single keys, so comments and
the order of keys are preserved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomlkit

from roadstead.privacy.models.person_anonymity import Known
from roadstead.requests.texts import columns_named
from roadstead.verbs.persons.settings import known_rows, left_out

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from roadstead.web.sessions.session import WorkSession

ROLES = ("quasi", "sensitive", "unchanged", "identifiers", "person")
"""The roles that a person can choose, in the same order as on the page."""
UNDECIDED, FORCED, REASONS = "undecided", "release_anyway", "reasons"


@dataclass(frozen=True)
class Choices:
    """The choices in a project file, in the form that pages show.

    `columns` lists the columns that the scan found in the table. `roles` maps columns to roles.
    `forced` lists the columns in `release_anyway`, which are released even though they look like
    identifiers. This is their role, unless they are also quasi-identifiers.
    """

    title: str
    data: str | None
    columns: tuple[Mapping[str, Any], ...]
    roles: Mapping[str, str]
    forced: frozenset[str]
    document: Mapping[str, Any]
    repeats: str | None = None  # the column that looks like a person ID

    @property
    def uncounted(self) -> str | None:
        """The column in which people seem to repeat although records are counted."""
        return self.repeats if self.person is None else None

    @property
    def open(self) -> tuple[str, ...]:
        """The columns whose role is undecided."""
        return () if self.withheld else self.unnamed

    @property
    def reasons(self) -> Mapping[str, str]:
        """The reason for each column that is released despite an objection."""
        found = self.document.get("roles", {}).get(REASONS, {})
        return {str(name): str(words) for name, words in found.items()}

    @property
    def unnamed(self) -> tuple[str, ...]:
        """The columns without a role, including withheld columns."""
        return tuple(one["name"] for one in self.columns if one["name"] not in self.roles)

    @property
    def withheld(self) -> bool:
        """Indicates whether all columns without a role are withheld."""
        return bool(self.document.get("roles", {}).get(UNDECIDED) == "withhold")

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the project file."""
        return self.of("quasi")

    def of(self, role: str) -> tuple[str, ...]:
        """Return the columns that have a role."""
        return tuple(name for name, own in self.roles.items() if own == role)

    @property
    def treated(self) -> tuple[str, ...]:
        """The released columns that have a treatment."""
        listed = (columns_named(one) for one in self.document.get("treatments", ()))
        return tuple(str(name) for names in listed for name in names)

    def unchanged(self, role: str) -> tuple[str, ...]:
        """Return the columns with a role that are released unchanged."""
        return tuple(name for name in self.of(role) if name not in self.treated)

    @property
    def person(self) -> str | None:
        """The person ID column."""
        return next(iter(self.of("person")), None)

    @property
    def knows(self) -> Known:
        """The number of a person's rows that an attacker may know, as releases use it."""
        linked = self.get("persons.link") == "pseudonym"
        return known_rows(self.get("persons.knows"), linked=linked)

    @property
    def limited(self) -> str:
        """The unit of the suppression limit: "records" or "people"."""
        left = self.get("persons.leave_out") or left_out(self.knows)
        return "people" if self.person is not None and left == "persons" else "records"

    def get(self, place: str, usual: Any = None) -> Any:  # noqa: ANN401 - as TOML has it
        """Return the value for a key of the file, such as ``privacy.k``."""
        found: Any = self.document
        for key in place.split("."):
            if not isinstance(found, Mapping) or key not in found:
                return usual
            found = found[key]
        return found


def choices_of(session: WorkSession) -> Choices:
    """Read the choices of a session."""
    document = session.choices().unwrap()
    state, scan = session.state(), session.facts("scan")
    roles = document.get("roles", {})
    listed = (FORCED, *(role for role in ROLES if role != "person"))
    found = {name: role for role in listed for name in roles.get(role, ())}
    if roles.get("person"):
        found[roles["person"]] = "person"
    return Choices(
        title=state.get("title", ""),
        data=document.get("data"),
        columns=tuple(scan.get("columns", ())),
        roles=found,
        forced=frozenset(roles.get(FORCED, ())),
        document=document,
        repeats=scan.get("person"),
    )


def looks_identifying(session: WorkSession) -> list[str]:
    """Return the columns that look like an identifier, regardless of their role."""
    found = session.facts("scan").get("safe_harbor", ())
    return list(dict.fromkeys(one["column"] for one in found))


def set_value(document: TOMLDocument, place: str, value: object) -> None:
    """Set a key such as ``privacy.k``. The value None removes the key."""
    *tables, key = place.split(".")
    at: Any = document
    for name in tables:
        if name not in at:
            if value is None:
                return
            at[name] = tomlkit.table()
        at = at[name]
    if value is None:
        at.pop(key, None)
    else:
        at[key] = value


def set_role(
    document: TOMLDocument, column: str, role: str | None, order: Sequence[str] = ()
) -> None:
    """Remove the role of a column, and give the column a new role or leave it undecided.

    The column is listed before the next column in the table (`order`) that has the same role. So if
    a role is changed and then changed back, the project file is the same as before.
    """
    roles = document.setdefault("roles", tomlkit.table())
    for own in (*ROLES, FORCED, UNDECIDED):
        listed = roles.get(own)
        if isinstance(listed, list) and column in listed:
            _set_list(roles, own, [name for name in listed if name != column])
    former = roles.get("person")
    if role == "person":
        roles["person"] = column
        if former not in (None, column):
            _listed(roles, UNDECIDED, former, order)
    else:
        _listed(roles, role or UNDECIDED, column, order)
        if former == column:
            del roles["person"]
    if role != "quasi":
        for place in _OF_QUASI:
            _without(document, place, column)
    if "person" not in roles:
        set_value(document, "persons", None)
        set_value(document, "quality.average_over", None)


def add_forced(document: TOMLDocument, column: str) -> None:
    """Allow a quasi-identifier or a sensitive column to show an identifier."""
    roles = document["roles"]
    _set_list(roles, FORCED, [*roles.get(FORCED, ()), column])


def set_reason(document: TOMLDocument, column: str, reason: str | None) -> None:
    """Store the reason for releasing a column despite an objection.

    The value None removes the reason.
    """
    roles = document.setdefault("roles", tomlkit.table())
    said = roles.get(REASONS)
    if reason is None:
        if said is not None:
            said.pop(column, None)
            if not said:
                del roles[REASONS]
        return
    if said is None:
        said = roles[REASONS] = tomlkit.inline_table()
    said[column] = reason


def _listed(
    roles: Any,  # noqa: ANN401 - of tomlkit
    role: str,
    column: str,
    order: Sequence[str],
) -> None:
    """List a column under a role, unless `undecided = "withhold"` already withholds it."""
    if isinstance(roles.get(role), str):
        return
    names = list(roles.get(role, ()))
    later = set(order[order.index(column) + 1 :]) if column in order else set()
    at = next((at for at, name in enumerate(names) if name in later), len(names))
    _set_list(roles, role, [*names[:at], column, *names[at:]])


_OF_QUASI = ("hierarchies", "levels.min", "levels.max", "quality.weights", "persons.dates")
"""The tables in the project file whose keys are quasi-identifiers."""


def _without(document: TOMLDocument, place: str, column: str) -> None:
    """Remove a column from a table. If the table is then empty, remove the table."""
    at: Any = document
    for name in place.split("."):
        if not isinstance(at, Mapping) or name not in at:
            return
        at = at[name]
    if column in at:
        del at[column]
        if not at:
            set_value(document, place, None)


def _set_list(roles: Any, key: str, names: Sequence[str]) -> None:  # noqa: ANN401 - of tomlkit
    made = tomlkit.array()
    made.extend([str(name) for name in names])
    roles[key] = made
