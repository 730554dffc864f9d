"""Report birth dates that a hierarchy puts into one band to hide ages over 89."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.hierarchies.number_text import parse_number, plain_number
from roadstead.hierarchies.rules import Bands, Calendar
from roadstead.printable import named
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.verbs.noticed.column_values import ColumnValues


def births_in_one_band(column: ColumnValues) -> Iterator[str]:
    """Report that every level has one band for early births, and describe how to change it."""
    if column.hierarchy is None or not is_called_a_birth(column.name):
        return
    match column.hierarchy.levels[0].rule:
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
    if early:
        yield (
            f"{column.counted(early)} are in one band at every level, {band}. Safe Harbor requires "
            "one category for births that show an age over 89. To change the band, change `bottom` "
            f"in the hierarchy of {named(column.name)}."
        )
