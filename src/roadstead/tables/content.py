"""Compute a digest of a table's content. The digest does not depend on the table's location.

The engine writes each row as one string and computes the SHA-256 of the string. The first 60
hexadecimal digits form four whole numbers, and the engine adds up each of the four numbers over all
rows. So no row leaves the engine, and the order of the rows does not matter.

The digest shows that a table was not changed by mistake, because a random change keeps all four
sums the same with a probability of only 2^-240. The digest does not rule out a forgery. A forger
who may choose rows from n lists finds rows with the same sums after about 2^(240 / (1 + log2 n))
steps.

Sources: Bellare and Micciancio, A new paradigm for collision-free hashing, Eurocrypt 1997; Wagner,
A generalized birthday problem, Crypto 2002.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.store import by_backend
from roadstead.tables.text import as_text
from roadstead.tables.transfer import brought

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

_MOST_ARGUMENTS = 50
"""The number of strings that one call joins. Some servers accept at most 100 arguments."""
_FORM = 2
"""The version of the summation method. Version 1 added single digits."""


def content_digest(table: ibis.Table, name: str = "the table") -> str:
    """Return the digest of a table's content as 64 hexadecimal digits.

    Two tables have the same digest if they have the same column names in the same order, and the
    same rows in any order. Values are compared as text (:func:`roadstead.tables.text.as_text`), but
    a missing value differs from the empty string. If an engine does not have SHA-256, the table is
    copied to the private engine.
    """
    return counted_digest(table, name)[1]


def counted_digest(table: ibis.Table, name: str = "the table") -> tuple[int, str]:
    """Count the records of a table and compute the digest of its content in one query."""
    digest = by_backend(str(table.get_backend().name)).digest
    rows = table
    if digest is None:
        rows, digest = brought(table, name), by_backend(engine.BACKEND).digest
    assert digest is not None  # noqa: S101 - the private engine has one
    with engine_errors(name):
        texts = rows.select(text=_joined([_cell(rows[one]) for one in rows.columns]))
        records, *sums = digest(texts)
    listing = [_FORM, list(rows.columns), records, *sums]
    return records, hashlib.sha256(json.dumps(listing).encode()).hexdigest()


def _cell(column: ir.Column) -> ir.StringValue:
    """Quote each value except null, so that different rows are different strings."""
    import ibis  # noqa: PLC0415 - heavy

    quoted = ibis.literal('"') + as_text(column).replace('"', '""') + '"'
    missing = column.isnull()
    if column.type().is_floating():  # engines differ on whether NaN is null
        missing |= column.isnan()
    return ibis.ifelse(missing, "", quoted)


def _joined(texts: Sequence[ir.StringValue]) -> ir.StringValue:
    import ibis  # noqa: PLC0415 - heavy

    while len(texts) > 1:
        blocks = [
            list(texts[at : at + _MOST_ARGUMENTS]) for at in range(0, len(texts), _MOST_ARGUMENTS)
        ]
        texts = [ibis.literal(",").join(block) for block in blocks]
    return texts[0]
