"""What each column is to the person behind the record.

A *quasi-identifier* is known to others and, together with the rest, may single a person out; a
*sensitive* column is what must not be learned; an *identifying* one names the person and is never
released; an *insensitive* one is none of these. Nothing is assumed: a column has the role it was
given or none, whatever it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from roadstead.errors import RoleError, quoted
from roadstead.front_end import option
from roadstead.tables import names

if TYPE_CHECKING:
    from collections.abc import Sequence


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

    def matched(self, columns: Sequence[str]) -> tuple[Roles, dict[str, tuple[str, ...]]]:
        """Put the columns of a table in the place of patterns such as ``number_*``.

        A column that is named goes before any pattern, whatever role that is of.

        Returns
        -------
        tuple
            The roles, and what each pattern matched.

        Raises
        ------
        RoleError
            A pattern matches no column.
        """
        named = [name for name in self.declared if not names.is_pattern(name, columns)]
        found, told = {}, {}
        for role in fields(self):
            own, matched = names.matching(getattr(self, role.name), columns, named)
            found[role.name] = own
            told.update(matched)
        return Roles(**found), told

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
        if not self.quasi:
            raise RoleError(
                "no column is a quasi-identifier",
                mend="name those that others may know, for instance "
                f"{option('quasi', ('age', 'sex', 'zip'))}",
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
