"""Columns whose numbers have a decimal comma (``1.117,89``) or digit groups (``1,117.89``).

Texts become plain numbers when a table is read, so that everything computes with the same numbers.
A released text file writes decimal commas again. Digit groups (``.``, ``,``, ``'``, and blanks) are
not written again: the numbers stay the same.

A column of a text file is recognized if it holds a number that can be read in one way only, and if
every value with a digit fits. ``1,117`` can be read in two ways; ``1,5`` and ``1,117.89`` cannot.
In a file with commas between cells, only the user can say that numbers have decimal commas, because
``1,5`` is often a list there.

ZIP codes that a program wrote as numbers (``91911.0``) are codes of digits again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import meaning
from roadstead.tables.source import Csv, Source

if TYPE_CHECKING:
    from ibis.expr import types as ir

Decimal: TypeAlias = Literal["comma", "point"]
"""The decimal sign of a table."""

_ROWS_OF_A_SAMPLE = 2_000
_SIGN, _WHOLE = "[+-]?", "(0|[1-9][0-9]*)"
_DIGIT = "[0-9]"


@dataclass(frozen=True)
class _Style:
    """One way to write numbers, as regular expressions of whole texts."""

    fits: str  # every number that is written so
    sure: str  # numbers that only this style explains
    shown: str  # numbers that the style changes, if the user says that it applies
    groups: tuple[str, ...]  # signs between groups of digits


def _grouped(signs: str) -> str:
    return f"[1-9][0-9]{{0,2}}({signs}[0-9]{{3}})+"


_MARKS = ("'", "\u2019", " ", "\u00a0", "\u202f")
"""Apostrophes and blanks that separate groups of digits, next to the other decimal sign."""
_MARK = f"[{''.join(_MARKS)}]"
_COMMA = _Style(
    fits=f"^{_SIGN}({_WHOLE}|{_grouped(f'([.]|{_MARK})')})(,[0-9]+)?$",
    sure=f"^{_SIGN}({_grouped(f'([.]|{_MARK})')},[0-9]+|(0|[1-9][0-9]{{3,}}),[0-9]+"
    f"|[1-9][0-9]*,([0-9]{{1,2}}|[0-9]{{4,}}))$",
    shown=f"([.,]|{_MARK})",
    groups=(".", *_MARKS),
)
_POINT = _Style(
    fits=f"^{_SIGN}({_WHOLE}|{_grouped(f'(,|{_MARK})')})([.][0-9]+)?$",
    sure=f"^{_SIGN}({_grouped(f'(,|{_MARK})')}[.][0-9]+|[1-9][0-9]{{0,2}}(,[0-9]{{3}}){{2,}})$",
    shown=f"(,|{_MARK})",
    groups=(",", *_MARKS),
)


def with_plain_numbers(source: Source, decimal: str | None, *, private: bool = False) -> Source:
    """Return the table with plain numbers, and name the columns that had another style.

    `decimal`: ``comma`` or ``point``, if the user says it; None recognizes columns of text files.
    `private`: no record decides how others are read, so only a given sign counts.
    """
    if decimal not in {None, "comma", "point"}:
        what = f"{decimal!r} is not a decimal sign"
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
        commas = _written(source, names, _COMMA, told=decimal is not None)
    if decimal != "comma":
        rest = [name for name in names if name not in commas]
        points = _written(source, rest, _POINT, told=decimal is not None)
    return _converted(source, commas, points) if commas or points else source


def with_known_commas(source: Source, commas: Sequence[str]) -> Source:
    """Return the table with plain numbers in columns that are known to have decimal commas."""
    return _converted(source, commas, []) if commas else source


def _with_whole_codes(source: Source, names: Sequence[str]) -> Source:
    """Return the table without the decimals of codes such as 91911.0, if all are whole."""
    floats = _Style("^[0-9]{1,9}[.]0+$", "[.]", "[.]", ())
    codes = _written(source, names, floats, told=False)
    if not codes:
        return source
    whole = {name: source.table[name].re_replace("^ *([0-9]+)[.]0+ *$", r"\1") for name in codes}
    return replace(source, held=source.table.mutate(**whole), whole_codes=tuple(codes))


def _may_have_commas(source: Source) -> bool:
    return isinstance(source.format, Csv) and source.format.dialect.delimiter != ","


def _written(source: Source, names: Sequence[str], style: _Style, *, told: bool) -> list[str]:
    """Return the columns in which every value with a digit fits a style, and one needs it."""
    sign = style.shown if told else style.sure
    sample = source.table if told else source.table.limit(_ROWS_OF_A_SAMPLE)
    candidates = _counted(source, sample, names, sign, style)
    return _counted(source, source.table, candidates, sign, style) if not told else candidates


def _counted(
    source: Source, table: ir.Table, names: Iterable[str], sign: str, style: _Style
) -> list[str]:
    sums = {}
    for at, name in enumerate(listed := list(names)):
        text = table[name].strip()
        fits = text.re_search(style.fits)
        sums[f"s{at}"] = (fits & text.re_search(sign)).sum()
        sums[f"o{at}"] = (text.re_search(_DIGIT) & ~fits).sum()
    if not sums:
        return []
    with engine_errors(source.name):
        (counts,) = table.aggregate(**sums).to_pyarrow().to_pylist()
    return [name for at, name in enumerate(listed) if counts[f"s{at}"] and not counts[f"o{at}"]]


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
