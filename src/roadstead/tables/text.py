"""Convert values of any type to text. The result is the same in every engine.

A whole number has the same text (``39``, not ``39.0``) in an integer column and in a floating-point
column. A day has the same text as a date and as a timestamp at midnight. Nulls, NaN, and empty
strings are all missing. The missing value is a separate value whose text is empty.
"""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ibis.expr import types as ir

MISSING = ""
BLANKS: Final = ("", "?", "-", ".", "na", "n/a", "nan", "null", "none", "unknown")
"""Lowercase strings that mean no value. Such strings are never rare."""
_NO_VALUES = ("None", "nan", "NaT", "<NA>")
"""The names of the missing values of Python and pandas."""

# Smaller numbers without a fractional part are written as integers.
_WHOLE = 10**18
# Smaller numbers with a fractional part are written with a power of ten.
_SMALL = 1e-4
# Numbers between the limits have at most 17 digits, and no digit after this decimal place.
_DIGITS, _PLACES = 38, 21
_NANOSECONDS, _MIDNIGHT = 9, " 00:00:00"


def text_of(value: object) -> str:
    """Return the text of a Python value. The text is the same as the text from `as_text`."""
    scalar: Any = value
    kind = getattr(getattr(value, "dtype", None), "kind", None)  # of a NumPy scalar
    if kind is not None:
        exact = scalar.astype("datetime64[us]").item if kind == "M" else scalar.item
        value = float(str(value)) if kind == "f" else exact()
    if not isinstance(value, str) and str(value) in _NO_VALUES:
        return MISSING
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))
    if isinstance(value, datetime) and value.tzinfo is None:
        day, _, clock = str(value).partition(" ")
        seconds = clock.rstrip("0") if "." in clock else clock
        return day if value.time() == time() else f"{day} {seconds}"
    return str(value)


def as_text(column: ir.Column) -> ir.StringColumn:
    """Return the values of a column as text, for the frequency table and the release."""
    kind = column.type()
    if kind.is_string():
        text = column
    elif kind.is_floating():
        text = _number(column)
    elif kind.is_timestamp() and kind.timezone is None:
        text = column.cast("string")
        # The first day that nanoseconds can represent begins before the first time.
        in_nanoseconds = kind.scale == _NANOSECONDS
        midnight = text.endswith(_MIDNIGHT) if in_nanoseconds else column == column.truncate("D")
        text = midnight.ifelse(column.date().cast("string"), text)
    else:
        text = column.cast("string")
        text = text.nullif("NaN") if kind.is_decimal() else text  # PostgreSQL's numeric has NaN
    return text.fill_null(MISSING)


def _number(column: ir.FloatingColumn) -> ir.StringColumn:
    import ibis  # noqa: PLC0415 - heavy

    written = column.cast("string")
    whole = (column.cast("float64").abs() < _WHOLE) & (column == column.floor())
    return ibis.cases(
        # This tests the text, because DuckDB 2.0 does not find NaN in Parquet files if their
        # statistics omit NaN.
        (written.isin(("nan", "NaN")), ibis.null("string")),
        (written.isin(("inf", "Infinity")), "inf"),
        (written.isin(("-inf", "-Infinity")), "-inf"),
        (whole, column.cast("int64").cast("string")),
        (written.contains("E"), _as_c_writes(written)),
        else_=written,
    )


def _as_c_writes(written: ir.StringColumn) -> ir.StringColumn:
    """Rewrite a number from Java in the form of other engines: 1.0E-5 becomes 1e-05.

    For example, 1.23456785E7 becomes 12345678.5. Versions before Java 19 write a few very small or
    large numbers with an extra digit. This digit stays.
    """
    import ibis  # noqa: PLC0415 - heavy

    size = written.cast("float64").abs()
    plain = written.cast(f"decimal({_DIGITS}, {_PLACES})").cast("string")
    power = written.replace(".0E", "E").replace("E-", "e-").replace("E", "e+")
    return ibis.cases(
        ((size >= _SMALL) & (size < _WHOLE), plain.re_replace("0+$", "")),
        (power.re_search("e-[0-9]$"), power.replace("e-", "e-0")),
        else_=power,
    )
