"""Report birth dates that a hierarchy puts into one band to hide ages over 89."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import plain_number
from roadstead.hierarchies.rules import Bands, Calendar
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.printable import named
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.numbers import change_of_levels


def band_of_births(made: Hierarchy) -> str | None:
    """Return the label of the band for early births, or None if there is no such band."""
    if not is_called_a_birth(made.attribute):
        return None
    match made.levels[0].rule:
        case Calendar() as rule:
            return rule.before
        case Bands(bottom=bottom) if bottom is not None:
            return f"<{plain_number(bottom)}"
    return None


def births_in_one_band(column: ColumnValues) -> Iterator[str]:
    """Report that every level has one band for early births, and say how to change the band."""
    made = column.hierarchy
    if made is None or made.births_compared_with or (band := band_of_births(made)) is None:
        return
    rule = made.rule(0)
    early = [value for value in column.records if rule.label(value) == band]
    if not early:
        return
    kind = "dates" if isinstance(rule, Calendar) else "intervals"
    yield (
        f"{column.counted(early)} {'is' if column.is_one(early) else 'are'} in one band at every "
        f"level: {band}. Safe Harbor requires one category for births that show an age over 89. To "
        f"change the band, {change_of_levels(kind, 'bottom', named(column.name))}."
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
    """Return the year with which each column of births was compared, as a setting."""
    years = {
        one.attribute: one.births_compared_with
        for one in hierarchies
        if one.births_compared_with is not None
    }
    return {"births_compared_with": years} if years else {}
