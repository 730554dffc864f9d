"""Codes that represent a missing value: in one column (``marital=9``), or in every column (``?``).

A code belongs to a column, because 9 can be a true number elsewhere. ``COLUMN=CODE`` names one
code, and ``COLUMN=LOW..HIGH`` a range of numbers. A text before the equals sign that is not the
name of a column is part of a code for all columns. Blanks around a value do not count, capitals do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.tables.failures import engine_errors
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from ibis.expr import types as ir

    from roadstead.tables.source import Source

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_ANY_NUMBER = re.compile(_NUMBER)
_LONGEST = 18
"""Digits of a whole number that a floating-point number cannot hold exactly."""


@dataclass(frozen=True)
class MissingCodes:
    """Codes for every column, and codes and ranges of numbers for single columns."""

    everywhere: tuple[str, ...]
    of_column: dict[str, tuple[str, ...]]
    ranges: dict[str, tuple[tuple[float, float], ...]]

    def __bool__(self) -> bool:
        return bool(self.everywhere or self.of_column or self.ranges)

    def is_code(self, name: str, column: ir.Column) -> ir.BooleanValue | None:
        """Return the condition that a value is one of the codes; None if the column has none."""
        import ibis  # noqa: PLC0415 - heavy

        if column.type().is_nested():
            return None
        text = as_text(column).strip()
        codes = sorted({*self.everywhere, *self.of_column.get(name, ())})
        tests = [text.isin(codes)] if codes else []
        for low, high in self.ranges.get(name, ()):
            plain = text.re_search(f"^{_NUMBER}$") & (text.length() <= _LONGEST)
            number = plain.ifelse(text, ibis.null("string")).cast("float64")
            tests.append(number.between(low, high).fill_null(ibis.literal(value=False)))
        return ibis.or_(*tests) if tests else None


def missing_codes(markers: Sequence[str], columns: Sequence[str]) -> MissingCodes:
    """Parse codes. Raises SettingError: it is a single text, or a range has no numbers in it."""
    if isinstance(markers, str):
        raise SettingError(
            "it is a single text, not a list", where="missing", fix=f"write [{markers!r}]"
        )
    everywhere: set[str] = set()
    of_column: dict[str, tuple[str, ...]] = {}
    ranges: dict[str, tuple[tuple[float, float], ...]] = {}
    for marker in markers:
        name, equals, code = marker.partition("=")
        name, code = name.strip(), code.strip()
        if not equals or name not in columns:
            everywhere.add(marker.strip())
        elif (found := _RANGE.fullmatch(code)) is not None:
            low, high = map(float, found.groups())
            if low > high:
                fix = f"write {name}={found[2]}..{found[1]}"
                what = f"the range {quoted(code)} is empty"
                raise SettingError(what, where=option("missing"), fix=fix)
            ranges[name] = (*ranges.get(name, ()), (low, high))
        else:
            of_column[name] = (*of_column.get(name, ()), code)
    return MissingCodes(tuple(sorted(everywhere - {""})), of_column, ranges)


def without_codes(source: Source, codes: MissingCodes) -> dict[str, ir.Column]:
    """Return the columns that have codes, with missing values in their place."""
    import ibis  # noqa: PLC0415 - heavy

    found = {}
    for name in source.columns:
        column = source.table[name]
        is_code = codes.is_code(name, column)
        if is_code is not None:
            found[name] = ibis.ifelse(is_code, ibis.null(column.type()), column)
    return found


def taken(source: Source, codes: MissingCodes) -> dict[str, int]:
    """Count, by column, the values that the codes make missing; columns without any are left out.

    `source` still has the codes.
    """
    sums = {}
    for at, name in enumerate(source.columns):
        is_code = codes.is_code(name, source.table[name])
        if is_code is not None:
            sums[f"c{at}"] = is_code.sum()
    if not sums:
        return {}
    with engine_errors(source.name):
        (counts,) = source.table.aggregate(**sums).to_pyarrow().to_pylist()
    named = {name: counts.get(f"c{at}") or 0 for at, name in enumerate(source.columns)}
    return {name: int(count) for name, count in named.items() if count}
