"""What each column is to the person behind the record.

A *quasi-identifier* is known to others and, together with the rest, may single a person out; a
*sensitive* column is what must not be learned; an *identifying* one names the person and is never
released; an *insensitive* one is none of these. Nothing is assumed: a column has the role it was
given or none, whatever it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roadstead.errors import RoleError, quoted
from roadstead.tables import names

if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_QUASI = 200
"""Most quasi-identifiers; a release of more would be a query that no engine plans in a minute."""


@dataclass(frozen=True)
class Roles:
    """The roles of a table's columns.

    Attributes
    ----------
    quasi
        The quasi-identifiers, in the order the user gave.
    sensitive, identifying, insensitive
        The columns of the other roles.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()

    @property
    def declared(self) -> tuple[str, ...]:
        """Every column that has a role."""
        return self.quasi + self.sensitive + self.identifying + self.insensitive

    def check(self, columns: Sequence[str]) -> None:
        """Prove that the roles fit a table.

        Parameters
        ----------
        columns
            The names of the table's columns.

        Raises
        ------
        RoleError
            There is no quasi-identifier, a column is not there (a near miss is suggested), is
            named twice, or has two roles.
        """
        if len(self.quasi) > MOST_QUASI:
            raise RoleError(
                f"{len(self.quasi)} quasi-identifiers are more than can be released together, "
                f"at most {MOST_QUASI}",
                mend="name those that somebody could really know of a person",
            )
        if not self.quasi:
            raise RoleError(
                "no column is a quasi-identifier",
                mend="name those that others may know, for instance --quasi age,sex,zip",
            )
        names.require(self.declared, columns)
        given: dict[str, str] = {}
        for role, members in self._by_role():
            for column in members:
                if column in given:
                    raise RoleError(
                        f"is named twice as {role}"
                        if given[column] == role
                        else f"is given as {given[column]} and as {role}",
                        where=f"column {quoted(column)}",
                        mend="give it one role, once",
                    )
                given[column] = role

    def undeclared(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that have no role, in the order of the table."""
        declared = frozenset(self.declared)
        return tuple(column for column in columns if column not in declared)

    def _by_role(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (
            ("quasi-identifying", self.quasi),
            ("sensitive", self.sensitive),
            ("identifying", self.identifying),
            ("insensitive", self.insensitive),
        )
