"""Days of the week with few dates are counted in people, and small tables are no evidence."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa
import pytest

from roadstead.tables.persons.weekdays import weekdays_with_few_dates
from roadstead.tables.reading import read

_MONDAY = date(2024, 1, 1)


@pytest.mark.parametrize(
    ("people", "few"),
    [
        ((60, 60, 60, 60, 60, 60, 60), 0),
        ((60, 60, 60, 60, 60), 2),
        ((60, 60, 60, 60, 60, 20, 21), 1),  # a third is few
        ((60, 3, 3, 3, 3, 3, 3), 6),
        ((50, 50, 50, 50, 50), 2),
        ((49, 49, 49, 49, 49), 0),  # too few people
    ],
)
def test_days_with_at_most_a_third_of_the_people_are_counted(
    people: tuple[int, ...], few: int
) -> None:
    """Two dates of a person on the same day of the week count once."""
    rows = [
        (f"p{who}", _MONDAY + timedelta(days=weekday + weeks))
        for weekday, number in enumerate(people)
        for who in range(number)
        for weeks in (0, 7)
    ]
    table = pa.table(
        {
            "who": pa.array([who for who, _ in rows], pa.string()),
            "seen": pa.array([f"{day}" for _, day in rows], pa.string()),
        }
    )
    with read(table) as source:
        assert weekdays_with_few_dates(source, "who", "seen") == few
