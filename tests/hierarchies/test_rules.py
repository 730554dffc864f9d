"""Rules: labels, what they can produce, and words."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.calendar_units import CalendarUnit
from roadstead.hierarchies.number_text import member_of_interval, name_interval, parse_number
from roadstead.hierarchies.rules import (
    MISSING,
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.hierarchies.written_dates import parse_date
from roadstead.tables import text

DECIMALS = st.decimals(-10_000, 10_000, allow_nan=False, allow_infinity=False, places=2)
UNITS: list[CalendarUnit] = ["day", "week", "month", "quarter", "year", "decade"]


def _bounds(label: str) -> tuple[Decimal, Decimal]:
    low, high = label.strip("[)").split(", ")
    return Decimal(low), Decimal(high)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("0", "0-4"),
        ("4", "0-4"),
        ("5", "5-9"),
        ("-1", "-5--1"),
        ("-5", "-5--1"),
        ("-6", "-10--6"),
        ("47.0", "45-49"),
        (" 47 ", "45-49"),
        ("", ""),
        ("47.5", None),
        ("many", None),
    ],
)
def test_bands_of_five(value: str, label: str | None) -> None:
    """Whole numbers fall into bands counted from zero, on both sides of it."""
    assert Bands(Decimal(5)).label(value) == label


@given(DECIMALS, st.sampled_from(["0.25", "0.1", "1", "3", "7.5"]), DECIMALS)
def test_a_band_contains_its_number(number: Decimal, width: str, origin: Decimal) -> None:
    """The named interval contains the number, is as wide as said, and starts on the grid."""
    label = Bands(Decimal(width), origin, integer=False).label(str(number))
    assert label is not None
    low, high = _bounds(label)
    assert low <= number < high
    assert high - low == Decimal(width)
    assert (low - origin) % Decimal(width) == 0


@given(st.integers(-300, 300), st.integers(-300, 300))
def test_open_ends_nest_at_every_width(one: int, other: int) -> None:
    """Two numbers that share a band share the band of a multiple of its width."""
    bottom, top = Decimal(18), Decimal(90)
    fine = Bands(Decimal(5), bottom=bottom, top=top)
    coarse = Bands(Decimal(20), bottom=bottom, top=top)
    if fine.label(str(one)) == fine.label(str(other)):
        assert coarse.label(str(one)) == coarse.label(str(other))


def test_open_ends_cut_the_band_they_fall_in() -> None:
    """The band under the top ends there, and the band above the bottom starts there."""
    bands = Bands(Decimal(20), bottom=Decimal(18), top=Decimal(90))
    labels = [bands.label(v) for v in ("17", "18", "19", "20", "89", "90", "104")]
    assert labels == ["<18", "18-19", "18-19", "20-39", "80-89", "90+", "90+"]


def test_numbers_of_any_size_are_banded_without_rounding() -> None:
    """A number of thirty digits keeps every digit in its bounds."""
    number = "123456789012345678901234567893"
    assert Bands(Decimal(10)).label(number) == f"{number[:-1]}0-{number[:-1]}9"
    assert Bands(Decimal("1e-20"), integer=False).label(number[:-1]) is not None


@pytest.mark.parametrize(
    "text", ["", "NaN", "inf", "1_000", "1,000", "٣", "1e99", "0x10", "1" * 31, "--1", "1e-50"]
)
def test_only_plain_decimal_numbers_are_numbers(text: str) -> None:
    """A text that engines read in different ways is not a number."""
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "number"), [("+5", 5), (".5", "0.5"), ("5.", 5), ("1e3", 1000), ("-0.0", 0)]
)
def test_ordinary_spellings_are_numbers(text: str, number: int | str) -> None:
    """Signs, bare points and small exponents are read."""
    assert parse_number(text) == Decimal(number)


@given(DECIMALS, st.integers(1, 50), st.integers(1, 50))
def test_bands_produce_their_labels_and_no_others(number: Decimal, width: int, more: int) -> None:
    """A label belongs to the bands that made it, not to bands of another width."""
    whole, decimal = Bands(Decimal(width)), Bands(Decimal(width), integer=False)
    for bands, value in ((whole, number.to_integral_value()), (decimal, number)):
        label = bands.label(str(value))
        assert label is not None
        assert bands.produces(label)
        assert not Bands(Decimal(width + more), integer=bands.integer).produces(label)


@pytest.mark.parametrize("label", ["45-48", "44-48", "90+", "<20", "[45, 50)", "45", "x", "any"])
def test_bands_do_not_produce_foreign_labels(label: str) -> None:
    """Other bounds, open ends that were not declared and other forms are refused."""
    assert not Bands(Decimal(5)).produces(label)


@given(st.lists(DECIMALS, min_size=1, max_size=6, unique=True), DECIMALS)
def test_cuts_contain_their_number(cuts: list[Decimal], number: Decimal) -> None:
    """The interval runs from the last cut that is not above the number to the next."""
    rule = Cuts(tuple(cuts), integer=False)
    bounds = rule.interval(str(number))
    assert bounds is not None
    low, high = bounds
    assert low is None or low <= number
    assert high is None or number < high
    assert not [c for c in cuts if (low is None or c > low) and (high is None or c < high)]
    label = rule.label(str(number))
    assert label is not None
    assert rule.produces(label)


def test_cuts_of_whole_numbers_read_like_bands() -> None:
    """A cut begins the interval above it."""
    cuts = Cuts((Decimal(18), Decimal(65)))
    assert [cuts.label(v) for v in ("17", "18", "64", "65")] == ["<18", "18-64", "18-64", "65+"]
    assert not cuts.produces("<65")
    assert not cuts.produces("18-65")
    assert cuts.describe() == "cut at 18, 65"


def test_no_cuts_leave_one_interval() -> None:
    """Without a cut, every number has one name, which is the rule's own."""
    assert Cuts(()).label("47") == "any number"
    assert Cuts(()).produces("any number")
    assert not Bands(Decimal(5)).produces("any number")
    assert Cuts((Decimal(18),)).label("4.5") is None


