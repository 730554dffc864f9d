"""Report birth dates that a hierarchy puts into one band to hide ages over 89."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import parse_number, plain_number
from roadstead.hierarchies.rules import Bands, Calendar
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.printable import named
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.noticed.column_values import ColumnValues


def births_in_one_band(column: ColumnValues) -> Iterator[str]:
    """Report that every level has one band for early births, and say how to change the band."""
    made = column.hierarchy
    if made is None or made.births_compared_with or not is_called_a_birth(column.name):
        return
    match made.levels[0].rule:
        case Calendar() as rule if rule.before is not None:
            days = {value: rule.date_of(value) for value in column.records}
            early = [value for value, day in days.items() if day is not None and rule.is_early(day)]
            band = rule.before
        case Bands(bottom=bottom) if bottom is not None:
            numbers = {value: parse_number(value) for value in column.records}
            early = [value for value, one in numbers.items() if one is not None and one < bottom]
            band = f"<{plain_number(bottom)}"
        case _:
            return
    if not early:
        return
    yield (
        f"{column.counted(early)} are in one band at every level, {band}. Safe Harbor requires "
        "one category for births that show an age over 89. To change the band, change `bottom` "
        f"in the hierarchy of {named(column.name)}."
    )


def births_by_the_calendar(hierarchies: Sequence[Hierarchy]) -> Iterator[str]:
    """Report births that were compared with the current year, and say how to set a year.

    The sentences need no counts, so they are the same if the records stay in an engine.
    """
    for one in hierarchies:
        year, rule = one.births_compared_with, one.levels[0].rule
        if year is None or not isinstance(rule, Calendar | Bands) or rule.bottom is None:
            continue
        yield (
            f"Births before {rule.bottom} are in one band at every level of "
            f"{named(one.attribute)}. No other quasi-identifier is a date, so the births were "
            f"compared with this year: people born up to {year - FIRST_OLD_AGE} are over 89 at "
            f"the end of {year}. Safe Harbor requires one category for births that show an age "
            f"over 89. If the data are older, set `bottom` in the hierarchy of "
            f"{named(one.attribute)}."
        )


def births_compared_with(hierarchies: Sequence[Hierarchy]) -> dict[str, Any]:
    """Return the setting with the year that each column of births was compared with, if any."""
    years = {
        one.attribute: one.births_compared_with
        for one in hierarchies
        if one.births_compared_with is not None
    }
    return {"births_compared_with": years} if years else {}
