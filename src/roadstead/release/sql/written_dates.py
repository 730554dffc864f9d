"""Write SQL that reads dates, for every way of writing dates in a form.

In each way, dates have a fixed width, so the parts of a date are at known positions. Days and
months with one digit, with two digits, and names of months are separate ways. If the unit of the
rule does not need more detail, a partial date is read as the first day of its year or month.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.calendar_units import TOO_FINE
from roadstead.hierarchies.rules import Calendar
from roadstead.hierarchies.written_dates import (
    FIRST_SERIAL,
    LAST_SERIAL,
    LIKE_YEARS,
    months,
)
from roadstead.release.sql.literals import text, without_sql

DAY_OF_SERIAL = "ROADSTEAD_DAY_OF_SERIAL"
"""A placeholder for the ISO day of an Excel date number. Each dialect replaces it."""

_FORM = re.compile(r"%[Yymdb]|%B|[^%\w\\]", re.ASCII)
_WIDTHS = {"%Y": (4,), "%y": (2,), "%m": (2, 1), "%d": (2, 1)}
_NAMED = ("%b", "%B")
_PARTS = (("%Y", "%y"), ("%m", "%b", "%B"), ("%d",))
_TIMES = (" 00:00", " 00:00:00", " 00:00:00.000", " 00:00:00.000000")
_ZONES = ("", "Z", "+00", "+00:00", "-00:00")


@dataclass(frozen=True)
class DateInSql:
    """A way to write a date: the condition for the text, and the ISO form of the date."""

    fits: str
    iso: str


def ways(rule: Calendar, looks: str, value: str) -> Iterator[DateInSql]:
    """Yield all ways in which the dates of a rule are written.

    `looks` is the column that contains the shape of the text, in which each digit is 0. `value` is
    the column that contains the text.
    """
    plain = f"TRIM({value})"
    if rule.form is None:
        fits = f"{looks} LIKE '0000-00-00%' AND {_is_time(f'SUBSTRING({looks}, 11)')}"
        yield DateInSql(fits, f"SUBSTRING({plain}, 1, 10)")
    else:
        yield from _of_form(rule.form, rule.pivot, looks, plain)
    century = f"SUBSTRING({plain}, 1, 1) IN ('1', '2')"
    if rule.unit not in TOO_FINE["month"]:
        yield DateInSql(f"{looks} = '0000-00' AND {century}", f"{plain} || '-01'")
    if rule.unit not in TOO_FINE["year"] and not rule.serials:
        yield DateInSql(f"{looks} = '0000' AND {century}", f"{plain} || '-01-01'")
    if rule.serials:
        yield from _serials(looks, plain)


def _of_form(form: str, pivot: int | None, looks: str, plain: str) -> Iterator[DateInSql]:
    parts = _FORM.findall(form)
    chosen = [next((p for p in parts if p in names), None) for names in _PARTS]
    known = "".join(parts) == form and sum(len(p) > 1 for p in parts) == len(_PARTS)
    if not known or None in chosen:
        raise PolicyError(
            f"SQL cannot read dates of the form {quoted(form)}",
            fix=(
                "write the dates as %Y-%m-%d, or in another form with a year (%Y), a month (%m or "
                "%b), and a day (%d), or "
            )
            + without_sql(),
        )
    for widths in product(*(_widths(part) for part in parts)):
        texts, at = {}, 1
        for part, width in zip(parts, widths, strict=True):
            if len(part) > 1:
                texts[part] = _part(part, f"SUBSTRING({plain}, {at}, {width})", width, pivot)
            at += width
        shape = "".join(_look(part, width) for part, width in zip(parts, widths, strict=True))
        yield DateInSql(
            f"{looks} {'LIKE' if '_' in shape else '='} {text(shape)}",
            " || '-' || ".join(texts[str(part)] for part in chosen),
        )


def _widths(part: str) -> Iterable[int]:
    return sorted({*map(len, months())}) if part in _NAMED else _WIDTHS.get(part, (1,))


def _look(part: str, width: int) -> str:
    """Return the shape of a part. The name of a month may contain any characters."""
    return "_" * width if part in _NAMED else "0" * width if part in _WIDTHS else part


def _part(part: str, written: str, width: int, pivot: int | None) -> str:
    """Return SQL for the four digits of a year, or for the two digits of a month or day."""
    if part == "%y":
        century, year = divmod(pivot or 0, 100)
        later = f"WHEN {written} >= '{year:02d}' THEN '{century:02d}' ELSE '{century + 1:02d}'"
        return f"CASE {later} END || {written}"
    if part in _NAMED:
        cases = " ".join(
            f"WHEN {text(name)} THEN '{number:02d}'"
            for name, number in months().items()
            if len(name) == width
        )
        return f"CASE LOWER({written}) {cases} END"
    return f"'0' || {written}" if width == 1 else written


def _serials(looks: str, plain: str) -> Iterator[DateInSql]:
    for width in range(len(str(FIRST_SERIAL)), len(str(LAST_SERIAL)) + 1):
        number = f"CAST(SUBSTRING({plain}, 1, {width}) AS INT)"
        zeros = "0" * width
        fits = (
            f"({looks} = '{zeros}' OR ({looks} LIKE '{zeros}.0%' "
            f"AND REPLACE({looks}, '0', '') = '.'))"
        )
        yield DateInSql(
            fits,
            f"CASE WHEN {number} BETWEEN {FIRST_SERIAL} AND {LAST_SERIAL} AND {number} "
            f"NOT BETWEEN {LIKE_YEARS[0]} AND {LIKE_YEARS[-1]} "
            f"THEN {DAY_OF_SERIAL}({number}) END",
        )


def _is_time(rest: str) -> str:
    """Return the SQL condition that the text after a date is empty or a time of day."""
    times = [time + zone for time in _TIMES for zone in _ZONES]
    return f"REPLACE({rest}, 'T', ' ') IN ({', '.join(map(text, ['', *times]))})"
