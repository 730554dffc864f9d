"""Find incomplete or ambiguous dates, and describe how to declare their meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from roadstead.front_end import worded
from roadstead.hierarchies.date_forms import fitting_forms, is_day_in_use
from roadstead.hierarchies.rules import Calendar, Everything, Identity
from roadstead.hierarchies.spreadsheet_ranges import turned_into_dates
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.policies.interval_ends import calendar_of
from roadstead.printable import named
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.days_read import form_of_dates

_CALLED_A_DATE = re.compile(
    r"(^|[^a-z])(date|dob|birth|born|admi(t|ssion)|dischar|visit|onset|death|died)|(date|dt)$",
    re.IGNORECASE,
)
_EXAMPLE_OF_A_DAY = "44197 is 2021-01-01"
_MOST_NAMED = 4
_ANY_PIVOT = 1930


def dates(column: ColumnValues) -> Iterator[str]:
    """Report incomplete dates, and numbers that are read as dates, with a suitable declaration."""
    if column.hierarchy is None or not column.records:
        return
    calendar = calendar_of(column.hierarchy)
    if calendar is not None:
        yield from _of_read(column, calendar)
    else:
        yield from _of_unread(column)


def ranges_that_became_dates(name: str, values: Collection[str]) -> Iterator[str]:
    """Report ranges that a spreadsheet program converted to dates.

    A sentence may contain a day and a month, because they do not identify a person.
    """
    found = turned_into_dates([*values])
    if found:
        shown = [*found][:_MOST_NAMED]
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        what, like = "the value", "looks like an age group that a spreadsheet turned into a date"
        if len(found) > 1:
            what, like = "the values", "look like age groups that a spreadsheet turned into dates"
        yield (
            f"In {named(name)}, {what} {_listed(shown)}{more} {like} (probably "
            f"{', '.join(found[one] for one in shown)})."
        )


def _of_read(column: ColumnValues, calendar: Calendar) -> Iterator[str]:
    if calendar.form and calendar.unit == "year" and len(fitting_forms([*column.records])) > 1:
        yield (
            f"In {named(column.name)}, day and month cannot be distinguished, so only the year is "
            "used."
        )
    read = {value: calendar.written.read(value) for value in column.records}
    short = [value for value, one in read.items() if one is not None and one.finest != "day"]
    if short and len(short) < len(read):
        yield (
            f"{column.counted(short)} have only a year or a month, so levels begin at the "
            f"{calendar.unit}."
        )
    plain = WrittenForm(calendar.form, calendar.pivot)
    numbers = [value for value, one in read.items() if one is not None and not plain.read(value)]
    if numbers:
        yield (
            f"{column.counted(numbers)} are numbers, which were read as days stored by Excel "
            f"({_EXAMPLE_OF_A_DAY})."
        )


def _of_unread(column: ColumnValues) -> Iterator[str]:
    name, values = column.name, [*column.records]
    if forms := [one for one in fitting_forms(values) if one.has_two_digit_years]:
        written = " or ".join(str(one.form) for one in forms)
        declared = {"kind": "dates", "form": str(forms[0].form), "pivot": _ANY_PIVOT}
        yield (
            f"The values of {named(name)} look like dates with two-digit years ({written}), which "
            f"do not include the century. {to_declare(name, declared)}. With this pivot, 30 is "
            "1930 and 29 is 2029."
        )
    elif _CALLED_A_DATE.search(name) and all(map(is_day_in_use, values)):
        declare = to_declare(name, {"kind": "dates", "serials": True})
        yield (
            f"The values of {named(name)} may be days stored by Excel ({_EXAMPLE_OF_A_DAY}). If "
            f"they are, {declare[0].lower()}{declare[1:]}."
        )
    else:
        yield from _of_other_forms(column)


def _of_other_forms(column: ColumnValues) -> Iterator[str]:
    """Report a column of dates that has no levels for dates, and the values that are the cause."""
    made = column.hierarchy
    if made is None or not all(isinstance(x.rule, Identity | Everything) for x in made.levels):
        return
    form = form_of_dates(column)
    if form is None:
        return
    reader = replace(form, pivot=_ANY_PIVOT) if form.has_two_digit_years else form
    odd = [value for value in column.records if reader.read(value) is None]
    if not odd:
        yield (
            f"All values of {named(column.name)} are dates, but its hierarchy can only keep or "
            f"remove whole dates. To get levels for dates, {_to_propose()}."
        )
        return
    one = column.is_one(odd)
    ages = ""
    if is_called_a_birth(column.name):
        ages = ", and births that show an age over 89 are not in one band"
    yield (
        f"{column.counted(odd)} {'is not a date' if one else 'are not dates'} in the same "
        f"form as the other values ({form.form or '%Y-%m-%d'}), so the column has no "
        f"levels for dates{ages}. {column.correction(odd)}"
    )


def _to_propose() -> str:
    return worded(
        command="remove the line of this column under [hierarchies]",
        python="do not pass a hierarchy for this column",
        page="open this column in the Columns step, and return to the suggested levels",
    )


def to_declare(name: str, spec: Mapping[str, object]) -> str:
    """Describe how to declare a hierarchy in the current front end."""
    keys = ", ".join(f"{key} = {json.dumps(value)}" for key, value in spec.items())
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
    line = f"{key} = {{{keys}}}"
    return worded(
        command=f"Write {line} under [hierarchies] in a project file",
        python=f"Pass hierarchies={{{name!r}: {dict(spec)!r}}}",
        page=f"Set its hierarchy in the Columns step to {keys}",
    )


def _listed(texts: Collection[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last
