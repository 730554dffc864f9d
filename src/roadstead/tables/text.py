"""One text for one value, whichever engine or type holds it.

Hierarchies, policies and frequency tables speak of values as text, so the same value must read the
same everywhere: a whole number alike in an integer column and in the floating-point column that
pandas makes of it when one is missing (``39``, not ``39.0``), a day alike as a date and as a
timestamp at midnight. Missing is missing, be it a null, a not-a-number or an empty text; it is a
value of its own, and its text is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibis.expr import types as ir

MISSING = ""
_EXACT = 2**53


def as_text(column: ir.Column) -> ir.StringColumn:
    """Return a column's values as text, missing values as the empty text.

    Parameters
    ----------
    column
        A column of any type.

    Returns
    -------
    ibis.expr.types.StringColumn
        Never null. Both the frequency table and the release are made from this expression, so
        they agree on what a value is.
    """
    kind = column.type()
    if kind.is_string():
        text = column
    elif kind.is_floating():
        text = _number(column)
    elif kind.is_timestamp() and kind.timezone is None:
        text = _timestamp(column)
    else:
        text = column.cast("string")
    return text.fill_null(MISSING)


def _number(column: ir.FloatingColumn) -> ir.StringColumn:
    import ibis  # noqa: PLC0415 - heavy

    whole = (column.abs() < _EXACT) & (column == column.floor())
    return ibis.cases(
        (column.isnan(), ibis.null("string")),
        (column.isinf(), ibis.ifelse(column > 0, "inf", "-inf")),  # PostgreSQL writes Infinity
        (whole, column.cast("int64").cast("string")),
        else_=column.cast("string"),
    )


def _timestamp(column: ir.TimestampColumn) -> ir.StringColumn:
    import ibis  # noqa: PLC0415 - heavy

    midnight = column == column.truncate("D")
    return ibis.ifelse(midnight, column.date().cast("string"), column.cast("string"))
