"""Parse codes for missing values in one column (``marital=9``) or in all columns (``?``).

``COLUMN=CODE`` is one code, and ``COLUMN=LOW..HIGH`` is a range of numbers. If a code for all
columns contains an equals sign, it is written as ``*=CODE``. Blanks around a value are ignored, but
case matters. A name such as ``codes.csv`` refers to a file with codes
(:mod:`roadstead.tables.missing_file`). In Python, the codes can also be numbers, and a mapping from
columns to codes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean
from roadstead.tables.failures import engine_errors
from roadstead.tables.missing_file import EVERY, codes_in_file, is_codes_file
from roadstead.tables.text import MISSING, as_text, text_of

if TYPE_CHECKING:
    from ibis.expr import types as ir

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_LONGEST = 18
"""The length of the longest string that is compared with ranges."""


@dataclass(frozen=True)
class MissingCodes:
    """Codes for every column, and codes and ranges of numbers for single columns."""

    everywhere: tuple[str, ...]
    of_column: dict[str, tuple[str, ...]]
    ranges: dict[str, tuple[tuple[float, float], ...]]

    def __bool__(self) -> bool:
        return bool(self.everywhere or self.of_column or self.ranges)

    def tests(self, name: str, column: ir.Column) -> dict[str, ir.BooleanValue]:
        """Return, for each code and range, the condition that a value matches the code or range."""
        import ibis  # noqa: PLC0415 - heavy

        if column.type().is_nested():
            return {}
        text = as_text(column).strip()
        codes = sorted({*self.everywhere, *self.of_column.get(name, ())})
        tests = {code: text == code for code in codes}
        for low, high in self.ranges.get(name, ()):
            plain = text.re_search(f"^{_NUMBER}$") & (text.length() <= _LONGEST)
            number = plain.ifelse(text, ibis.null("string")).cast("float64")
            within = number.between(low, high).fill_null(ibis.literal(value=False))
            tests[f"{low:.15g}..{high:.15g}"] = within
        return tests

    def matching(self, name: str, text: str) -> str | None:
        """Return the code or range that contains a value, or None. `tests` has the same form."""
        if text in self.everywhere or text in self.of_column.get(name, ()):
            return text
        if re.fullmatch(_NUMBER, text) is None:
            return None
        ranges = self.ranges.get(name, ())
        found = ((low, high) for low, high in ranges if low <= float(text) <= high)
        return next((f"{low:.15g}..{high:.15g}" for low, high in found), None)


class OptionalCode(str):
    """A code of a column, which has no effect on a table without this column.

    A release records its codes, but a register may lack some columns of the release.
    """

    __slots__ = ()


def listed_codes(given: object) -> tuple[str, ...]:
    """Convert codes from Python, in any allowed form, to strings. Raises SettingError otherwise."""
    if isinstance(given, Mapping):
        return tuple(
            f"{name}={code}"
            for name, codes in given.items()
            for code in listed_codes([codes] if _is_single(codes) else codes)
        )
    if _is_single(given) or not isinstance(given, Iterable):
        what = "the setting is a single string, not a list"
        if not isinstance(given, str):
            what = f"{quoted(str(given))} is not a list of codes"
        fix = (
            f"write {option('missing', ['?'])}, or {option('missing', ['age=999'])} for one column"
        )
        raise SettingError(what, where=option("missing"), fix=fix)
    return tuple(map(_code, given))


def _is_single(given: object) -> bool:
    return isinstance(given, str | bytes | Real | os.PathLike) or not isinstance(given, Iterable)


def _code(given: object) -> str:
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    text = text_of(given)
    is_bool = type(given).__name__ in ("bool", "bool_")  # also NumPy's
    if is_bool or text == MISSING or not isinstance(given, Real):
        what = f"{quoted(str(given))} is not a code"
        if text == MISSING:
            what += ", because a cell with this value is already missing"
        fix = "write text or a number"
        raise SettingError(what, where=option("missing"), fix=fix)
    return text


def missing_codes(markers: Sequence[str], columns: Sequence[str]) -> MissingCodes:
    """Parse codes. Raises SettingError for an empty range and for a column that does not exist."""
    everywhere: set[str] = set()
    of_column: dict[str, tuple[str, ...]] = {}
    ranges: dict[str, tuple[tuple[float, float], ...]] = {}
    for name, code in _split(markers, columns):
        if name is None:
            everywhere.add(code)
        elif (found := _RANGE.fullmatch(code)) is not None:
            low, high = map(float, found.groups())
            if low > high:
                fix = f"write {name}={found[2]}..{found[1]}"
                what = f"the range {quoted(code)} is empty"
                raise SettingError(what, where=option("missing"), fix=fix)
            ranges[name] = (*ranges.get(name, ()), (low, high))
        elif code:  # without a code, the codes of a codebook do not count for the column
            of_column[name] = (*of_column.get(name, ()), code)
    return MissingCodes(tuple(sorted(everywhere - {""})), of_column, ranges)


def _split(markers: Sequence[str], columns: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """Yield each code with its column, or with None if the code is for every column."""
    for marker in listed_codes(markers):
        name, equals, code = marker.partition("=")
        if is_codes_file(marker):
            yield from codes_in_file(Path(marker.strip()), columns)
        elif equals and name.strip() in columns:
            yield name.strip(), code.strip()
        elif equals and name.strip() == EVERY:
            yield None, code.strip()
        elif equals and not isinstance(marker, OptionalCode):
            what = f"the table does not have the column {quoted(name.strip())}"
            otherwise = f"correct the name, or write *={marker.strip()} for a code in every column"
            fix = did_you_mean(name, columns, otherwise, show=quoted)
            raise SettingError(what, where=option("missing", [marker.strip()]), fix=fix)
        elif not equals:
            yield None, marker.strip()


def without_codes(columns: Mapping[str, ir.Column], codes: MissingCodes) -> dict[str, ir.Column]:
    """Return the columns that may contain codes, and replace the codes with missing values."""
    import ibis  # noqa: PLC0415 - heavy

    found = {}
    for name, column in columns.items():
        if tests := codes.tests(name, column):
            null = ibis.null(column.type())
            found[name] = ibis.ifelse(ibis.or_(*tests.values()), null, column)
    return found


def taken(
    table: ir.Table, codes: MissingCodes, name: str, person: str | None = None
) -> dict[str, dict[str, int]]:
    """Count, by column and code, the values that become missing. Omit codes that do not occur.

    `table` still contains the codes, and `name` is the table's name in messages. If `person` is the
    column of the person ID, the function counts the people with each code.
    """
    sums = {}
    places: list[tuple[str, str]] = []
    for column in table.columns:
        for code, is_code in codes.tests(column, table[column]).items():
            having = is_code.sum() if person is None else table[person].nunique(where=is_code)
            sums[f"c{len(places)}"] = having
            places.append((column, code))
    if not sums:
        return {}
    with engine_errors(name):
        (counts,) = table.aggregate(**sums).to_pyarrow().to_pylist()
    found: dict[str, dict[str, int]] = {}
    for at, (column, code) in enumerate(places):
        if number := counts[f"c{at}"]:
            found.setdefault(column, {})[code] = int(number)
    return found
