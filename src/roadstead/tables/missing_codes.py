"""Parse codes for missing values in one column (``marital=9``) or in all columns (``?``).

``COLUMN=CODE`` is one code, and ``COLUMN=LOW..HIGH`` is a range of numbers. If a code for all
columns contains an equals sign, it is written as ``*=CODE``. Blanks around a value are ignored, but
case matters. Numbers are compared as numbers: ``9`` also matches ``9.0``, which pandas writes. In
one column, ``9`` also matches ``09``. If a file shows labels in place of codes, a code matches its
label. A name such as ``codes.csv`` refers to a file with codes
(:mod:`roadstead.tables.missing_file`). In Python, the codes can also be numbers, and a mapping from
columns to codes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from types import MappingProxyType
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
_PARTS = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*?)0*)?", re.ASCII)
_LONGEST = 18
"""The length of the longest string that is compared with ranges."""


@dataclass(frozen=True)
class MissingCodes:
    """Codes for every column, and codes and ranges of numbers for single columns.

    `labels` contains the code of each label, for columns that show labels in place of codes.
    """

    everywhere: tuple[str, ...]
    of_column: dict[str, tuple[str, ...]]
    ranges: dict[str, tuple[tuple[float, float], ...]]
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.everywhere or self.of_column or self.ranges)

    def tests(self, name: str, column: ir.Column) -> dict[str, ir.BooleanValue]:
        """Return, for each code and range, the condition that a value matches the code or range."""
        import ibis  # noqa: PLC0415 - heavy

        if column.type().is_nested():
            return {}
        text = as_text(column).strip()
        tests = {
            code: text == code if form is None else text.re_search(f"^(?:{form})$")
            for code, form in self._forms(name).items()
        }
        for low, high in self.ranges.get(name, ()):
            plain = text.re_search(f"^{_NUMBER}$") & (text.length() <= _LONGEST)
            number = plain.ifelse(text, ibis.null("string")).cast("float64")
            within = number.between(low, high).fill_null(ibis.literal(value=False))
            tests[f"{low:.15g}..{high:.15g}"] = within
        for label, own in self.labels.get(name, {}).items():
            if (code := self.matching(name, own)) is not None:
                tests[code] |= text == label
        return tests

    def _forms(self, name: str) -> dict[str, str | None]:
        """Return the codes of a column. Each number has the pattern of its notations."""
        own = self.of_column.get(name, ())
        listed = [(code, "0*") for code in sorted(own)]
        listed += [(code, "") for code in self.everywhere if code not in own]
        found: dict[str, str | None] = {}
        for code, zeros in listed:
            if not any(form and re.fullmatch(form, code) for form in found.values()):
                found[code] = _notations(code, zeros)
        return dict(sorted(found.items()))

    def matching(self, name: str, text: str) -> str | None:
        """Return the code or range that contains a value, or None. `tests` has the same form."""
        for code, form in self._forms(name).items():
            if text == code if form is None else re.fullmatch(form, text):
                return code
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


def spellings(code: str) -> tuple[str, ...]:
    """Return a code, and the form in which pandas writes the code if it is a whole number."""
    return (code, f"{code}.0") if re.fullmatch(r"-?\d+", code, re.ASCII) else (code,)


def _notations(code: str, zeros: str) -> str | None:
    """Return a pattern for the notations of a number, or None for other strings.

    `zeros` is a pattern for the zeros before the number. A decimal comma is also possible.
    """
    if (parts := _PARTS.fullmatch(code)) is None:
        return None
    sign, whole, decimals = parts.groups()
    written = zeros + (whole if zeros else code.lstrip("+-").partition(".")[0])
    rest = rf"[.,]{decimals}0*" if decimals else r"(?:\.0*|,0{1,2})?"
    return f"{'-' if sign == '-' else '[+]?'}{written}{rest}"


def missing_codes(
    markers: Sequence[str],
    columns: Sequence[str],
    labels: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> MissingCodes:
    """Parse codes. Raises SettingError for an empty range and for a column that does not exist.

    `labels` contains the code of each label that a column shows.
    """
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
    return MissingCodes(tuple(sorted(everywhere - {""})), of_column, ranges, labels)


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
