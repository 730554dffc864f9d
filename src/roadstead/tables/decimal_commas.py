"""Read numbers with a decimal comma (``1.117,89``) or thousands separators (``1,117.89``).

Numbers in these styles become plain numbers when a table is read. A released text file has decimal
commas again, but no thousands separators.

A style is recognized in a column if at least one number can be read only in this style, and if
every value with a digit fits the style. ``1,117`` and ``1.117`` can be read in two ways, but
``1,5`` and ``1,117.89`` cannot. If all numbers of a column can be read in two ways, Roadstead uses
the style that it recognized in other columns of the file. If the file has no such columns, the
column does not change. If commas separate the cells of a file, ``1,5`` is often a list, so only the
user can specify decimal commas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.tables.engine import literal
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import meaning
from roadstead.tables.names import require
from roadstead.tables.source import Csv, Source
from roadstead.tables.stores.names import quoted_name

Decimal: TypeAlias = Literal["comma", "point"]
"""The decimal separator of a table."""

_ROWS_OF_A_SAMPLE = 2_000
_SIGN, _WHOLE = "[+-]?", "(0|[1-9][0-9]*)"
_DIGIT = "[0-9]"


@dataclass(frozen=True)
class _Style:
    """A style of writing numbers. Its regular expressions match whole strings."""

    fits: str  # every number in this style
    sure: str  # numbers that only this style explains
    shown: str  # numbers that the style changes, if the user specifies the style
    groups: tuple[str, ...]  # signs between groups of digits


def _grouped(signs: str) -> str:
    return f"[1-9][0-9]{{0,2}}({signs}[0-9]{{3}})+"


_MARKS = ("'", "\u2019", " ", "\u00a0", "\u202f")
"""Apostrophes and blanks that may separate groups of digits."""
_MARK = f"[{''.join(_MARKS)}]"
_COMMA = _Style(
    fits=f"^{_SIGN}({_WHOLE}|{_grouped(f'([.]|{_MARK})')})(,[0-9]+)?$",
    sure=f"^{_SIGN}({_grouped(f'([.]|{_MARK})')},[0-9]+|(0|[1-9][0-9]{{3,}}),[0-9]+"
    f"|[1-9][0-9]*,([0-9]{{1,2}}|[0-9]{{4,}})|[1-9][0-9]{{0,2}}([.][0-9]{{3}}){{2,}})$",
    shown=f"([.,]|{_MARK})",
    groups=(".", *_MARKS),
)
_POINT = _Style(
    fits=f"^{_SIGN}({_WHOLE}|{_grouped(f'(,|{_MARK})')})([.][0-9]+)?$",
    sure=f"^{_SIGN}({_grouped(f'(,|{_MARK})')}[.][0-9]+|[1-9][0-9]{{0,2}}(,[0-9]{{3}}){{2,}})$",
    shown=f"(,|{_MARK})",
    groups=(",", *_MARKS),
)
_TWO_READINGS = {
    sign: _Style(
        fits=f"^{_SIGN}({_WHOLE}|[1-9][0-9]{{0,2}}[{sign}][0-9]{{3}})$",
        sure=f"[{sign}]",
        shown=f"[{sign}]",
        groups=(),
    )
    for sign in ".,"
}
"""For each sign, numbers in which the sign may separate either digit groups or decimals."""


def with_plain_numbers(source: Source, decimal: str | None, *, private: bool = False) -> Source:
    """Return the table with plain numbers, and record which columns had a different style.

    `decimal` is the decimal separator that the user specified, ``comma`` or ``point``. By default,
    the style of columns in text files is recognized. If `private` is set, only the user's separator
    counts, because no record may affect how other records are read.
    """
    if decimal not in {None, "comma", "point"}:
        what = f"{decimal!r} is not a decimal separator"
        raise SettingError(what, where=option("decimal"), fix="use comma or point")
    names = [name for name, kind in source.types.items() if kind.removeprefix("!") == "string"]
    if private and decimal is None:
        return source
    if private:
        return _converted(source, *((names, []) if decimal == "comma" else ([], names)))
    if decimal is None and not isinstance(source.format, Csv):
        return source
    source = _with_whole_codes(source, [name for name in names if meaning(name) == "zip"])
    commas, points = list[str](), list[str]()
    if decimal != "point" and (decimal is not None or _may_have_commas(source)):
        commas = _written(source, names, _COMMA, given=decimal is not None)
    if decimal != "comma":
        rest = [name for name in names if name not in commas]
        points = _written(source, rest, _POINT, given=decimal is not None)
    if decimal is None:
        rest = [name for name in names if name not in {*commas, *points}]
        unsure = _with_two_readings(source, rest)
        if commas and not points:
            commas = [name for name in names if name in {*commas, *unsure}]
        elif points and not commas:
            unsure = {name: sign for name, sign in unsure.items() if sign == ","}
            points = [name for name in names if name in {*points, *unsure}]
        source = replace(source, two_readings=unsure)
    return _converted(source, commas, points) if commas or points else source


def _with_two_readings(source: Source, names: Sequence[str]) -> dict[str, str]:
    """Return the columns whose numbers can all be read in two ways, with each column's sign."""
    signs = ".," if _may_have_commas(source) else ","
    return {
        name: sign
        for sign in signs
        for name in _written(source, names, _TWO_READINGS[sign], given=False)
    }


