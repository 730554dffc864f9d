"""Names that Roadstead gives to what it makes in a database, and how a name is quoted there."""

from __future__ import annotations

import secrets

MADE = "Released by Roadstead."
"""The comment of a table that is published."""


def fresh(kind: str) -> str:
    """Make up a name that nothing has yet.

    Parameters
    ----------
    kind
        What it is for, in letters; a part of the name.
    """
    return f"roadstead_{kind}_{secrets.token_hex(6)}"


def quoted_name(name: str) -> str:
    """Write a name for a statement of DuckDB or PostgreSQL."""
    return '"' + name.replace('"', '""') + '"'
