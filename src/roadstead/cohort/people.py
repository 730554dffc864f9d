"""How many people of each sex and age there are, and when somebody of an age was born.

Source: U.S. Census Bureau, Census 2010, resident population by single year of age and sex (file
`st-est00int-agesex`, column CENSUS2010POP) up to 84; from 85 on, the five-year groups of "The Older
Population: 2010" (C2010BR-09), whose sum is the 85-and-over figure of the same file. Within those
groups the single years are ours: each falls by the yearly ratio that leads from one group to the
next, and the 53,364 people of 100 and over stand at 100 to 103. Public domain.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from roadstead.cohort.draws import Floats, Indices
from roadstead.cohort.figures import rows_of

SEXES: Final = ("female", "male")
OLDEST: Final = 103

POPULATION: Final[NDArray[np.int64]] = np.array(
    [counts for _, *counts in rows_of("population.csv")], dtype=np.int64
).T
"""People in 2010, shape (sexes, ages 0 to 103)."""

Dates = NDArray[np.datetime64]


def birth_dates(admission: Dates, age: Indices, uniform: Floats) -> Dates:
    """Draw a birth date that makes somebody exactly `age` years old on the day of admission."""
    month = admission.astype("datetime64[M]")
    day = (admission - month.astype("datetime64[D]")).astype(np.int64)
    birth_month = month - (12 * age).astype("timedelta64[M]")
    # Nobody is dated to a 29 February that the birth year may not have.
    leap_day = (month.astype(np.int64) % 12 == 1) & (day == 28)  # noqa: PLR2004 - day counts from 0
    latest = birth_month.astype("datetime64[D]") + (day - leap_day).astype("timedelta64[D]")
    return np.asarray(latest - np.floor(uniform * 365).astype("timedelta64[D]"))
