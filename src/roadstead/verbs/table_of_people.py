"""Reject a table of counts if a table of people is required.

In a table of counts, each record describes a group of people. Therefore, k records do not represent
k people, and a released count can reveal how small a group is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import RoleError
from roadstead.front_end import option
from roadstead.reports.noticed.table import like_counts
from roadstead.tables.counts import count_table

if TYPE_CHECKING:
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source


def require_people(source: Source, roles: Roles) -> None:
    """Raise a RoleError if a table looks like a table of counts.

    The table is accepted if the roles name a person ID column, list the columns of counts as direct
    identifiers, or release these columns anyway.
    """
    if roles.person is not None:
        return
    found = count_table(source)
    if found is None:
        return
    if {*found.counts} <= {*roles.release_anyway, *roles.identifiers}:
        return
    column = [name for name in found.counts if name not in roles.identifiers]
    ways = (
        f"use {option('release_anyway', [column])} to release the counts, or "
        f"{option('identifiers', [column])} to leave them out"
    )
    raise RoleError(
        like_counts(found),
        where=source.name,
        fix=f"give the table with one record per person; if each record is a person, {ways}",
    )
