"""Sample the day of admission, the length of stay, and the outcome.

The day of admission, the length of stay, and the outcome depend on the diagnosis. Length of stay,
death, and transfer also depend on age. Old patients stay longer, die far more often, and are
transferred far more often. Death and transfer change with age in the same way as deaths among
patients with pneumonia. The length of stay also depends on the outcome: a patient who waits for a
bed elsewhere stays longer. Each diagnosis keeps its own mean length of stay, and its own rates of
death and transfer. The only exception is the rate of transfers for hip fractures, because an upper
limit lowers this rate.

Sources
-------
Deaths by age
    AHRQ, National Healthcare Quality and Disparities Reports 2009, table 8_2_7.1: deaths per 1,000
    admissions with pneumonia, 2006. Children are assigned the figure for the youngest adults.
Length of stay by age
    CDC/NCHS, National Hospital Care Survey 2014, pneumonia: 4.2 days on average, 3.1 days for
    patients under 15 years, and 4.6 days for patients of 65 years and over.
Length of stay of the dead
    CDC/NCHS, Data Brief 118: 7.9 days (2010). Many patients who die have diagnoses with long stays.
    Compare a patient who dies with a patient of the same diagnosis and age who goes home. The mean
    is 7.9 days if the first patient stays 1.6 times as long as the second patient. The use of one
    factor for all diagnoses is an assumption.
Length of stay of the transferred
    AHRQ, HCUP Statistical Brief 205 (2013): 7.0 days for stays that lead to post-acute care, 3.6
    days for stays that end at home. A factor of 1.75 for patients with the same diagnosis and age
    gives nearly this ratio, because transferred patients are older and have diagnoses with longer
    stays. The brief counts home care by an agency as post-acute care; the cohort counts patients
    with such care as discharged home. The use of one factor for all diagnoses is an assumption.
Transfer by age
    These figures are a check, not an input. Some patients with arthritis go to a nursing facility:
    one in eight patients aged 45 to 64 years, one in four aged 65 to 74, and two in five aged 75
    and over. These shares are larger than the shares among all patients (The Burden of
    Musculoskeletal Diseases in the United States 2014, discharges of 2011).
Discharges against advice
    AHRQ, HCUP Facts and Figures 2008, exhibit 1.5: 370,000 of 39.9 million stays.
Winter
    Guimaraes and Dawson, Open Journal of Emergency Medicine 2016 4:45: respiratory admissions over
    14 years. Spring, summer, and fall have 0.757, 0.579, and 0.741 times the admissions of winter.
Summer
    Peterson et al., Open Forum Infectious Diseases 2017 4:ofx008: stays for cellulitis are 35
    percent more frequent in July than in February. The months between are interpolated.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roadstead.cohort.diagnoses import DIAGNOSES, STAYS
from roadstead.cohort.draws import Floats, Indices, Table, total
from roadstead.cohort.people import OLDEST, Dates

OUTCOMES: Final = ("discharged home", "transferred", "left against advice", "died")
HOME, TRANSFERRED, AGAINST_ADVICE, DIED = range(4)

FIRST_DAY: Final = np.datetime64("2018-01-01", "D")
DAYS: Final = 730
"""All admissions are in 2018 and 2019."""

# Each step contains its first age and a figure.
_DEATHS_PER_1000: Final = "0:11.5 45:27.1 65:33.9 70:40.3 75:46.8 80:57.7 85:79.6"
_DAYS_BY_AGE: Final = "0:3.1 15:4.2 65:4.6"
_STAY_OF_THE_DEAD: Final = 1.6
_STAY_OF_THE_TRANSFERRED: Final = 1.75
_AGAINST_ADVICE: Final = 0.0093
_ADULT: Final = 18
_MOST_TRANSFERS: Final = 0.95

# The relative numbers of admissions from January to December.
_MONTHS: Final = {
    "even": (100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100),
    "winter": (100, 100, 75.7, 75.7, 75.7, 57.9, 57.9, 57.9, 74.1, 74.1, 74.1, 100),
    "summer": (104, 100, 104, 112, 121, 130, 135, 131, 124, 117, 110, 106),
}
_SEASONS: Final = list(_MONTHS)
_GROUP_SEASON: Final = np.array([_SEASONS.index(diagnosis.season) for diagnosis in DIAGNOSES])
_RESOLUTION: Final = 1024


def _steps(text: str) -> Floats:
    """Expand "first age:figure" steps to one figure per age."""
    values = np.zeros(OLDEST + 1)
    for step in text.split():
        first, value = step.split(":")
        values[int(first) :] = float(value)
    return values


def _mean(by_age: Floats) -> Floats:
    """Average figures by age over the patients of each diagnosis. The shape is (diagnoses, 1)."""
    ages = STAYS[:, 0] + STAYS[:, 1]
    pairs = zip(ages, ages * by_age, strict=True)
    return np.array([[total(weighted) / total(group)] for group, weighted in pairs])


def _column(field: str) -> Floats:
    return np.array([getattr(diagnosis, field) for diagnosis in DIAGNOSES], dtype=np.float64)


def _shape(spread: float) -> Floats:
    """Return equally likely values that represent a lognormal distribution with mean 1.

    The values are rounded, so that the last bit of a logarithm does not matter.
    """
    normal = NormalDist()
    values = [
        math.exp(spread * normal.inv_cdf((step + 0.5) / _RESOLUTION)) for step in range(_RESOLUTION)
    ]
    mean = math.fsum(values) / _RESOLUTION
    return np.array([round(value / mean, 6) for value in values])


_DEATHS: Final = _steps(_DEATHS_PER_1000)
_FRAILTY: Final = _DEATHS / _mean(_DEATHS)
_DAYS: Final = _steps(_DAYS_BY_AGE)
_STAY_BY_AGE: Final = _DAYS / _mean(_DAYS)
_DEATH: Final = np.minimum(_column("died")[:, None] / 100 * _FRAILTY, 1.0)
_TRANSFER: Final = np.minimum(_column("facility")[:, None] / 100 * _FRAILTY, _MOST_TRANSFERS)
_MEAN_DAYS: Final = _column("days")[:, None] / _mean(
    _STAY_BY_AGE
    * (1 + (_STAY_OF_THE_DEAD - 1) * _DEATH + (_STAY_OF_THE_TRANSFERRED - 1) * _TRANSFER)
)
_STAY_BY_OUTCOME: Final = np.array([1.0, _STAY_OF_THE_TRANSFERRED, 1.0, _STAY_OF_THE_DEAD])
_DAY_MONTHS: Final = (FIRST_DAY + np.arange(DAYS)).astype("datetime64[M]").astype(np.int64) % 12
_CALENDAR: Final = Table(np.array([*_MONTHS.values()], dtype=np.float64)[:, _DAY_MONTHS])
"""The weight of every day. The shape is (seasons, days)."""
_SPREADS: Final = sorted({diagnosis.spread for diagnosis in DIAGNOSES})
_SHAPES: Final = np.array([_shape(spread) for spread in _SPREADS])
_GROUP_SHAPE: Final = np.array([_SPREADS.index(diagnosis.spread) for diagnosis in DIAGNOSES])


def admission_dates(group: Indices, uniform: Floats) -> Dates:
    """Draw days of admission by season. `group` contains positions in `DIAGNOSES`."""
    return FIRST_DAY + _CALENDAR.draw(uniform, _GROUP_SEASON[group]).astype("timedelta64[D]")


def outcomes(group: Indices, age: Indices, uniform: Floats) -> Indices:
    """Draw the outcome of each stay, as a position in `OUTCOMES`."""
    death = _DEATH[group, age]
    transfer = np.minimum(death + _TRANSFER[group, age], 1.0)
    advice = np.where(age >= _ADULT, np.minimum(transfer + _AGAINST_ADVICE, 1.0), transfer)
    ends = np.full(len(group), HOME, dtype=np.int64)
    ends[uniform < advice] = AGAINST_ADVICE
    ends[uniform < transfer] = TRANSFERRED
    ends[uniform < death] = DIED
    return ends


def lengths_of_stay(
    group: Indices, age: Indices, outcome: Indices, uniform: Floats
) -> NDArray[np.int64]:
    """Draw the length of each stay in days. The minimum is one day."""
    mean = _MEAN_DAYS[group, 0] * _STAY_BY_AGE[group, age]
    mean = mean * _STAY_BY_OUTCOME[outcome]
    steps = np.floor(uniform * _RESOLUTION).astype(np.int64)
    days = np.floor(mean * _SHAPES[_GROUP_SHAPE[group], steps] + 0.5).astype(np.int64)
    return np.asarray(np.maximum(days, 1))
