"""Write SQL that reads numbers with open ends (``> 89``, ``90+``) and units (``045Y``).

The SQL splits a string at the first digits. A sign may precede the digits, and a unit or an open
end may follow. SQL recognizes only the signs, units, and ends that this module lists. So SQL never
returns a label that Roadstead would not return. Strings without digits get a separate label, as in
all other rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from roadstead.hierarchies.number_text import name_interval
from roadstead.hierarchies.rules import Bands, Cuts
from roadstead.hierarchies.written_numbers import APART
from roadstead.release.sql.exact_numbers import decimal
from roadstead.release.sql.literals import column, text, texts

_LEAST: Final = (">=", "=>", "\u2265", "at least")
_ABOVE: Final = (">", "over", "above", "older than", "more than", "greater than")
_MOST: Final = ("<=", "=<", "\u2264", "at most", "up to")
_BELOW: Final = ("<", "under", "below", "younger than", "less than")
_YEARS: Final = ("y", "yr", "yrs", "year", "years", "yo", "y/o")
_SMALL: Final = {  # units, each with its length in years as a fraction
    ("m", "mo", "mos", "mth", "mths", "month", "months"): (1, 12),
    ("w", "wk", "wks", "week", "weeks"): (10_000, 521_786),
    ("d", "day", "days"): (4, 1_461),
    ("h", "hr", "hrs", "hour", "hours"): (1, 8_766),
}
_ENDS: Final = ("+", "plus", "and over", "and older", "and above", "or over", "or older", "or more")
_LONGEST: Final = {"ages": 6, "mixed": 15}
"""The largest number of digits in a number with a sign or a unit."""


@dataclass(frozen=True)
class WrittenSql:
    """The columns of a written number. A column is null if the text does not contain such a number.

    `number` is a single number. `low` is the lower end of an interval without an upper end. `high`
    is the excluded upper end of an interval without a lower end. `looks` is the shape of the text.
    """

    number: str
    low: str
    high: str
    looks: str
    shapes: dict[str, str]
    numbers: dict[str, str]


def written_steps(
    name: str, rule: Bands | Cuts, fresh: Callable[[str], str], plain: str, kind: str
) -> WrittenSql:
    """Return the steps that read a column of written numbers.

    `plain` is the expression for a number without a sign or a unit. `kind` is the SQL type of exact
    numbers.
    """
    sign, digits, unit, looks, number, low, high = (
        fresh(f"{name}_{what}")
        for what in ("sign", "digits", "unit", "look", "number", "at_least", "below")
    )
    shapes = _split(column(name), (sign, digits, unit, looks))
    parts = _Parts(rule, column(sign), column(digits), column(unit), kind)
    single, least, below = parts.single(plain), parts.low(), parts.high()
    made = {number: single, low: least, high: below}
    return WrittenSql(number, low, high, looks, shapes, made)


def written_label(names: WrittenSql, rule: Bands | Cuts, value: str, of_number: str) -> str:
    """Return SQL for the label of a written number. `of_number` is the label of a single number."""
    number, low, high, looks = map(column, (names.number, names.low, names.high, names.looks))
    top, bottom = _open_ends(rule)
    apart = text(APART)
    above = below = apart
    if top is not None:
        label = text(name_interval(top, None, integer=rule.integer))
        above = f"CASE WHEN {low} >= {decimal(top)} THEN {label} ELSE {apart} END"
    if rule.form == "ages":
        first = rule.interval("0")
        if first is not None:
            label = text(name_interval(*first, integer=rule.integer))
            within = "" if first[1] is None else f"WHEN {high} > {decimal(first[1])} THEN {apart} "
            below = f"CASE {within}WHEN {high} IS NOT NULL THEN {label} END"
    elif bottom is not None:
        label = text(name_interval(None, bottom, integer=rule.integer))
        below = f"CASE WHEN {high} <= {decimal(bottom)} THEN {label} ELSE {apart} END"
    return (
        f"CASE WHEN {value} = '' THEN '' WHEN {number} IS NOT NULL "
        f"THEN COALESCE({of_number}, {apart}) WHEN {low} IS NOT NULL THEN {above} "
        f"WHEN {high} IS NOT NULL THEN {below} WHEN {looks} LIKE '%0%' THEN NULL ELSE {apart} END"
    )


def _open_ends(rule: Bands | Cuts) -> tuple[Decimal | None, Decimal | None]:
    """Return the lower end of the interval without an upper end, and the end of the other one."""
    if isinstance(rule, Bands):
        return rule.top, rule.bottom
    return max(rule.cuts, default=None), min(rule.cuts, default=None)


def _split(value: str, names: tuple[str, str, str, str]) -> dict[str, str]:
    """Return the steps that split a string at the first digits.

    The steps compute the text before the digits, the digits, the text after the digits, and the
    shape.
    """
    sign, digits, unit, looks = names
    small = f"LOWER(TRIM({value}))"
    shape = f"TRANSLATE({small}, '123456789', '000000000')"
    start = f"STRPOS({shape}, '0')"
    after = f"LTRIM(SUBSTRING({shape}, {start}), '0.')"
    before = f"LENGTH({small}) - LENGTH({after})"
    return {
        sign: f"CASE WHEN {shape} LIKE '%0%' THEN RTRIM(SUBSTRING({small}, 1, "
        f"CAST({start} - 1 AS INT))) END",
        digits: f"CASE WHEN {shape} LIKE '%0%' THEN SUBSTRING({small}, CAST({start} AS INT), "
        f"CAST({before} - {start} + 1 AS INT)) END",
        unit: f"CASE WHEN {shape} LIKE '%0%' THEN LTRIM({after}) END",
        looks: shape,
    }


@dataclass(frozen=True)
class _Parts:
    """The columns that contain the parts of a string."""

    rule: Bands | Cuts
    sign: str
    digits: str
    unit: str
    kind: str

    @property
    def _ages(self) -> bool:
        return self.rule.form == "ages"

    @property
    def _units(self) -> tuple[str, ...]:
        """Return the strings that may follow a number in years or a number without a unit."""
        return tuple(_with_old(("", *_YEARS))) if self._ages else ("",)

    def _is_whole(self) -> str:
        looks = f"TRANSLATE({self.digits}, '123456789', '000000000')"
        longest = _LONGEST[self.rule.form]
        return f"LENGTH({self.digits}) <= {longest} AND REPLACE({looks}, '0', '') = ''"

    def _is_number(self) -> str:
        """Return the SQL condition that the engine can cast the digits to a number."""
        if self._ages:
            return self._is_whole()
        looks = f"TRANSLATE({self.digits}, '123456789', '000000000')"
        return (
            f"LENGTH({self.digits}) <= {_LONGEST[self.rule.form]} AND {looks} LIKE '%0' "
            f"AND REPLACE({looks}, '0', '') IN ('', '.') AND NOT {looks} LIKE '%.{'0' * 10}%'"
        )

    def _cast(self) -> str:
        return f"CAST({self.digits} AS {self.kind})"

    def single(self, plain: str) -> str:
        """Return SQL for the number in a string that contains one number."""
        if not self._ages:
            return plain
        cases = [f"WHEN {self._is_whole()} AND {self.sign} = '' AND {self._in_years()}"]
        cases[0] += f" THEN {self._cast()}"
        for words, share in _SMALL.items():
            cases.append(
                f"WHEN {self._is_whole()} AND {self.sign} = '' AND {self._is_unit(words)} "
                f"THEN CAST(FLOOR({self._share(share)}) AS {self.kind})"
            )
        cases.append(f"WHEN ({plain}) >= 0 THEN FLOOR({plain})")
        return f"CASE {' '.join(cases)} END"

    def low(self) -> str:
        """Return SQL for the lower end of an interval that has only a lower end."""
        number, whole = self._cast(), self.rule.integer or self._ages
        up = f"CEIL({number})" if whole and not self._ages else number
        above = f"FLOOR({number}) + 1" if whole else number
        years = self._in_years()
        ending = f"{self.unit} IN ({texts(self._ends())})"
        cases = [
            f"WHEN {self._is_number()} AND (({self.sign} IN ({texts(_LEAST)}) AND {years}) "
            f"OR ({self.sign} = '' AND {ending})) THEN {up}",
            f"WHEN {self._is_number()} AND {self.sign} IN ({texts(_ABOVE)}) AND {years} "
            f"THEN {above}",
        ]
        if self._ages:
            both = texts((*_LEAST, *_ABOVE))
            cases += (
                f"WHEN {self._is_whole()} AND {self.sign} IN ({both}) AND {self._is_unit(words)} "
                f"THEN CAST(FLOOR({self._share(share)}) AS {self.kind})"
                for words, share in _SMALL.items()
            )
        return f"CASE {' '.join(cases)} END"

    def high(self) -> str:
        """Return SQL for the excluded upper end of an interval that has only an upper end."""
        number, years = self._cast(), self._in_years()
        whole = self.rule.integer or self._ages
        up = f"CEIL({number})" if whole else number
        cases = [f"WHEN {self._is_number()} AND {self.sign} IN ({texts(_BELOW)}) AND {years}"]
        cases[0] += f" THEN {self._at_least_one(up)}"
        if whole:  # Otherwise, a band cannot end there.
            cases.append(
                f"WHEN {self._is_number()} AND {self.sign} IN ({texts(_MOST)}) AND {years} "
                f"THEN {self._at_least_one(f'FLOOR({number}) + 1')}"
            )
        if self._ages:
            for words, share in _SMALL.items():
                part = self._share(share)
                for signs, end in ((_BELOW, f"CEIL({part})"), (_MOST, f"FLOOR({part}) + 1")):
                    cases.append(
                        f"WHEN {self._is_whole()} AND {self.sign} IN ({texts(signs)}) AND "
                        f"{self._is_unit(words)} "
                        f"THEN {self._at_least_one(f'CAST({end} AS {self.kind})')}"
                    )
        return f"CASE {' '.join(cases)} END"

    def _at_least_one(self, end: str) -> str:
        return f"GREATEST({end}, 1)" if self._ages else end

    def _in_years(self) -> str:
        return f"{self.unit} IN ({texts(self._units)})"

    def _is_unit(self, words: Iterable[str]) -> str:
        return f"{self.unit} IN ({texts(_with_old(words))})"

    def _share(self, share: tuple[int, int]) -> str:
        """Return SQL for a number of years as a quotient, which is exact for whole numbers."""
        times, of = share
        return f"CAST({self.digits} AS INT) * CAST({times} AS DOUBLE) / {of}"

    def _ends(self) -> list[str]:
        words = ("", *_YEARS) if self._ages else ("",)
        return [f"{word}{gap}{end}" for word in words for end in _ENDS for gap in _gaps(word)]


def _gaps(word: str) -> tuple[str, ...]:
    return ("", " ") if word else ("",)


def _with_old(words: Iterable[str]) -> list[str]:
    return [f"{word}{end}" for word in words for end in ("", " old")]
