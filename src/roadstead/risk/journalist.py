"""Journalist risk: the attacker does not know who is in the data, and searches for any person.

If F people in the population share the quasi-identifiers of a record, the record is re-identified
with probability 1/F (paper 001, Re-identification risk). Only classes that contain a record count.
If only the sampled share p of the population is known, 1/F is replaced by its expected value for a
class of f records (paper 001, method D2).

The average is also the expected success of a *marketer*, who links every record to a random
matching person (Dankar and El Emam 2010). If only the sample is known, the marketer's success is
the prosecutor's average, which is the highest possible value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk

_ROUNDING = 1.0 + 1e-12
"""A factor that allows for rounding errors in the comparison of 1/F with a threshold."""


@dataclass(frozen=True)
class JournalistRisk:
    """The journalist risk of the records, as shares. All shares are 0 if there are no records.

    If `estimated` is true, the figures are expectations, because only the size of the population is
    known. `uniques` is the number of records about people who are unique in the population, or None
    if this number is not known.
    """

    maximum: float
    average: float
    share_above_threshold: float
    estimated: bool
    uniques: int | None = None


def journalist_risk(
    records: NDArray[np.int64], people: NDArray[np.int64], threshold: float
) -> JournalistRisk:
    """Compute journalist risk from the records and the people in each class.

    The function raises a SettingError if a class has fewer people than records.
    """
    people, records = people[records > 0], records[records > 0]
    if (people < records).any():
        number = int((people < records).sum())
        raise SettingError(
            f"{number:,} {'group has' if number == 1 else 'groups have'} fewer people than records",
            where="population",
            fix="count everyone in the table as part of the population",
        )
    found = _chances(records, 1.0 / people, threshold)
    return JournalistRisk(*found, estimated=False, uniques=int((people == 1).sum()))


def estimated_journalist_risk(
    sizes: NDArray[np.int64], fraction: float, threshold: float
) -> JournalistRisk:
    """Estimate journalist risk from the number of records in each class of the sample.

    `fraction` is the share of the population that was sampled, above 0 and at most 1. If `fraction`
    is 1, the result is the prosecutor risk.
    """
    sizes = sizes[sizes > 0]
    found = _chances(sizes, individual_risk(sizes, fraction), threshold)
    return JournalistRisk(*found, estimated=True)


def estimated_risk_of_persons(
    persons: NDArray[np.int64], fitting: NDArray[np.int64], fraction: float, threshold: float
) -> JournalistRisk:
    """Estimate the journalist risk of people from the number of matching people in the sample.

    `persons` is the number of people with each profile. `fitting` is the number of people who match
    what an attacker knows about a person of the profile, or 0 if the profile is absent. `fraction`
    is the sampled share of the population.
    """
    persons, fitting = persons[fitting > 0], fitting[fitting > 0]
    found = _chances(persons, individual_risk(fitting, fraction), threshold)
    return JournalistRisk(*found, estimated=True)


def _chances(
    records: NDArray[np.int64], risks: NDArray[np.float64], threshold: float
) -> tuple[float, float, float]:
    """Return the maximum and mean risk, and the share of records above the threshold."""
    if not records.size:
        return 0.0, 0.0, 0.0
    total = int(records.sum())
    above = int(records[risks > threshold * _ROUNDING].sum())
    return float(risks.max()), float(records @ risks) / total, above / total
