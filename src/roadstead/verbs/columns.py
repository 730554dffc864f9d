"""The columns that are no quasi-identifiers: which are released, and which are withheld."""

from __future__ import annotations

from collections.abc import Mapping

from roadstead.policies.document import Columns
from roadstead.tables.rare import rare_shares
from roadstead.tables.roles import Roles
from roadstead.tables.sources import Source

MOST_RARE = 0.25
"""Largest share of records with a value that fewer than k share, in a column without a role."""
MOST_UNIQUE = 0.5
"""The same for values that nobody shares, in a table too small for the first to mean anything."""
SMALL = 20
"""A table of fewer than so many times k records is small."""


def withheld_columns(source: Source, roles: Roles, k: int, records: int) -> dict[str, float]:
    """Columns without a role that single out too many records all by themselves.

    Such a column would undo all protection if it names or numbers people, and nobody said that
    it does not.

    Parameters
    ----------
    source, roles
        The table, and the roles of its columns.
    k
        A value that fewer records have is rare.
    records
        Records of the table.

    Returns
    -------
    dict
        The share of records with a rare value, by column.
    """
    fewer_than, most = (2, MOST_UNIQUE) if records < SMALL * k else (k, MOST_RARE)
    undeclared = roles.undeclared(source.columns)
    shares = rare_shares(source, undeclared, fewer_than=fewer_than, negligible=most)
    return {name: share for name, share in shares.items() if share > most}


def columns_of_release(source: Source, roles: Roles, withheld: Mapping[str, float]) -> Columns:
    """Say what becomes of the columns that are no quasi-identifiers."""
    free = [name for name in roles.undeclared(source.columns) if name not in withheld]
    return Columns(
        sensitive=roles.sensitive,
        insensitive=(*roles.insensitive, *free),
        removed=(*roles.identifying, *withheld),
    )