@given(DECIMALS, st.decimals("0.01", 500, places=2))
def test_a_named_interval_has_a_member_inside(low: Decimal, width: Decimal) -> None:
    """The value read back from a name is in the interval."""
    high = low + width
    member = member_of_interval(name_interval(low, high, integer=False))
    assert member is not None
    assert low <= Decimal(member) < high
    assert Decimal(member_of_interval(name_interval(None, high, integer=False)) or "nan") < high
    assert Decimal(member_of_interval(name_interval(low, None, integer=False)) or "nan") >= low


@pytest.mark.parametrize(
    ("unit", "label"),
    [
        ("day", "2024-02-29"),
        ("week", "week of 2024-02-26"),
        ("month", "2024-02"),
        ("quarter", "2024-Q1"),
        ("year", "2024"),
        ("decade", "2020s"),
    ],
)
def test_a_date_is_named_by_its_unit(unit: CalendarUnit, label: str) -> None:
    """Labels are ISO, whatever form the value has."""
    assert Calendar(unit).label("2024-02-29T23:59:00Z") == label
    assert Calendar(unit, "%d.%m.%Y").label("29.02.2024") == label
    assert Calendar(unit).produces(label)


@given(st.dates(), st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_calendar_labels_belong_to_their_unit_alone(
    day: date, unit: CalendarUnit, other: CalendarUnit
) -> None:
    """A label is produced by its own unit only."""
    label = Calendar(unit).label(day.isoformat())
    assert label is not None
    assert Calendar(other).produces(label) == (unit == other)


@pytest.mark.parametrize(
    "label", ["2024-02-30", "2024-13", "2024-Q5", "2025s", "week of 2024-02-27"]
)
def test_impossible_dates_are_not_produced(label: str) -> None:
    """A day that is not in the calendar, or a week that starts on a Tuesday, was not released."""
    assert not any(Calendar(unit).produces(label) for unit in UNITS)


@pytest.mark.parametrize(
    "text", ["2024-02-30", "2024-W09-4", "20240229", "2024-02-29 or so", "2024-2-9", "٢٠٢٤-٠٢-٢٩"]
)
def test_only_iso_dates_are_dates(text: str) -> None:
    """Text after the date that is not a time of day is not dropped silently."""
    assert parse_date(text) is None


@pytest.mark.parametrize(
    "text", ["2024-02-29", " 2024-02-29 ", "2024-02-29 10:30", "2024-02-29T10:30:00.5+01:00"]
)
def test_iso_date_times_are_read_as_their_date(text: str) -> None:
    """A time of day and a zone are dropped."""
    assert parse_date(text) == date(2024, 2, 29)


def test_prefixes_mask_or_cut() -> None:
    """Masking keeps the length, cutting does not."""
    assert Prefix(3, 5).label("37212") == "372**"
    assert Prefix(3, None, "").label("I50.9") == "I50"
    assert Prefix(3, None, "").label("I5") == "I5"
    assert Prefix(3, 5).label("3721") is None
    assert Prefix(3, 5).describe() == "first 3 characters kept"
    assert Prefix(5, 5).describe() == "unchanged"


@pytest.mark.parametrize(
    ("rule", "label", "answer"),
    [
        (Prefix(3, 5), "372**", True),
        (Prefix(3, 5), "3721*", False),
        (Prefix(3, 5), "372*", False),
        (Prefix(3, None), "372****", True),
        (Prefix(3, None), "3721", False),
        (Prefix(3, None, ""), "I5", True),
        (Prefix(3, None, ""), "I50.", False),
        (Prefix(3, 5, ""), "372", True),
        (Prefix(3, 5, ""), "37", False),
        (Prefix(3, 5), "", True),
    ],
)
def test_prefixes_know_their_labels(rule: Prefix, label: str, answer: bool) -> None:  # noqa: FBT001 - expected
    """More characters than were to be kept cannot have been released."""
    assert rule.produces(label) is answer


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bands(Decimal(0)),
        lambda: Bands(Decimal(5), bottom=Decimal(90), top=Decimal(20)),
        lambda: Bands(Decimal("1e-200")),
        lambda: Bands(Decimal("1e30")),
        lambda: Bands(Decimal("NaN")),
        lambda: Bands(Decimal("Infinity")),
        lambda: Bands(Decimal(5), Decimal("1e999999")),
        lambda: Bands(Decimal(5), Decimal("-Infinity")),
        lambda: Bands(Decimal(5), Decimal("sNaN")),
        lambda: Bands(Decimal(5), bottom=Decimal("NaN")),
        lambda: Bands(Decimal(5), top=Decimal("1e-41")),
        lambda: Cuts((Decimal(1), Decimal("1e999999"))),
        lambda: Cuts((Decimal("-Infinity"),)),
        lambda: Prefix(0, 5),
        lambda: Prefix(3, 5, "**"),
    ],
)
def test_impossible_rules_are_refused(make: object) -> None:
    """A rule cannot divide by nothing, reckon beyond its precision, or mask with two characters."""
    assert callable(make)
    with pytest.raises(HierarchyError):
        make()


