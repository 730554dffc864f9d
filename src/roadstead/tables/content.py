"""The content of a table as one short text that does not depend on where the table is.

The rows of a table in a database come in any order. So each row is written as one text, in its
engine, and the engine computes the SHA-256 of that text. Its first 60 hexadecimal digits are read
as four whole numbers of 60 bits, and the engine adds up each of the four over all rows. No row
leaves the engine, and sums do not depend on an order. The digest covers the number of rows, the
names of the columns, and the four sums.

A change by mistake leaves all four sums unchanged with a probability of 1 in 2 to the power of 240,
because SHA-256 behaves like a random function of the row. A forger has better chances. A forger who
may choose thousands of rows can search for a set of rows with the same sums (Wagner's generalized
birthday search; with n lists it takes about 2 to the power of 240 / (1 + log2 n) steps, so 2 to the
power of 80 with four and of 22 with a thousand). So the digest proves that a table was not changed
by mistake. It does not rule out a forgery. Sources: Bellare and Micciancio, A new paradigm for
collision-free hashing, Eurocrypt 1997; Wagner, A generalized birthday problem, Crypto 2002.
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
"""Texts put together by one call; some servers take no more than 100 arguments."""
_FORM = 2
"""Which way of adding up this is; the first added single digits."""


def content_digest(table: ibis.Table, name: str = "the table") -> str:
    """Digest the content of a table, which has this name in messages: 64 hexadecimal digits.

    They are the same for the same names of columns, in order, and the same rows, in any order,
    whatever types hold their values, as :func:`roadstead.tables.text.as_text` writes them; but
    nothing is not the empty text. If an engine does not have SHA-256, the table is fetched.
    """
    return counted_digest(table, name)[1]


def counted_digest(table: ibis.Table, name: str = "the table") -> tuple[int, str]:
    """Count the records of a table and digest its content, as above, in one query."""
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
    """Write a value in quotes and a null without, so that different rows have different texts."""
    import ibis  # noqa: PLC0415 - heavy

    quoted = ibis.literal('"') + as_text(column).replace('"', '""') + '"'
    missing = column.isnull()
    if (
        column.type().is_floating()
    ):  # engines differ on whether a value that is not a number is null
        missing |= column.isnan()
    return ibis.ifelse(missing, "", quoted)


def _joined(texts: Sequence[ir.StringValue]) -> ir.StringValue:
    """Put texts together, with commas between them, a block at a time."""
    import ibis  # noqa: PLC0415 - heavy

    while len(texts) > 1:
        blocks = [
            list(texts[at : at + _MOST_ARGUMENTS]) for at in range(0, len(texts), _MOST_ARGUMENTS)
        ]
        texts = [ibis.literal(",").join(block) for block in blocks]
    return texts[0]
