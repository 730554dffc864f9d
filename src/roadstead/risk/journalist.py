"""Journalist risk: the attacker does not know who is in the data, and looks for anybody.

A record whose quasi-identifiers F people of the population share is re-identified with probability
1/F, however few records of the sample are like it (paper 001, Re-identification risk). Only classes
with a record count: nobody is found through a record that was not released.

Where the population is not known, but the share p of it that was drawn, the expected value of 1/F
for a class of f records stands in (paper 001, method D2). That is an estimate, and named so.

The average is also what a *marketer* can expect who links every record to one of the people like
it, at random: the share of them that is right (Dankar and El Emam 2010). Where the sample alone is
known, that is the prosecutor's average, the most there can be. A single record may be certain to be
found where the share is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk

_ROUNDING = 1.0 + 1e-12
"""1/F > t compared as F * t < 1 would stumble over rounding at F = 1/t; so does 1/F alone."""


@dataclass(frozen=True)
class JournalistRisk:
    """What a journalist can expect: shares of the records, 0 where there is none.

    `estimated` where they are expectations, as the population is known by its size alone; `uniques`
    are the records whose person is alone in the population, None where that is not known.
    """

    maximum: float
    average: float
    share_above_threshold: float
    estimated: bool
    uniques: int | None = None


def journalist_risk(
    records: NDArray[np.int64], people: NDArray[np.int64], threshold: float
) -> JournalistRisk:
    """Work out journalist risk from the records and the people of the population in each class.

    A class of fewer people than records is a SettingError.
    """
    people, records = people[records > 0], records[records > 0]
    if (people < records).any():
        raise SettingError(
            f"{int((people < records).sum()):,} groups have fewer people than records",
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
    """Estimate journalist risk of persons from how many persons of the sample fit them.

    `persons` has how many there are of each kind, `fitting` how many fit what is known of one; 0
    where nobody is. `fraction` is the share of the population's persons that was drawn.
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
