"""Journalist risk: the attacker does not know who is in the data, and looks for any person.

If F people of the population share the quasi-identifiers of a record, the record is re-identified
with probability 1/F, even if few records of the sample match it (paper 001, Re-identification
risk). Only classes with a record count: a record that is not released cannot identify a person.

If only the sampled share p of the population is known, 1/F is replaced by its expected value for a
class of f records (paper 001, method D2). This value is an estimate, and is labeled as an estimate.

The average is also the expected success of a *marketer*. This attacker links every record to a
random matching person, and the success is the share of correct links (Dankar and El Emam 2010). If
only the sample is known, the marketer's success is the prosecutor's average, which is the highest
possible value. A single record may be found with certainty even if the share is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk

_ROUNDING = 1.0 + 1e-12
"""Allows for rounding errors: at F = 1/t, both 1/F > t and F * t < 1 can be wrong."""


@dataclass(frozen=True)
class JournalistRisk:
    """Journalist risk of the records, as shares; 0 without records.

    If `estimated`, the figures are expectations, because only the size of the population is known.
    `uniques` has the number of records whose person is unique in the population, or None if the
    number is not known.
    """

    maximum: float
    average: float
    share_above_threshold: float
    estimated: bool
    uniques: int | None = None


def journalist_risk(
    records: NDArray[np.int64], people: NDArray[np.int64], threshold: float
) -> JournalistRisk:
    """Compute journalist risk from the records and the people of the population in each class.

    A class with fewer people than records raises a SettingError.
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
    """Estimate journalist risk from the records in each class of the sample alone.

    `fraction` is the share of the population that was sampled, above 0 and at most 1. If it is 1,
    the result is the prosecutor risk.
    """
    sizes = sizes[sizes > 0]
    found = _chances(sizes, individual_risk(sizes, fraction), threshold)
    return JournalistRisk(*found, estimated=True)


def estimated_risk_of_persons(
    persons: NDArray[np.int64], fitting: NDArray[np.int64], fraction: float, threshold: float
) -> JournalistRisk:
    """Estimate the journalist risk of people from the number of matching people in the sample.

    `persons` has the number of people of each kind. `fitting` has, for each kind, the number of
    people who match what an attacker knows about one of its people, or 0 if the kind is absent.
    `fraction` is the sampled share of the population.
    """
    persons, fitting = persons[fitting > 0], fitting[fitting > 0]
    found = _chances(persons, individual_risk(fitting, fraction), threshold)
    return JournalistRisk(*found, estimated=True)


def _chances(
    records: NDArray[np.int64], risks: NDArray[np.float64], threshold: float
) -> tuple[float, float, float]:
    """Return the maximum, the mean over records (not classes), and the share over the threshold."""
    if not records.size:
        return 0.0, 0.0, 0.0
    total = int(records.sum())
    above = int(records[risks > threshold * _ROUNDING].sum())
    return float(risks.max()), float(records @ risks) / total, above / total
