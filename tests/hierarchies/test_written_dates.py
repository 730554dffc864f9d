"""Dates as written: partial dates, two-digit years, names of months, and Excel's numbers."""

from __future__ import annotations

from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.dates import dates
from roadstead.hierarchies.defaults import propose
from roadstead.hierarchies.ordered_domain import ordered_domain
from roadstead.hierarchies.spreadsheet_ranges import turned_into_dates
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.policies.recodings.document import IntervalParts

DAYS = st.dates(date(1930, 1, 1), date(2029, 12, 31))


@given(DAYS, st.sampled_from(["%d-%m-%y", "%d-%b-%y", "%y/%m/%d"]), st.integers(1, 9_900))
def test_a_two_digit_year_is_the_one_that_follows_the_pivot(
    day: date, form: str, pivot: int
) -> None:
    """Exactly one of the hundred years from the pivot on has the two digits."""
    read = WrittenForm(form, pivot).read(day.strftime(form).upper())
    (year,) = (year for year in range(pivot, pivot + 100) if year % 100 == day.year % 100)
    leap = pd.Timestamp(2000, day.month, day.day).is_leap_year and (day.month, day.day) == (2, 29)
    if leap and not (year % 4 == 0 and (year % 100 or year % 400 == 0)):
        assert read is None
    else:
        assert read is not None
        assert (read.first.year, read.first.month, read.first.day) == (year, day.month, day.day)
    assert WrittenForm(form).read(day.strftime(form)) is None


@given(st.lists(DAYS, min_size=1, max_size=20), st.data())
def test_partial_dates_join_the_complete_dates_of_their_year(
    days: list[date], data: st.DataObject
) -> None:
    """The label of each value is its year, as pandas reads it; a month of a year is refused."""
    cut = st.sampled_from([4, 7, 10])
    values = [*dict.fromkeys(day.isoformat()[: data.draw(cut)] for day in days)]
    hierarchy = dates("birth", values, ("year", "decade"))
    labels = [hierarchy.rule(0).label(value) for value in values]
    assert labels == [str(pd.Period(value).year) for value in values]
    years = sum(len(value) == 4 for value in values)
    if years:
        with pytest.raises(HierarchyError, match=rf"{years} of {len(values)} values"):
            dates("birth", values, ("month",))


@given(st.dates(date(1900, 3, 1), date(2100, 12, 31)))
def test_numbers_of_excel_are_days_as_pandas_reads_them(day: date) -> None:
    """Numbers that can be years are not read."""
    number = (day - date(1899, 12, 30)).days
    read = WrittenForm(serials=True).read(str(number))
    wanted = pd.to_datetime(number, unit="D", origin="1899-12-30").date()
    assert (read is None) if 1900 <= number <= 2100 else (read and read.first == wanted)
    without = WrittenForm().read(str(number))
    assert without is None or without.finest == "year"


@pytest.mark.parametrize("text", ["07-MAR-1985", "7-mar-1985", "7-März-1985", "07-mars-1985"])
def test_months_have_names_in_any_case_and_several_languages(text: str) -> None:
    """The form is the same for all of them."""
    read = WrittenForm("%d-%b-%Y").read(text)
    assert read is not None
    assert read.first == date(1985, 3, 7)


def test_an_interval_holds_a_partial_date_only_with_all_of_its_days() -> None:
    """A year is in no interval that begins within it."""
    parts = IntervalParts(
        "dates",
        (("1954-05-01", "1955-12-30"), ("1955-01-01", "1955-12-31"), (None, "1955-02-28")),
        ("a", "b", "c"),
    )
    shows = parts.shows(("1955", "1955-02", "1955-02-28", ""))
    assert shows.tolist() == [
        [False, True, False],
        [True, True, True],
        [True, True, True],
        [False, False, True],
    ]


def test_proposals_never_choose_a_century_and_begin_where_all_dates_have_parts() -> None:
    """A partial date moves the first level; numbers among dates are Excel's; years are numbers."""
    assert propose("b", ["1955", "1935-03", "1956-04-17"])["units"] == ["year", "decade"]
    assert propose("b", ["27-02-51", "03-11-59"]) == {"kind": "flat"}
    among = propose("b", ["44197", "2021-01-02", "2019-05-06"])
    assert (among["kind"], among["serials"]) == ("dates", True)
    assert propose("b", [str(year) for year in range(1930, 1990)])["kind"] == "intervals"
    assert propose("b", ["44197", "44210", "44300"])["kind"] != "dates"


def test_ranges_that_a_spreadsheet_changed_are_read_next_to_ranges_alone() -> None:
    """A date among dates, or one that would overlap a range, is not a range."""
    found = turned_into_dates(["15-19", "20-24", "14-Oct", "5-Sep", "unknown"])
    assert found == {"14-Oct": "10-14", "5-Sep": "5-9"}
    assert not turned_into_dates(["14-Oct", "5-Sep"])
    assert not turned_into_dates(["0-14", "15-19", "14-Oct"])
    spec = propose("age", ["15-19", "20-24", "14-Oct", "9-May"])
    assert (spec["kind"], spec["spreadsheet_dates"]) == ("ranges", True)


def test_a_year_stands_before_the_days_after_its_first() -> None:
    """Orders by time use the first day that a date allows."""
    values = ["1955", "1954-12-31", "1956"]
    hierarchy = dates("b", values, ("year",))
    assert ordered_domain(hierarchy, values).listed == ("1954-12-31", "1955", "1956")
    assert date(1955, 1, 1) + timedelta(364) == WrittenForm().days_of("1955")[1]
