"""Count the days of the week that have few dates, such as Saturday and Sunday.

If most dates of a person were working days and all dates are shifted together, the shifted dates
reveal the shift, except for whole weeks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.dates import day_of
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from roadstead.tables.source import Source

_FEW: Final = 3
"""A day of the week has few dates if it has at most one third of the people of the busiest day."""
_PEOPLE: Final = 50
"""The number of people on the busiest day from which a third is not chance."""
DAYS: Final = 7


def weekdays_with_few_dates(source: Source, person: str, column: str) -> int:
    """Return the number of days of the week on which few people have a date in a column."""
    table = source.table
    cells = table.select(who=as_text(table[person]), day=day_of(table[column]))
    days = cells.filter(cells.day.notnull()).mutate(weekday=lambda own: own.day.day_of_week.index())
    each = days.group_by("weekday").aggregate(people=days.who.nunique())
    with engine_errors(source.name):
        people: list[int] = each.to_pyarrow().column("people").to_pylist()
    busiest = max(people, default=0)
    if busiest < _PEOPLE:
        return 0
    return DAYS - sum(number * _FEW > busiest for number in people)
