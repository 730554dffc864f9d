"""Create, quote, and suggest names of tables in databases."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from roadstead.errors import SourceError
from roadstead.near_names import nearest
from roadstead.tables.locations import TableName

if TYPE_CHECKING:
    from collections.abc import Sequence

MADE = "Released by Roadstead."
"""The comment of a published table."""


def fresh(kind: str) -> str:
    """Return an unused name that contains a word for its purpose."""
    return f"roadstead_{kind}_{secrets.token_hex(6)}"


def sums_of_digests(word: str) -> str:
    """Return the SELECT list of a query over `digest`, the SHA-256 of each row in hexadecimal form.

    `word` is an SQL expression for the number in the 15 digits that begin at ``{}``. The query
    returns the number of rows and the sums of the four words, as in `roadstead.tables.content`.
    """
    return ", ".join(["count(*)", *(f"sum({word.format(first)})" for first in (1, 16, 31, 46))])


def quoted_name(name: str) -> str:
    """Quote a name in the form of standard SQL."""
    return '"' + name.replace('"', '""') + '"'


def no_table(requested: TableName, there: Sequence[TableName], usual: str) -> SourceError:
    """Return the error for a missing table. The error suggests a similar name."""
    shown = {
        str(TableName(one.name) if requested.schema is None and one.schema == usual else one)
        for one in there
    }
    folded = {one.casefold(): one for one in sorted(shown)}
    bare = {one.name.casefold(): str(one) for one in there}
    best = nearest(str(requested), folded.values()) or bare.get(requested.name.casefold())
    fix = f"did you mean {best}?" if best else "check its name and schema"
    return SourceError("there is no such table", where=str(requested), fix=fix)
