"""Find values that may mean "missing", such as outlying numbers and dates, or words such as NA.

A number is *outlying* if its distance to the nearest other number is larger than the range of all
other numbers, for example 999 among ages from 18 to 85. A negative code, such as -9, is also
outlying if no other number is negative. Outlying numbers are reported if they are usual codes (9,
98, 999, -8, and so on) and occur in enough records. In an age column, any outlying number above 120
is also reported. In other columns of measurements, a 0 is reported if its distance is at least
three times the range. Among the categories 1, 2, 3, 4, and 9, the gap between 4 and 9 shows that 9
is not the next category.

A usual code that is outlying in one column is also reported in other columns, even in few records,
if it is below or above all their other numbers. For example, a column of weights contains -999 in
twenty records, and a column of ZIP codes contains it in two records.

A date is reported if its year is after 2100. The first date of a calendar, such as 1900-01-01, is
reported if it occurs in ten times as many records as the median date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from statistics import median

from roadstead.front_end import option
from roadstead.hierarchies.number_text import parse_number
from roadstead.printable import named
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.days_read import days_read
from roadstead.reports.wording import counted
from roadstead.tables.codebooks.shown import with_label
from roadstead.tables.identifiers.vocabulary import is_called, meaning
from roadstead.tables.persons.usual_period import FIRST_DATES, HEAP, LAST_YEAR
from roadstead.tables.profile import MARKERS

_MOSTLY = 0.8
_MOST_CODES = 4
"""The largest number of codes at one end of a column."""
_MANY = 20
"""The minimum number of distinct values in a column of measurements."""
_VERY_FAR = 3
"""The minimum distance of a code as a multiple of the range."""
_USUAL = re.compile(r"-?(77+|88+|9+|9+[678])(\.0+)?|-[1-9](\.0+)?", re.ASCII)
_NEGATIVE = re.compile(r"-(9+|9*[678])(\.0+)?", re.ASCII)
"""The pattern matches the usual negative codes."""
_SMALL_NEGATIVE = re.compile(r"-[1-9](\.0+)?", re.ASCII)
_RELATIVE = re.compile(
    r"day|dy\d?$|visit|week|month|diff|change|chg|delta|offset|relative|lag|score", re.IGNORECASE
)
"""The pattern matches columns in which small negative numbers can be real values."""
_OLDEST = 120
"""The maximum age of a person in years."""
_GAP = 3
_FEW_CATEGORIES = 7
_REFUSALS = re.compile(
    r"refus(ed|al)|declined?( to (answer|state))?|prefers? not to (say|answer)|don'?t know"
    r"|do not know|not (asked|stated|applicable|known|reported|answered|specified)"
    r"|no (answer|reply)"
    r"|keine angabe|k\.? ?a\.?|weiss nicht|weiß nicht|verweigert|inconnu|non renseigné|no sabe"
    r"|no contesta|onbekend|unbekannt|desconocido|sconosciuto",
    re.IGNORECASE,
)
_COUNTRY = re.compile(r"[A-Z]{2}")
_NAMIBIA = "NA"


def missing_codes(column: ColumnValues) -> Iterator[str]:
    """Count the values that may mean "missing", and describe how to declare them."""
    enough = set(column.frequent)
    far = _far_numbers(column, enough)
    for value in far:
        if not _has_other_meaning(column, value):
            yield _proposal(column, [value], "far from all other values")
    for value in _far_dates(column, enough):
        yield _proposal(column, [value], "a date that programs use for a missing date")
    if words := sorted(one for one in enough.difference(far) if _is_word(column, one)):
        if words == [_NAMIBIA] and _are_countries(column):
            yield _proposal(column, words, "the code of Namibia among codes of countries")
        else:
            yield _proposal(column, words, "")


def codes_in(column: ColumnValues) -> list[str]:
    """Return the outlying numbers that are usual codes."""
    far = _far_numbers(column, set(column.frequent))
    usual = [value for value in far if _USUAL.fullmatch(value.strip())]
    return [value for value in usual if not _has_other_meaning(column, value)]


def known_codes(codes: Mapping[str, Sequence[str]]) -> dict[Decimal, str]:
    """Return the first column with each code. `codes` contains the codes of each column."""
    parsed = ((parse_number(value), name) for name, own in codes.items() for value in own)
    columns: dict[Decimal, str] = {}
    for number, name in parsed:
        if number is not None:
            columns.setdefault(number, name)
    return columns


def codes_of_others(
    column: ColumnValues, known: Mapping[Decimal, str], own: Sequence[str]
) -> Iterator[str]:
    """Propose the codes of other columns (`known`) that are not among the codes `own`."""
    numbers = {value: parse_number(value) for value in column.records}
    rest = [number for number in numbers.values() if number is not None and number not in known]
    relative = _RELATIVE.search(column.name) is not None
    for value, number in numbers.items():
        if number is None or number not in known or value in own:
            continue
        inside = bool(rest) and min(rest) <= number <= max(rest)
        real = relative and _SMALL_NEGATIVE.fullmatch(value.strip())
        if not inside and not real and not _has_other_meaning(column, value):
            yield _proposal(
                column, [value], f"which may also mean missing in {named(known[number])}"
            )


def _has_other_meaning(column: ColumnValues, value: str) -> bool:
    """Return whether the label of a code gives its meaning, such as 96 = other."""
    return value.strip() in column.labels and not _is_word(column, value)


def _proposal(column: ColumnValues, values: Sequence[str], why: str) -> str:
    number = sum(column.records[value] for value in values)
    shown = with_label(values[0], column.labels) if len(values) == 1 else column.shown(values)
    codes = [f"{column.name}={value.strip()}" for value in values]
    if why:
        shown = f"{shown}, {why}"
    return (
        f"{counted(number, 'value')} of {named(column.name)} {'is' if number == 1 else 'are'} "
        f"{shown}: if {values[0] if len(values) == 1 else 'they'} "
        f"{'means' if len(values) == 1 else 'mean'} missing, use {option('missing', codes)}."
    )


def _far_numbers(column: ColumnValues, enough: set[str]) -> list[str]:
    """Return outlying values at both ends of a numeric column. These values may be codes."""
    parsed = {value: parse_number(value) for value in column.records}
    numbers = {value: number for value, number in parsed.items() if number is not None}
    if sum(column.records[value] for value in numbers) < _MOSTLY * column.total:
        return []
    left = sorted(set(numbers.values()))
    if len(left) < 2:  # noqa: PLR2004 - a code is next to other numbers
        return []
    far: set[Decimal] = set()
    for _ in range(2):  # without the codes at one end, those at the other end are farther away
        far |= {
            *_at_the_end(left),
            *(-code for code in _at_the_end([-number for number in left[::-1]])),
        }
        left = [number for number in left if number not in far]
    negative = {number for number in left if number < 0}
    below = [number for number in numbers.values() if number < 0]
    codes = all(_NEGATIVE.fullmatch(str(number)) or number in far for number in below)
    if codes and len(left) - len(negative) > 1:
        far |= negative
        left = [number for number in left if number not in negative]
    if not left:
        return []
    width = left[-1] - left[0]
    in_years = is_called(column.name, "age")
    least = width if in_years else _VERY_FAR * width
    relative = _RELATIVE.search(column.name) is not None
    measured = len(left) >= _MANY and meaning(column.name) in {"any", "age"}

    def is_code(value: str, number: Decimal) -> bool:
        apart = min(abs(number - left[0]), abs(number - left[-1])) >= least
        if relative and _SMALL_NEGATIVE.fullmatch(value.strip()):
            return False
        unusual = number > _OLDEST if in_years else number == 0
        return _USUAL.fullmatch(value.strip()) is not None or (measured and unusual and apart)

    return [
        value
        for value, number in numbers.items()
        if number in far and value in enough and is_code(value, number)
    ]


def _at_the_end(ordered: Sequence[Decimal]) -> Sequence[Decimal]:
    """Return the last numbers if the gap before them exceeds the range of the other numbers."""
    for many in range(min(_MOST_CODES, len(ordered) - 2), 0, -1):
        rest, codes = ordered[:-many], ordered[-many:]
        gap, width = codes[0] - rest[-1], rest[-1] - rest[0]
        categories = width < _FEW_CATEGORIES and width == len(rest) - 1 and gap >= _GAP
        if codes[-1] - codes[0] <= gap and (gap > width or categories):
            return codes
    return ()


def _far_dates(column: ColumnValues, enough: set[str]) -> list[str]:
    dates = {value: read.first for value, read in days_read(column).items() if read.finest == "day"}
    if sum(column.records[value] for value in dates) < _MOSTLY * column.total:
        return []
    usual = median(column.records[value] for value in dates)
    return [
        value
        for value, day in dates.items()
        if value in enough
        and (
            day.year > LAST_YEAR
            or (day.isoformat() in FIRST_DATES and column.records[value] >= HEAP * usual)
        )
    ]


def _is_word(column: ColumnValues, value: str) -> bool:
    """Return whether a value, or the label of a code, is a word such as "refused"."""
    text, label = value.strip(), column.labels.get(value.strip(), "").strip()
    none = label.lower() == "none"  # "none" is an answer, such as no religion
    texts = [one for one in (text, "" if none else label) if one]
    return any(one.lower() in MARKERS or _REFUSALS.fullmatch(one) for one in texts)


def _are_countries(column: ColumnValues) -> bool:
    """Return whether nearly all values are codes of two letters."""
    codes = [value for value in column.records if _COUNTRY.fullmatch(value.strip())]
    return len(codes) > _MOST_CODES and (
        sum(column.records[value] for value in codes) >= _MOSTLY * column.total
    )
