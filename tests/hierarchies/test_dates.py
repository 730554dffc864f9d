"""Hierarchies over dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.calendar_units import CalendarUnit
from roadstead.hierarchies.dates import ALL_UNITS, dates
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.rules import Calendar, Everything


def _leaves(hierarchy: Hierarchy, level: int) -> dict[str, int]:
    chosen = hierarchy.levels[level]
    return dict(zip(chosen.labels, chosen.leaves.tolist(), strict=True))


def test_units_cover_the_days_they_have_in_the_range() -> None:
    """A leap February covers 29 days, and the ends are clipped to what was observed."""
    hierarchy = dates("admitted", ["2023-12-30", "2024-02-10", "2024-03-05"])
    assert hierarchy.domain_size == 67
    assert _leaves(hierarchy, 0) == {"2023-12-30": 1, "2024-02-10": 1, "2024-03-05": 1}
    assert _leaves(hierarchy, 1) == {"2023-12": 2, "2024-02": 29, "2024-03": 5}
    assert _leaves(hierarchy, 2) == {"2023-Q4": 2, "2024-Q1": 65}
    assert _leaves(hierarchy, 3) == {"2023": 2, "2024": 65}
    assert _leaves(hierarchy, 4) == {"2020s": 67}


@given(st.dates(), st.integers(0, 800))
def test_units_tile_the_range(first: date, extent: int) -> None:
    """When every day occurs, the days of the labels sum to the range at every level."""
    span = min(extent, date.max.toordinal() - first.toordinal())
    values = [(first + timedelta(days=i)).isoformat() for i in range(span + 1)]
    for units in (ALL_UNITS, ("day", "week")):
        hierarchy = dates("x", values, units)
        for level in hierarchy.levels:
            assert level.leaves.sum() == hierarchy.domain_size == span + 1


def test_times_of_day_are_dropped_at_the_first_level() -> None:
    """Two times on one day share the day's label, which covers one day."""
    hierarchy = dates("seen", ["2024-01-01T08:00", "2024-01-01 09:30:00", "2024-01-02"])
    assert _leaves(hierarchy, 0) == {"2024-01-01": 1, "2024-01-02": 1}
    assert hierarchy.domain_size == 2


def test_other_forms_are_declared_and_labels_are_iso() -> None:
    """A form applies at every level and is part of the rule."""
    hierarchy = dates("born", ["05.03.1980", "17.11.1981", ""], ("day", "year"), form="%d.%m.%Y")
    assert hierarchy.levels[0].labels == ("1980-03-05", "1981-11-17", "")
    assert hierarchy.rule(1) == Calendar("year", "%d.%m.%Y")
    assert dates("m", ["1980-03"], ("month",), form="%Y-%m").levels[0].labels == ("1980-03",)


def test_only_the_listed_units_are_levels() -> None:
    """A day that is not listed can not be released; the last level is added."""
    hierarchy = dates("x", ["2024-01-05", "2024-01-06", "2025-01-01"], ("month", "year"))
    assert [hierarchy.rule(i) for i in range(3)] == [
        Calendar("month"),
        Calendar("year"),
        Everything(),
    ]
    assert _leaves(hierarchy, 0)["2024-01"] == 27


@pytest.mark.parametrize(
    ("units", "said"),
    [
        (("day", "week", "month"), "weeks do not fit into a month"),
        (("week", "year"), "weeks do not fit into a year"),
        (("month", "day"), "unit day comes after month"),
        (("day", "day"), "unit day comes after day"),
        (("day", "fortnight"), "'fortnight' is not a unit"),
        ((), "no unit is listed"),
    ],
)
def test_units_that_do_not_nest_are_refused(units: Sequence[CalendarUnit], said: str) -> None:
    """Whatever the data: next month's weeks may straddle what this month's do not."""
    with pytest.raises(HierarchyError) as caught:
        dates("admitted", ["2024-01-03"], units)
    assert said in caught.value.message
    assert "'admitted'" in caught.value.message
    assert caught.value.fix


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("%d/%m/%y", "two-digit years, which do not include the century"),
        ("%d/%m", "does not include the year"),
        ("%m/%Y", "does not include the day"),
        ("%Y", "does not include the day"),
        ("%G-%V-%u", "which is not supported"),
    ],
)
def test_forms_that_leave_a_guess_are_refused(form: str, said: str) -> None:
    """A century or a day is never made up."""
    with pytest.raises(HierarchyError) as caught:
        dates("born", ["01/02/03"], form=form)
    assert said in caught.value.message


def test_a_value_that_is_no_date_is_named() -> None:
    """The error gives the expected form."""
    with pytest.raises(HierarchyError, match=r"value '3/5/80' of 'born' is not a date .*YYYY"):
        dates("born", ["1980-03-05", "3/5/80"])


def test_the_ends_of_the_calendar_are_dates() -> None:
    """Placeholders for never and forever are labeled and measured like others."""
    values = ["0001-01-01", "9999-12-31"]
    assert dates("x", values, ("day", "week")).domain_size == date.max.toordinal()
    assert dates("x", values).levels[4].labels == ("0000s", "9990s")


def test_nesting_units_nest_on_every_day_of_forty_years() -> None:
    """Each pair of units in order builds on real calendars."""
    values = [(date(1990, 1, 1) + timedelta(days=i)).isoformat() for i in range(0, 14_600, 3)]
    for pair in combinations(ALL_UNITS, 2):
        assert dates("x", values, pair).height == 3
