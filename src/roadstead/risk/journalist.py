"""Journalist risk: the attacker does not know who is in the data, and looks for anybody.

A record whose quasi-identifiers F people of the population share is re-identified with probability
1/F, however few records of the sample are like it (paper 001, Re-identification risk). Only classes
with a record count: nobody is found through a record that was not released.

Where the population is not known, but the share p of it that was drawn, the expected value of 1/F
for a class of f records stands in (paper 001, method D2). That is an estimate, and named so.
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
    """Risk of a table against a known population.

    Attributes
    ----------
    maximum
        Risk of the record most at risk, 1 / fewest people; 0 when there is no record.
    average
        Mean over records, not over classes.
    share_above_threshold
        Share of records whose risk is above the threshold.
    threshold
        The risk that is still acceptable.
    records, classes
        Records, and equivalence classes that have one.
    uniques
        Records whose person is alone in the population.
    smallest, largest
        People in the smallest and in the largest class that has a record.
    """

    maximum: float
    average: float
    share_above_threshold: float
    threshold: float
    records: int
    classes: int
    uniques: int
    smallest: int
    largest: int


@dataclass(frozen=True)
class EstimatedJournalistRisk:
    """Risk of a table that is a sample of a population nobody has counted.

    Attributes
    ----------
    maximum, average, share_above_threshold, threshold, records, classes
        As in `JournalistRisk`, with the expected value of 1/F in place of 1/F.
    fraction
        The share of the population that was drawn.
    """

    maximum: float
    average: float
    share_above_threshold: float
    threshold: float
    records: int
    classes: int
    fraction: float


def journalist_risk(
    records: NDArray[np.int64], people: NDArray[np.int64], threshold: float
) -> JournalistRisk:
    """Work out journalist risk against a known population.

    Parameters
    ----------
    records, people
        Records of the sample and people of the population in each class. Classes without a record
        do not count.
    threshold
        The risk that is still acceptable: 1/k under k-map.

    Raises
    ------
    SettingError
        When a class has fewer people than records.
    """
    people, records = with_records(people, records)
    if not records.size:
        return JournalistRisk(0.0, 0.0, 0.0, threshold, 0, 0, 0, 0, 0)
    risks = 1.0 / people
    total = int(records.sum())
    return JournalistRisk(
        maximum=1.0 / int(people.min()),
        average=float(records @ risks) / total,
        share_above_threshold=_above(records, risks, threshold) / total,
        threshold=threshold,
        records=total,
        classes=int(records.size),
        uniques=int((people == 1).sum()),
        smallest=int(people.min()),
        largest=int(people.max()),
    )


def estimated_journalist_risk(
    sizes: NDArray[np.int64], fraction: float, threshold: float
) -> EstimatedJournalistRisk:
    """Estimate journalist risk from the sample alone.

    Parameters
    ----------
    sizes
        Records of the sample in each class. Classes of none do not count.
    fraction
        The share of the population that was drawn, above 0 and at most 1. With 1 the risk is the
        prosecutor's.
    threshold
        The risk that is still acceptable.

    Raises
    ------
    SettingError
        When the fraction is none.
    """
    sizes = sizes[sizes > 0]
    risks = individual_risk(sizes, fraction)
    if not sizes.size:
        return EstimatedJournalistRisk(0.0, 0.0, 0.0, threshold, 0, 0, fraction)
    total = int(sizes.sum())
    return EstimatedJournalistRisk(
        maximum=float(risks.max()),
        average=float(sizes @ risks) / total,
        share_above_threshold=_above(sizes, risks, threshold) / total,
        threshold=threshold,
        records=total,
        classes=int(sizes.size),
        fraction=fraction,
    )


def with_records(
    people: NDArray[np.int64], records: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """People and records of the classes that have a record.

    Raises
    ------
    SettingError
        When a class has fewer people than records.
    """
    present = records > 0
    people, records = people[present], records[present]
    if (people < records).any():
        raise SettingError(
            f"{int((people < records).sum()):,} classes have fewer people than records",
            where="population",
            fix="count everybody who is in the table as one of the population",
        )
    return people, records


def _above(records: NDArray[np.int64], risks: NDArray[np.float64], threshold: float) -> int:
    return int(records[risks > threshold * _ROUNDING].sum())
