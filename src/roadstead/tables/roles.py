"""Define the roles of columns with respect to the people in the records.

An attacker may know the values of a *quasi-identifier*, and must not learn the values of a
*sensitive* column. A *direct identifier* identifies the person and is never released. An
*unchanged* column has none of these roles. A column is *released anyway* if the user decided to
release it although it looks like an identifier. Only the user can assign roles. By default, a
column without a role is withheld.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from roadstead.errors import RoleError, quoted
from roadstead.front_end import option
from roadstead.tables import names

Undecided: TypeAlias = Literal["withhold", "refuse", "release"]
"""The treatment of columns without a role."""
_FEW = 5
_PERSON = "the person ID"
MOST_QUASI = 200
"""The maximum number of quasi-identifiers. With more, planning a query takes over a minute."""


@dataclass(frozen=True)
class Roles:
    """The roles of a table's columns.

    Attributes
    ----------
    quasi
        The quasi-identifiers, in the order that the user gave.
    sensitive, identifiers, unchanged
        The columns with the other roles.
    release_anyway
        Columns to release unchanged although they look like identifiers.
    forced_quasi
        Quasi-identifiers whose released values may show an identifier.
    undecided
        What to do about columns without a role: ``withhold`` all of them, ``refuse`` the table, or
        ``release`` the columns without objections.
    person
        The person ID column; None if every record belongs to a different person.
    reasons
        The user's reasons for releasing columns that look like identifiers.
    sensitive_anyway
        The columns in `release_anyway` that the user also named as sensitive.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    release_anyway: tuple[str, ...] = ()
    undecided: Undecided = "withhold"
    person: str | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    forced_quasi: tuple[str, ...] = ()
    sensitive_anyway: tuple[str, ...] = ()

    @property
    def for_models(self) -> tuple[str, ...]:
        """Return the columns that privacy models may use."""
        return (*self.sensitive, *self.sensitive_anyway)

    @property
    def declared(self) -> tuple[str, ...]:
        """All columns that have a role."""
        own = self.quasi + self.sensitive + self.identifiers + self.unchanged + self.release_anyway
        return own if self.person is None else (*own, self.person)

    def matched(self, columns: Sequence[str]) -> tuple[Roles, dict[str, tuple[str, ...]]]:
        """Replace patterns such as ``number_*`` with the matching columns of a table.

        If the user lists a column by name, no pattern of any role matches it. Columns to release
        anyway must be listed one by one, so `*` is an ordinary character in their names. If a
        pattern of the quasi-identifiers matches such a column, it stays a quasi-identifier. Returns
        the roles, and the columns that each pattern matches.
        """
        own_patterns = [one for one in self.quasi if names.is_pattern(one, columns)]
        shown = [
            name
            for name in self.release_anyway
            if any(fnmatch.fnmatchcase(name, one) for one in own_patterns)
        ]
        anyway = tuple(name for name in self.release_anyway if name not in shown)
        named = [
            name
            for name in self.declared
            if not names.is_pattern(name, columns) and name not in shown
        ]
        found: dict[str, Any] = {
            "release_anyway": anyway,
            "forced_quasi": (*self.forced_quasi, *shown),
        }
        told: dict[str, tuple[str, ...]] = {}
        for role in ("quasi", "sensitive", "identifiers", "unchanged"):
            own, matched = names.matching(getattr(self, role), columns, named)
            found[role] = own
            told.update(matched)
        return replace(self, **found), told

    def check(self, columns: Sequence[str]) -> None:
        """Check that there is a quasi-identifier, and that every column exists and has one role."""
        if len(self.quasi) > MOST_QUASI:
            raise RoleError(
                f"{len(self.quasi)} quasi-identifiers are named, but at most {MOST_QUASI} can be "
                "released together",
                fix="list only the columns that an attacker could know about a person",
            )
        if not self.quasi:
            raise RoleError(
                "no column is a quasi-identifier",
                fix="list the columns that an attacker may know, for example, "
                f"{option('quasi', ('age', 'sex', 'zip'))}",
            )
        names.require(self.declared, columns)
        given: dict[str, str] = {}
        by_role = {
            "a quasi-identifier": self.quasi,
            "sensitive": self.sensitive,
            "a direct identifier": self.identifiers,
            "unchanged": self.unchanged,
            "released anyway": self.release_anyway,
            _PERSON: () if self.person is None else (self.person,),
        }
        for role, members in by_role.items():
            for column in members:
                if column in given:
                    raise RoleError(
                        f"it is listed twice as {role}"
                        if given[column] == role
                        else f"it is listed as {given[column]} and as {role}",
                        where=f"column {quoted(column)}",
                        fix=f"name this column only with {option('person')}: Roadstead uses it to "
                        "count people, and does not release it unchanged"
                        if role == _PERSON
                        else "give it one role, once",
                    )
                given[column] = role

    def require_decided(self, columns: Sequence[str]) -> None:
        """Reject columns without a role if the request has ``undecided = "refuse"``."""
        left = self.undeclared(columns) if self.undecided == "refuse" else ()
        if not left:
            return
        first = ", ".join(quoted(name) for name in left[:_FEW])
        more = f" and {len(left) - _FEW} more" if len(left) > _FEW else ""
        has = "has" if len(left) == 1 else "have"
        raise RoleError(
            f"{first}{more} {has} no role",
            where=option("undecided", "refuse"),
            fix=f"give each column a role, for example, {option('identifiers')} or "
            f"{option('unchanged')}",
        )

    def undeclared(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that have no role, in the order of the table."""
        declared = frozenset(self.declared)
        return tuple(column for column in columns if column not in declared)

    def with_sensitive(self, columns: Iterable[str]) -> Roles:
        """Give the role "sensitive" to columns of privacy models that have no role."""
        named = tuple(name for name in columns if name not in self.declared)
        return replace(self, sensitive=(*self.sensitive, *named)) if named else self
