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

SEXES: Final = ("female", "male")
OLDEST: Final = 103

# One figure for each age from 0 on, ten ages to a line.
_WOMEN: Final = """
    1929877 1947217 2004731 2014490 1985620 1984764 1991062 1973503 1981033 2028657
    2036545 2011151 2006098 2013099 2030439 2065798 2100105 2132142 2195382 2243250
    2210810 2131096 2086845 2057772 2085300 2101042 2055217 2108218 2096644 2105137
    2124866 1982063 1992371 1943287 1923012 1975518 1911492 1981059 2072160 2197391
    2192025 2067167 2047451 2069115 2121229 2271418 2288779 2297017 2301062 2341230
    2359941 2273865 2293600 2239000 2198445 2181236 2081372 2031031 1960120 1887398
    1875624 1813519 1850490 1811555 1389236 1407451 1390865 1400459 1236376 1147565
    1097510 1049175 1010549 949097 927863 899069 823266 823446 797665 791961
    764952 717995 698438 654978 612590 636282 539040 456659 386868 327743
    318907 247616 192262 149283 115911 106807 73370 50400 34621 23783
    17802 12229 8400 5771
"""
_MEN: Final = """
    2014276 2030853 2092198 2104550 2077550 2072094 2075319 2057076 2065453 2119696
    2135996 2103264 2100145 2104914 2135543 2177022 2216034 2263153 2305473 2341984
    2308319 2223198 2177797 2140799 2164063 2161308 2097088 2140651 2118605 2117939
    2160802 1988155 1994476 1936863 1916204 1980916 1890595 1953386 2049720 2167405
    2191249 2047818 2028653 2035990 2090267 2237450 2230982 2238248 2237734 2264671
    2300354 2190766 2207246 2141354 2093554 2073473 1956141 1905355 1834808 1753871
    1745507 1679077 1712692 1672329 1267895 1273310 1248276 1248906 1087296 994759
    945611 900148 853726 787863 756624 721008 647804 631884 602458 579234
    543559 494870 462983 419831 373131 376987 302590 242874 194944 156472
    147265 106068 76397 55025 39632 32891 21205 13671 8814 5682
    3935 2537 1636 1054
"""

POPULATION: Final[NDArray[np.int64]] = np.array(
    [text.split() for text in (_WOMEN, _MEN)], dtype=np.int64
)
"""People in 2010, shape (sexes, ages 0 to 103)."""

Dates = NDArray[np.datetime64]


def birth_dates(admission: Dates, age: Indices, uniform: Floats) -> Dates:
    """Draw a birth date that makes somebody exactly `age` years old on the day of admission.

    Parameters
    ----------
    admission
        Days, `datetime64[D]`.
    age
        Completed years on that day.
    uniform
        In [0, 1): where in the year before the birthday limit the date falls.
    """
    month = admission.astype("datetime64[M]")
    day = (admission - month.astype("datetime64[D]")).astype(np.int64)
    birth_month = month - (12 * age).astype("timedelta64[M]")
    # Nobody is dated to a 29 February that the birth year may not have.
    leap_day = (month.astype(np.int64) % 12 == 1) & (day == 28)  # noqa: PLR2004 - day counts from 0
    latest = birth_month.astype("datetime64[D]") + (day - leap_day).astype("timedelta64[D]")
    return np.asarray(latest - np.floor(uniform * 365).astype("timedelta64[D]"))
