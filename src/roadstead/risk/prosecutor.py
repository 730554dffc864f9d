"""Prosecutor risk: the attacker knows that the person is in the data.

A record in an equivalence class of f records is re-identified with probability 1/f (paper 001,
Re-identification risk). Averages are over records, not over classes, so small classes do not
weigh more than they hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ProsecutorRisk:
    """Risk of a table, from the sizes of its equivalence classes.

    Attributes
    ----------
    maximum
        Risk of the record most at risk, 1 / smallest class; 0 when there is no record.
    average
        Expected share of records re-identified: classes / records.
    share_above_threshold
        Share of records whose risk is above the threshold.
    threshold
        The risk that is still acceptable.
    records, classes, uniques
        Records, equivalence classes, and records that are alone in theirs.
    smallest, largest
        Records in the smallest and the largest class.
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


def prosecutor_risk(sizes: NDArray[np.int64], threshold: float) -> ProsecutorRisk:
    """Work out prosecutor risk.

    Parameters
    ----------
    sizes
        Records in each class. Classes of none, of people who are not in the table, do not count.
    threshold
        The risk that is still acceptable: 1/k under k-anonymity.
    """
    sizes = sizes[sizes > 0]
    if not sizes.size:
        return ProsecutorRisk(0.0, 0.0, 0.0, threshold, 0, 0, 0, 0, 0)
    records = int(sizes.sum())
    # 1/f > t compared as f * t < 1 would stumble over rounding at f = k; so does 1/f alone.
    above = int(sizes[1.0 / sizes > threshold * (1.0 + 1e-12)].sum())
    return ProsecutorRisk(
        maximum=1.0 / int(sizes.min()),
        average=sizes.size / records,
        share_above_threshold=above / records,
        threshold=threshold,
        records=records,
        classes=int(sizes.size),
        uniques=int((sizes == 1).sum()),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
    )


def size_histogram(sizes: NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Pairs of class size and the number of records in classes of that size, ascending."""
    values, number = np.unique(sizes[sizes > 0], return_counts=True)
    return tuple((int(v), int(v * n)) for v, n in zip(values, number, strict=True))
