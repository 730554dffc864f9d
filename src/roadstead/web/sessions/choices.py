"""What was chosen so far, read from the project file, and changes to it.

The project file is the only place where a choice is kept; what stands here reads it as the command
line does, and changes single keys so that comments and order stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomlkit

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from roadstead.web.sessions.session import Session

ROLES = ("quasi", "sensitive", "insensitive", "identifying", "person")
"""The roles that a person chooses from, in the order in which they are offered."""
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Choices:
    """The choices of a project file, as the pages show them.

    `columns` are those of the table, as the scan found them; `roles` has the role of each that has
    one; `forced` are released although they look like an identifier.
    """

    title: str
    data: str | None
    columns: tuple[Mapping[str, Any], ...]
    roles: Mapping[str, str]
    forced: frozenset[str]
    document: Mapping[str, Any]

    @property
    def open(self) -> tuple[str, ...]:
        """Columns that nobody decided on."""
        if self.document.get("roles", {}).get(UNDECIDED) == "withhold":
            return ()
        return tuple(one["name"] for one in self.columns if one["name"] not in self.roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the project file."""
        return self.of("quasi")

    def of(self, role: str) -> tuple[str, ...]:
        """List the columns of a role."""
        return tuple(name for name, own in self.roles.items() if own == role)

    @property
    def person(self) -> str | None:
        """The column that says whose each record is."""
        return next(iter(self.of("person")), None)

    def get(self, place: str, usual: Any = None) -> Any:  # noqa: ANN401 - as TOML has it
        """Give what the file says at a place such as ``privacy.k``."""
        found: Any = self.document
        for key in place.split("."):
            if not isinstance(found, Mapping) or key not in found:
                return usual
            found = found[key]
        return found


def choices_of(session: Session) -> Choices:
    """Read the choices of a session."""
    document = session.choices().unwrap()
    state, scan = session.state(), session.facts("scan")
    roles = document.get("roles", {})
    found = {name: role for role in ROLES if role != "person" for name in roles.get(role, ())}
    if roles.get("person"):
        found[roles["person"]] = "person"
    return Choices(
        title=state.get("title", ""),
        data=document.get("data"),
        columns=tuple(scan.get("columns", ())),
        roles=found,
        forced=frozenset(roles.get("release", ())),
        document=document,
    )


def set_value(document: TOMLDocument, place: str, value: object) -> None:
    """Set a key such as ``privacy.k``; None takes it away."""
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


def set_role(document: TOMLDocument, column: str, role: str | None) -> None:
    """Give a column a role, or none yet; it leaves the one it had."""
    roles = document.setdefault("roles", tomlkit.table())
    for own in (*ROLES, UNDECIDED):
        listed = roles.get(own)
        if own == "person":
            if listed == column:
                del roles["person"]
        elif isinstance(listed, list) and column in listed:
            _set_list(roles, own, [name for name in listed if name != column])
    if role == "person":
        former = roles.get("person")
        roles["person"] = column
        if former is not None:
            _set_list(roles, UNDECIDED, [*roles.get(UNDECIDED, ()), former])
        return
    listed = roles.get(role or UNDECIDED, [])
    if not isinstance(listed, str):  # `undecided = "withhold"` decides on all of them
        _set_list(roles, role or UNDECIDED, [*listed, column])
    hierarchies = document.get("hierarchies")
    if role != "quasi" and hierarchies is not None:
        hierarchies.pop(column, None)


def _set_list(roles: Any, key: str, names: Sequence[str]) -> None:  # noqa: ANN401 - of tomlkit
    made = tomlkit.array()
    made.extend([str(name) for name in names])
    roles[key] = made
