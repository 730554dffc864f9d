"""Numbers after a letter are not taken for diagnoses, and parts of dates are found among them."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.tables.identifiers.diagnosis_codes import are_diagnoses

R: Final = random.Random(16)  # noqa: S311 - no secret
RECORDS: Final = 1_500
DAYS: Final = [date(2023, 1, 1) + timedelta(R.randrange(365)) for _ in range(RECORDS)]
LONDON: Final = ["N16", "E14", "N22", "W12", "E17", "S10", "B15", "M20", "L17", "N15", "E10", "W13"]
ROOMS: Final = ["A07", "B13", "C22", "D31", "E08", "F17", "G24", "H09", "A16", "B29", "C35", "D03"]
GIVEN: Final = ["Karen", "Erin", "Luis", "Pedro", "Oskar", "Hugo", "Marta", "Ingrid"]
CANADA: Final = ["M5V", "K1A", "V6B", "H2X", "T2P", "M4C", "L5B", "M6K"]

CODED: Final[dict[str, Callable[[date], str]]] = {
    "month": lambda e: f"M{e.month:02d}",
    "month and year": lambda e: f"M{e.month:02d}.{e.year % 10}",
    "day": lambda e: f"D{e.day:02d}",
    "week": lambda e: f"W{e.isocalendar()[1]:02d}",
    "month as a letter, and day": lambda e: f"{'ABCDEFGHJKLM'[e.month - 1]}{e.day:02d}",
    "year of birth": lambda _: f"Y{R.randrange(30, 100)}",
    "sex and year of birth": lambda _: f"{R.choice('FM')}{R.randrange(30, 100)}",
    "postcode district": lambda _: R.choice(LONDON),
    "postal area": lambda _: R.choice(CANADA),
    "cell": lambda _: f"C{R.randrange(1, 61):02d}",
    "bed": lambda _: f"{R.choice('ABC')}{R.randrange(1, 41):02d}.{R.choice('12')}",
    "sparse room": lambda _: R.choice(ROOMS),
    "hour": lambda _: f"T{R.randrange(24):02d}.{R.randrange(2)}",
    "period": lambda e: f"P{e.month:02d}W{R.randrange(1, 5)}",
    "lot": lambda e: f"E{e.month:02d}X",
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("what", CODED)
def test_a_letter_and_numbers_are_no_diagnoses_by_their_form(what: str) -> None:
    """Fault class: months, weeks, districts, and cells were proposed as sensitive and released."""
    table = pa.table({"sex": [R.choice("FM") for _ in DAYS], "x": [*map(CODED[what], DAYS)]})
    assert rs.scan(table).columns[1].role != "sensitive"


@pytest.mark.parametrize(
    "codes",
    [
        "E11.9 I10 C50.911",
        "I10 E119 J45909 M545 K219 Z0000",
        "A41 C34 E11 E78 I10 I21 I25 I50 J18 J44 K80 N39 R55 S72 Z51",
        "I10;E11.9 J45.909;E78.5 I10;F32.9;N18.3",
    ],
)
def test_frequent_diagnoses_keep_their_role(codes: str) -> None:
    """A few codes of several chapters, with and without a point, and lists."""
    assert are_diagnoses(codes.split())
    table = pa.table({"sex": [R.choice("FM") for _ in DAYS], "x": R.choices(codes.split(), k=1500)})
    assert rs.scan(table).columns[1].role == "sensitive"


@pytest.mark.parametrize("split", [False, True], ids=["numbers", "letters in front"])
def test_a_day_and_a_month_are_parts_of_a_date_without_a_year(*, split: bool) -> None:
    """Fault class: letters in front of the numbers hid a date in several columns."""
    day, month = ("D", "M") if split else ("", "")
    table = pa.table(
        {
            "a": [f"{day}{e.day:02d}" for e in DAYS],
            "b": [f"{month}{e.month:02d}" for e in DAYS],
            "sex": [R.choice("FM") for _ in DAYS],
        }
    )
    with pytest.raises(RoleError, match="day and month of a date"):
        rs.anonymize(table, quasi=["sex"], unchanged=["a", "b"])


DENSE: Final[dict[str, Callable[[date], str]]] = {
    "fiscal week": lambda e: str(min(e.timetuple().tm_yday // 7 + 1, 52)),
    "KW 36": lambda e: f"KW {min(e.timetuple().tm_yday // 7 + 1, 52)}",
    "PP18": lambda e: f"PP{min(e.timetuple().tm_yday // 14 + 1, 26):02d}",
    "day of the year": lambda e: str(e.timetuple().tm_yday),
    "room and bed": lambda _: f"{R.randrange(1, 7)}{R.randrange(3)}{R.choice('AB')}",
    "map tile": lambda _: f"12/{R.randrange(1235, 1245)}/{R.randrange(1510, 1520)}",
    "given names": lambda _: R.choice(GIVEN),
}


@pytest.mark.parametrize("what", DENSE)
def test_a_column_of_times_or_places_is_not_released_unchanged(what: str) -> None:
    """Fault class: frequent values passed although each record has such a value."""
    table = pa.table({"sex": [R.choice("FM") for _ in DAYS], "fw": [*map(DENSE[what], DAYS)]})
    with pytest.raises(RoleError, match=r"may identify people|Safe Harbor"):
        rs.anonymize(table, quasi=["sex"], unchanged=["fw"])


@pytest.mark.parametrize(
    "values",
    [
        [f"S{at:02d}" for at in range(1, 27)],  # sites
        [f"{number}{letter}" for number, letter in zip(range(1, 40), "AFBFCF" * 7, strict=False)],
        [str(at) for at in range(1, 27)],
    ],
    ids=["sites", "serotypes", "counts"],
)
def test_numbered_things_are_no_times_or_beds(values: list[str]) -> None:
    """Codes of sites, of serotypes, and numbers up to 26."""
    table = pa.table({"sex": [R.choice("FM") for _ in DAYS], "x": R.choices(values, k=1500)})
    assert not rs.scan(table).objections
