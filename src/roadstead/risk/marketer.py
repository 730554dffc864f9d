"""Marketer risk: the attacker would re-identify as many records as possible.

Whoever links every record to one of the people like it, at random, is right for a certain share of
them, in expectation: the mean over the records of one over the people alike (paper 001,
Re-identification risk; Dankar and El Emam 2010). What counts as alike depends on what is known:

    population counted   sum over classes of f / F, divided by the records
    sample alone         classes / records, as if everybody were in the table: the most there can be
    sampling fraction    the expected value of 1/F for f records in place of 1/F: an estimate

A single record may be certain to be found where the share is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.individual_risk import individual_risk
from roadstead.risk.journalist import with_records


@dataclass(frozen=True)
class MarketerRisk:
    """How many records can be expected to be re-identified when all are tried.

    Attributes
    ----------
    share
        Share of the records, 0 to 1; 0 when there is no record.
    expected
        Number of records.
    records
        Records there are.
    """

    share: float
    expected: float
    records: int


def marketer_risk(records: NDArray[np.int64], people: NDArray[np.int64]) -> MarketerRisk:
    """Work out marketer risk against a known population.

    Parameters
    ----------
    records, people
        Records and people in each class. Classes without a record do not count.

    Raises
    ------
    SettingError
        When a class has fewer people than records.
    """
    people, records = with_records(people, records)
    return _of(float((records / people).sum()), records)


def sample_marketer_risk(sizes: NDArray[np.int64]) -> MarketerRisk:
    """Work out marketer risk as if the table held the whole population.

    Parameters
    ----------
    sizes
        Records in each class. Classes of none do not count.
    """
    sizes = sizes[sizes > 0]
    return _of(float(sizes.size), sizes)


def estimated_marketer_risk(sizes: NDArray[np.int64], fraction: float) -> MarketerRisk:
    """Estimate marketer risk from the sample and the share of the population that was drawn.

    Parameters
    ----------
    sizes
        Records in each class. Classes of none do not count.
    fraction
        Above 0 and at most 1. With 1 the risk is that of `sample_marketer_risk`.

    Raises
    ------
    SettingError
        When the fraction is none.
    """
    sizes = sizes[sizes > 0]
    return _of(float(sizes @ individual_risk(sizes, fraction)), sizes)


def _of(expected: float, sizes: NDArray[np.int64]) -> MarketerRisk:
    records = int(sizes.sum())
    return MarketerRisk(expected / records if records else 0.0, expected, records)