MODERATE = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(-(10**6), 10**6),
    st.integers(-40, 22),
)


@given(MODERATE, MODERATE.filter(lambda width: width > 0), MODERATE)
def test_bands_that_are_accepted_can_be_computed(
    number: Decimal, width: Decimal, origin: Decimal
) -> None:
    """Exactly, at the ends of what is accepted too: as with fractions."""
    bounds = Bands(width, origin, integer=False).interval(str(number))
    steps = (Fraction(number) - Fraction(origin)) // Fraction(width)
    low = Fraction(origin) + steps * Fraction(width)
    assert bounds is not None
    assert [Fraction(bound) for bound in bounds if bound is not None] == [
        low,
        low + Fraction(width),
    ]


@pytest.mark.parametrize("length", [None, 2])
def test_a_prefix_longer_than_any_value_keeps_it(length: int | None) -> None:
    """However long."""
    rule = Prefix(10**30, length)
    assert rule.label("ab") == "ab"
    assert rule.produces("ab")


def test_a_form_that_names_the_year_twice_reads_no_date() -> None:
    """Python refuses it with an error of its regular expressions."""
    assert Calendar("year", form="%Y %Y").label("2020 2020") is None


def test_missing_is_the_same_text_in_every_room() -> None:
    """Tables write what rules look for."""
    assert MISSING == text.MISSING == ""


def test_missing_stays_missing_below_the_top() -> None:
    """Only the last level, or a group that lists it, generalizes a missing value."""
    rules: list[Rule] = [
        Identity(),
        Prefix(3, 5),
        Bands(Decimal(5)),
        Cuts((Decimal(1),)),
        Calendar("year"),
    ]
    assert [rule.label("") for rule in rules] == [""] * 5
    assert all(rule.produces("") for rule in rules)
    assert Groups((("g", ("a",)),)).label("") == ""
    assert Groups((("g", ("a", "")),)).label("") == "g"
    assert not Groups((("g", ("a", "")),)).produces("")
    assert Everything().label("") == "*"


def test_rules_speak() -> None:
    """Every rule says in words what it does."""
    spoken = [
        Identity().describe(),
        Bands(Decimal(5), top=Decimal(90)).describe(),
        Bands(Decimal(1), bottom=Decimal(18)).describe(),
        Calendar("month").describe(),
        Calendar("day").describe(),
        Groups((("g", ("a",)),)).describe(),
        Groups((("g", ("a",)), ("h", ("b",)))).describe(),
        Everything().describe(),
    ]
    assert spoken == [
        "unchanged",
        "in bands of 5, then 90+",
        "unchanged from 18",
        "by month",
        "by day",
        "in 1 group",
        "in 2 groups",
        "removed",
    ]
