"""Journalist risk: the attacker does not know who is in the data, and looks for any person.

If F people of the population share the quasi-identifiers of a record, the record is re-identified
with probability 1/F, even if few records of the sample match it (paper 001, Re-identification
risk). Only classes with a record count: a record that is not released cannot identify a person.

If only the sampled share p of the population is known, 1/F is replaced by its expected value for a
class of f records (paper 001, method D2). This is an estimate, and is labeled so.

The average is also the expected success of a *marketer*, an attacker who links every record to a
random matching person: the share of correct links (Dankar and El Emam 2010). If only the sample is
known, this is the prosecutor's average, the highest possible value. A single record may be found
with certainty even if the share is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk

_ROUNDING = 1.0 + 1e-12
"""Comparing 1/F > t as F * t < 1 would have rounding errors at F = 1/t; so does 1/F alone."""


@dataclass(frozen=True)
class JournalistRisk:
    """Journalist risk of the records, as shares; 0 without records.

    `estimated`: the figures are expectations, because only the size of the population is known;
    `uniques` has the number of records whose person is unique in the population, None if it is not
    known.
    """

    maximum: float
    average: float
    share_above_threshold: float
    estimated: bool
    uniques: int | None = None


def journalist_risk(
    records: NDArray[np.int64], people: NDArray[np.int64], threshold: float
) -> JournalistRisk:
    """Compute journalist risk from each class's records and people of the population.

    A class of fewer people than records is a SettingError.
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

    `fraction` is the share of the population that was drawn, above 0 and at most 1; with 1 the risk
    is the prosecutor's.
    """
    sizes = sizes[sizes > 0]
    found = _chances(sizes, individual_risk(sizes, fraction), threshold)
    return JournalistRisk(*found, estimated=True)


def estimated_risk_of_persons(
    persons: NDArray[np.int64], fitting: NDArray[np.int64], fraction: float, threshold: float
) -> JournalistRisk:
    """Estimate the journalist risk of people from how many people of the sample match them.

    `persons` has the number of people of each kind, and `fitting` the number of people who match
    what an attacker knows about one of them; it is 0 for an absent kind. `fraction` is the sampled
    share of the population.
    """
    persons, fitting = persons[fitting > 0], fitting[fitting > 0]
    found = _chances(persons, individual_risk(fitting, fraction), threshold)
    return JournalistRisk(*found, estimated=True)


def _chances(
    records: NDArray[np.int64], risks: NDArray[np.float64], threshold: float
) -> tuple[float, float, float]:
    """Maximum, mean over the records (not the classes), and share above the threshold."""
    if not records.size:
        return 0.0, 0.0, 0.0
    total = int(records.sum())
    above = int(records[risks > threshold * _ROUNDING].sum())
    return float(risks.max()), float(records @ risks) / total, above / total
