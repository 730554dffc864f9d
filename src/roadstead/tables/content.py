"""What a table holds, as one short text that is the same wherever the table is.

A file has a digest of its bytes. A table in a database has none: its rows come in any order, and
each engine keeps them in its own way. So each row is written as one text, in its engine, and the
SHA-256 of that text is worked out there. Of a digest's first digits the engine adds up the
characters, place by place, over all rows, and no row has to come over: sums do not depend on an
order, and a change of a row changes them. The number of rows, the names of the columns and these
sums are what is digested here.

It finds accidents: of all ways in which one row can change, one in 2 to the power of 64 leaves the
sums as they are. It does not stop a forger, who can look for rows that add up to the same; nor does
anything else in a certificate that is not signed.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from roadstead.tables.failures import engine_errors
from roadstead.tables.text import as_text
from roadstead.tables.transfer import brought

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis
    from ibis.expr import types as ir

_PLACES = 16
"""Hexadecimal digits that are looked at, of four bits each."""
_MOST_ARGUMENTS = 50
"""Texts put together by one call; PostgreSQL takes no more than 100 arguments."""
_WITH_DIGESTS = ("duckdb", "postgres", "pyspark")


def content_digest(table: ibis.Table, name: str = "the table") -> str:
    """Digest what a table holds.

    Parameters
    ----------
    table
        A table of any engine. One of an engine that has no SHA-256 is brought to a private engine.
    name
        What to call it in messages.

    Returns
    -------
    str
        64 hexadecimal digits, the same for the same names of columns, in order, and the same rows,
        in any order, whatever types hold their values. Values are the same if they read the same,
        as :func:`roadstead.tables.text.as_text` has it, but nothing is not the empty text.

    Raises
    ------
    SourceError
        The engine cannot read the table.
    """
    return counted_digest(table, name)[1]


def counted_digest(table: ibis.Table, name: str = "the table") -> tuple[int, str]:
    """Count the records of a table and digest what it holds, in one query.

    Parameters, errors and the digest are those of `content_digest`.
    """
    rows = table if table.get_backend().name in _WITH_DIGESTS else brought(table, name)
    with engine_errors(name):
        digests = rows.select(digest=_sha256(_joined([_cell(rows[one]) for one in rows.columns])))
        sums = {
            f"sum_{at}": digests["digest"].substr(at, 1).ascii_str().sum().fill_null(0)
            for at in range(_PLACES)
        }
        (found,) = digests.agg(records=digests.count(), **sums).to_pyarrow().to_pylist()
    listing = [list(rows.columns), *(int(found[one]) for one in ("records", *sums))]
    return int(found["records"]), hashlib.sha256(json.dumps(listing).encode()).hexdigest()


def _cell(column: ir.Column) -> ir.StringValue:
    """Write a value in quotes and a null without, so that no two rows of cells read alike."""
    import ibis  # noqa: PLC0415 - heavy

    quoted = ibis.literal('"') + as_text(column).replace('"', '""') + '"'
    missing = column.isnull()
    if column.type().is_floating():  # of what is no number, engines do not agree that it is null
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


def _sha256(text: ir.StringValue) -> ir.StringValue:
    """Digest a text in its engine, in lower-case hexadecimal digits."""
    if text.get_backend().name == "postgres":
        return _sha256_of_postgres(text)
    return text.hexdigest("sha256")


def _sha256_of_postgres(text: ir.StringValue) -> ir.StringValue:
    """Name the functions of PostgreSQL, which Ibis does not know; they see UTF-8 everywhere."""
    import ibis  # noqa: PLC0415 - heavy

    @ibis.udf.scalar.builtin  # type: ignore[untyped-decorator] # Ibis says nothing of it
    def convert_to(text: str, encoding: str) -> bytes:  # type: ignore[empty-body] # the server's own
        ...

    @ibis.udf.scalar.builtin  # type: ignore[untyped-decorator] # Ibis says nothing of it
    def sha256(data: bytes) -> bytes:  # type: ignore[empty-body] # the server's own
        ...

    @ibis.udf.scalar.builtin  # type: ignore[untyped-decorator] # Ibis says nothing of it
    def encode(data: bytes, form: str) -> str:  # type: ignore[empty-body] # the server's own
        ...

    digest: ir.StringValue = encode(sha256(convert_to(text, "UTF8")), "hex")
    return digest
