"""Find columns of numbers that rank the records in nearly the same order as another column.

Examples are an age in days and an age in years, or an amount in two currencies. The ranks in both
columns are nearly the same, or nearly reversed. The module compares ranks because a single extreme
value can hide or imitate a linear dependency.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
from roadstead.tables.identifiers.objections import Objection

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FOLLOWS: Final = 0.98
"""The minimum absolute value of the rank correlation."""
_FEWEST: Final = 8
"""The minimum number of distinct numbers in each column."""
_FEWEST_RECORDS: Final = 30
_MOST: Final = 20_000
"""The maximum number of compared records."""


def following(rows: DrawnRows, candidates: Sequence[str], target: str) -> list[Objection]:
    """Return objections to columns of numbers with nearly the same ranks as a target column."""
    own = _numbers(rows[target])
    if own is None:
        return []
    found = []
    for name in candidates:
        numbers = _numbers(rows[name])
        if numbers is None:
            continue
        there = ~(np.isnan(own) | np.isnan(numbers))
        if there.sum() < _FEWEST_RECORDS:
            continue
        size = abs(_correlation(_ranks(own[there]), _ranks(numbers[there])))
        if size >= _FOLLOWS:
            why = f"{name} almost determines {target}: their rank correlation is {size:.3f}"
            found.append(Objection(name, "undoes", why, (target,)))
    return found


def _numbers(column: DrawnColumn) -> NDArray[np.float64] | None:
    """Return the numbers of the first sampled records, or None if a value is not a number."""
    if column.distinct < _FEWEST or (numbers := column.numbers) is None:
        return None
    codes = column.codes[:_MOST]
    return np.where(codes >= 0, numbers[np.maximum(codes, 0)], np.nan)


def _ranks(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of numbers. Equal numbers get the mean of their ranks."""
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2.0)[place]


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    a, b = one - one.mean(), other - other.mean()
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / size if size else 0.0