def with_known_commas(source: Source, commas: Sequence[str]) -> Source:
    """Return the table with plain numbers in columns that are known to have decimal commas."""
    require(tuple(commas), source.columns)
    return _converted(source, commas, []) if commas else source


def as_read(source: Source, column: str, text: str) -> str:
    """Convert a cell of a file to the form of the cell's column in the table."""
    if column in source.whole_codes:
        return re.sub(r"^ *([0-9]+)[.]0+ *$", r"\1", text)
    commas = isinstance(source.format, Csv) and column in source.format.dialect.decimal_commas
    style = _COMMA if commas else _POINT if column in source.digit_groups else None
    plain = text.strip()
    if style is None or not re.search(style.fits, plain):
        return text
    return plain.translate({ord(sign): None for sign in style.groups}).replace(",", ".")


def _with_whole_codes(source: Source, names: Sequence[str]) -> Source:
    """Remove the decimals from codes such as 91911.0 in columns where all decimals are zero."""
    floats = _Style("^[0-9]{1,9}[.]0+$", "[.]", "[.]", ())
    codes = _written(source, names, floats, given=False)
    if not codes:
        return source
    whole = {name: source.table[name].re_replace("^ *([0-9]+)[.]0+ *$", r"\1") for name in codes}
    return replace(source, held=source.table.mutate(**whole), whole_codes=tuple(codes))


def _may_have_commas(source: Source) -> bool:
    return isinstance(source.format, Csv) and source.format.dialect.delimiter != ","


def _written(source: Source, names: Sequence[str], style: _Style, *, given: bool) -> list[str]:
    """Return the columns that show a style and in which every value with a digit fits the style."""
    if given:
        return _fitting(source, names, style.shown, style)
    candidates = _fitting(source, names, style.sure, style, rows=_ROWS_OF_A_SAMPLE)
    return _fitting(source, candidates, style.sure, style)


def _fitting(
    source: Source, names: Sequence[str], sign: str, style: _Style, rows: int | None = None
) -> list[str]:
    """Return the columns that fit a style in all rows or in the first rows."""
    if not names:
        return []
    count = _counted_columns if source.texts is None else _counted_texts
    with engine_errors(source.name):
        counts = count(source, names, (style.fits, sign, _DIGIT), rows)
    return [
        name
        for at, name in enumerate(names)
        if counts[f"shown_{at}"] and not counts[f"others_{at}"]
    ]


def _counted_texts(
    source: Source, names: Sequence[str], forms: tuple[str, str, str], rows: int | None
) -> Mapping[str, int]:
    """Count the strings that show a style, and the strings with a digit that do not fit it."""
    assert source.texts is not None  # noqa: S101 - the caller chose
    fits, sign, digit = map(literal, forms)
    counts = []
    for at, name in enumerate(names):
        text = f"trim({quoted_name(name)})"
        fit = f"regexp_matches({text}, {fits})"
        counts.append(f"count_if({fit} AND regexp_matches({text}, {sign})) AS shown_{at}")
        counts.append(f"count_if(regexp_matches({text}, {digit}) AND NOT {fit}) AS others_{at}")
    limit = "" if rows is None else f" LIMIT {rows}"
    part = f"(FROM {quoted_name(source.texts.name)}{limit})"
    query = f"SELECT {', '.join(counts)} FROM {part}"  # noqa: S608 - quoted names
    return {name: values[0] for name, values in source.texts.columns_of(query).items()}


def _counted_columns(
    source: Source, names: Sequence[str], forms: tuple[str, str, str], rows: int | None
) -> Mapping[str, int]:
    fits, sign, digit = forms
    table = source.table if rows is None else source.table.limit(rows)
    sums = {}
    for at, name in enumerate(names):
        text = table[name].strip()
        fit = text.re_search(fits)
        sums[f"shown_{at}"] = (fit & text.re_search(sign)).sum()
        sums[f"others_{at}"] = (text.re_search(digit) & ~fit).sum()
    (counts,) = table.aggregate(**sums).to_pyarrow().to_pylist()
    return dict(counts)


def _converted(source: Source, commas: Sequence[str], points: Sequence[str]) -> Source:
    import ibis  # noqa: PLC0415 - heavy

    made = {}
    for names, style in ((commas, _COMMA), (points, _POINT)):
        for name in names:
            text = source.table[name]
            plain = text.strip()
            for group in style.groups:
                plain = plain.replace(group, "")
            made[name] = ibis.ifelse(
                text.strip().re_search(style.fits), plain.replace(",", "."), text
            )
    held = source.table.mutate(**made)
    written = source.format
    if isinstance(written, Csv):
        written = Csv(replace(written.dialect, decimal_commas=tuple(commas)))
    return replace(source, held=held, format=written, digit_groups=tuple(points))
