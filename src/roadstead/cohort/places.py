"""Where the patients live, and which race that makes likely.

A hundred and twelve ZIP codes: New England (with the leading zeros that careless readers lose),
Tennessee, New Mexico and California, from city districts of 60,000 to places of fifty people, who
are rare in any table. Somebody lives in a ZIP code in proportion to its population, and is of a
race in proportion to the adults of that race there.

Source: U.S. Census Bureau, Census 2010, by ZIP Code Tabulation Area: total population (Gazetteer),
and population of 18 and over by Hispanic origin and race (Summary File 1). The races are those of
hospital discharge data (HCUP, uniform coding of RACE): Hispanic whatever the race, and the others
not Hispanic; "Other" holds some other race and two or more races. Public domain.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from roadstead.cohort.draws import Table
from roadstead.cohort.figures import rows_of

RACES: Final = (
    "White",
    "Black",
    "Hispanic",
    "Asian or Pacific Islander",
    "Native American",
    "Other",
)

_ROWS: Final = rows_of("zip_codes.csv")

ZIPS: Final = tuple(row[0] for row in _ROWS)

RESIDENTS: Final = Table(np.array([[float(row[1]) for row in _ROWS]]))
"""One row: how many live in each ZIP code."""

ADULTS_BY_RACE: Final = Table(np.array([[float(count) for count in row[2:]] for row in _ROWS]))
"""Adults of each race, shape (ZIP codes, races)."""
