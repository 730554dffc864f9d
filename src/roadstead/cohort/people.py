"""Sample the people, their homes, and their names from published figures.

Ages and sexes
    Up to 84: U.S. Census Bureau, Census 2010, resident population by single year of age and sex
    (file `st-est00int-agesex`, column CENSUS2010POP). From 85 on: the five-year groups of "The
    Older Population: 2010" (C2010BR-09). The sum of these groups equals the figure for 85 and over
    in the same file. Within these groups, Roadstead estimates the single years. From each year of
    age to the next, the number of people falls by a constant ratio, which is computed from two
    neighboring groups. The 53,364 people aged 100 and over are assigned the ages 100 to 103.
Homes
    There are 112 ZIP codes in New England, Tennessee, New Mexico, and California. The ZIP codes in
    New England have leading zeros, which are lost if a program reads ZIP codes as numbers. The ZIP
    codes range from city districts of 60,000 people to places of 50 people, which are rare in any
    table. The source is the U.S. Census Bureau, Census 2010, by ZIP Code Tabulation Area: total
    population (Gazetteer), and population aged 18 and over by Hispanic origin and race (Summary
    File 1). The number of patients in a ZIP code is proportional to its population. The races of
    the patients have the same shares as the races of the adults there.
Races
    The categories come from hospital discharge data (HCUP, uniform coding of RACE). Hispanic people
    of any race are "Hispanic", and the other categories do not include Hispanic people. "Other"
    contains people of some other race and of two or more races.
First names
    U.S. Census Bureau, "Frequently Occurring Surnames from Census 1990 - Names Files", files
    dist.female.first and dist.male.first: the fifty most frequent names, with their shares in
    percent.
Last names
    "Frequently Occurring Surnames from the 2010 Census": the most frequent names, with the number
    of people who have each name and the share of each race among them.

All sources are in the public domain.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roadstead.cohort.draws import Floats, Indices, Table

SEXES: Final = ("female", "male")
OLDEST: Final = 103
RACES: Final = (
    "White",
    "Black",
    "Hispanic",
    "Asian or Pacific Islander",
    "Native American",
    "Other",
)

Dates = NDArray[np.datetime64]


def text_of(name: str) -> str:
    """Read a file of figures."""
    return (files("roadstead.cohort") / "data" / name).read_text("utf-8")


def _columns_of(name: str) -> list[tuple[str, ...]]:
    """Read the columns of a CSV file of figures, excluding the header."""
    _, *rows = csv.reader(text_of(name).splitlines())
    return list(zip(*rows, strict=True))


def _numbers(*columns: tuple[str, ...]) -> Floats:
    return np.array(columns, dtype=np.float64)


POPULATION: Final[NDArray[np.int64]] = np.array(_columns_of("population.csv")[1:], dtype=np.int64)
"""People in 2010. The shape is (sexes, ages 0 to 103)."""

ZIPS, _RESIDENTS, *_ADULTS = _columns_of("zip_codes.csv")

RESIDENTS: Final = Table(_numbers(_RESIDENTS))
"""A single row with the number of residents of each ZIP code."""

ADULTS_BY_RACE: Final = Table(_numbers(*_ADULTS).T)
"""Adults of each race. The shape is (ZIP codes, races)."""

_SEX_OF_NAME, FIRST_NAMES, _SHARES = map(np.array, _columns_of("first_names.csv"))
_FIRST_BY_SEX: Final = Table(
    np.array([_SHARES.astype(np.float64) * (own == _SEX_OF_NAME) for own in SEXES])
)
_LAST_NAMES, _BEARERS, *_RACE_SHARES = _columns_of("last_names.csv")
LAST_NAMES: Final = np.array(_LAST_NAMES)
_LAST_BY_RACE: Final = Table(_numbers(_BEARERS) * _numbers(*_RACE_SHARES))


def full_names(sex: Indices, race: Indices, first: Floats, last: Floats) -> list[str]:
    """Draw "First Last" for each sex and race. `first` and `last` are uniform random numbers."""
    first_names = FIRST_NAMES[_FIRST_BY_SEX.draw(first, sex)].tolist()
    last_names = LAST_NAMES[_LAST_BY_RACE.draw(last, race)].tolist()
    return [f"{one} {other}" for one, other in zip(first_names, last_names, strict=True)]


def birth_dates(admission: Dates, age: Indices, uniform: Floats) -> Dates:
    """Return birth dates. Each person is exactly `age` years old on the admission day."""
    month = admission.astype("datetime64[M]")
    day = (admission - month.astype("datetime64[D]")).astype(np.int64)
    birth_month = month - (12 * age).astype("timedelta64[M]")
    # February 29 is not used, because the birth year may not have this day.
    leap_day = (month.astype(np.int64) % 12 == 1) & (day == 28)  # noqa: PLR2004 - day counts from 0
    latest = birth_month.astype("datetime64[D]") + (day - leap_day).astype("timedelta64[D]")
    return np.asarray(latest - np.floor(uniform * 365).astype("timedelta64[D]"))
