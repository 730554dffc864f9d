"""Read the dates in a column whose values may have different forms."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from roadstead.hierarchies.date_forms import usual_form
from roadstead.hierarchies.written_dates import ReadDate, WrittenForm
from roadstead.policies.interval_ends import calendar_of
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.tables.identifiers.contents import is_date

_SAMPLED = 200
_MOSTLY = 0.5


def form_of_dates(column: ColumnValues) -> WrittenForm | None:
    """Return the most frequent form of dates in a column, or None if most values are not dates.

    The form comes from the hierarchy, or from a few evenly spaced values.
    """
    calendar = None if column.hierarchy is None else calendar_of(column.hierarchy)
    if calendar is not None:
        return calendar.written
    step = max(len(column.records) // _SAMPLED, 1)
    some = [*islice(column.records, 0, None, step)]
    if sum(map(is_date, some)) <= _MOSTLY * len(some):
        return None
    return usual_form(some)


def days_read(column: ColumnValues) -> Mapping[str, ReadDate]:
    """Return the values that are dates in the most frequent form."""
    form = form_of_dates(column)
    if form is None:
        return {}
    read = {value: form.read(value) for value in column.records}
    return {value: day for value, day in read.items() if day is not None}
