"""Count or estimate the released records that match fewer than k people in the population.

Rules such as d4 (`minimal_size`) limit the probability that a class with fewer than k people
passes. Such a rule does not show how many of the classes that pass have fewer than k people. If
every person in the population is known, Roadstead counts these records. Otherwise, Roadstead
estimates the number of these records (`class_size_law`). The estimate uses the sizes of all classes
in the sample, including suppressed classes. Roadstead also computes a range that is valid for any
class sizes in the population (`class_size_range`).

The decision to release a class must depend only on its records, not on people who were not sampled.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.class_size_law import SizeGrid, below, class_size_range, fit_sizes, size_grid
from roadstead.risk.individual_risk import check_fraction

_DIGITS, _DIGITS_OF_ENDS = 3, 2


@dataclass(frozen=True)
class BelowK:
    """The number of released records in classes with fewer than k people in the population.

    If `estimated` is true, only the size of the population is known, and `records` is rounded to
    three significant digits. `low` and `high` are the lowest and the highest number that are
    consistent with the table. They are rounded outwards to two digits. `share` is the share of the
    `released` records.
    """

    records: int
    share: float
    low: int
    high: int
    k: int
    released: int
    estimated: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        return asdict(self)


def counted_below_k(records: NDArray[np.int64], people: NDArray[np.int64], k: int) -> BelowK:
    """Count the records in classes with fewer than k people."""
    found, released = int(records[people < k].sum()), int(records.sum())
    return BelowK(found, found / max(released, 1), found, found, k, released, estimated=False)


def estimated_below_k(
    sizes: NDArray[np.int64], released: NDArray[np.bool_], fraction: float, k: int
) -> BelowK:
    """From the sample, estimate the number of records in classes with fewer than k people.

    `sizes` contains the sizes of all classes in the sample, including classes that are not
    released. Classes without records are ignored. `fraction` is the share of the population that
    was sampled. People must be sampled independently of each other.
    """
    check_fraction(fraction)
    values, places = np.unique(sizes, return_inverse=True)
    every = np.bincount(places, minlength=values.size)
    out = np.bincount(places[released], minlength=values.size)
    triples = zip(values.tolist(), every.tolist(), out.tolist(), strict=True)
    return _estimated(tuple(one for one in triples if one[0] > 0), fraction, k)


def least_size_within(
    sizes: NDArray[np.int64], released: NDArray[np.bool_], fraction: float, k: int, share: float
) -> int:
    """Return the minimum class size at which at most `share` of the released records are below k.

    The first three parameters are the same as in `estimated_below_k`. The result is at most k,
    because every class of k records has at least k people.
    """
    check_fraction(fraction)
    out = np.bincount(sizes[released], minlength=k + 1)
    records = out * np.arange(out.size)
    below_k = np.zeros(out.size)
    if fraction < 1.0:
        found = np.unique(sizes[sizes > 0], return_counts=True)
        grid, chances = _chances(
            tuple(zip(*(one.tolist() for one in found), strict=True)), fraction, k
        )
        below_k[1:k] = chances[grid.cell_of(np.arange(1, k))]
    else:
        below_k[:k] = 1.0
    for least in range(int(sizes[released].min(initial=k)), k):
        if below_k[least:] @ records[least:] <= share * records[least:].sum():
            return least
    return k


@lru_cache(maxsize=64)
def _estimated(triples: tuple[tuple[int, int, int], ...], fraction: float, k: int) -> BelowK:
    """Compute the estimate from triples (size, number of classes, number of released classes)."""
    released = sum(size * number for size, _, number in triples)
    most = sum(size * number for size, _, number in triples if size < k)
    if fraction == 1.0 or not most:
        return BelowK(most, most / max(released, 1), most, most, k, released, estimated=True)
    every = tuple((size, number) for size, number, _ in triples)
    grid, chances = _chances(every, fraction, k)
    values = np.array([size for size, _, _ in triples], dtype=np.int64)
    numbers = np.array([number for _, number, _ in triples], dtype=np.int64)
    out = np.array([size * number for size, _, number in triples], dtype=np.int64)
    classes, records = grid.cells(values, numbers), grid.cells(values, out)
    ends = class_size_range(grid, classes, records) or (0.0, float(most))
    high = min(_outwards(ends[1], ceil), most)
    low = min(_outwards(ends[0], floor), high)
    found = min(max(round(_rounded(float(chances @ records))), low), high)
    return BelowK(found, found / released, low, high, k, released, estimated=True)


@lru_cache(maxsize=8)
def _chances(
    every: tuple[tuple[int, int], ...], fraction: float, k: int
) -> tuple[SizeGrid, NDArray[np.float64]]:
    """Return the grid of sizes, and the probability of fewer than k people for each cell."""
    values, numbers = np.array(every, dtype=np.int64).T
    grid = size_grid(fraction, k)
    return grid, below(grid, fit_sizes(grid, grid.cells(values, numbers)))


def _rounded(number: float) -> float:
    return round(number, _DIGITS - 1 - _exponent(number)) if number else 0.0


def _outwards(number: float, rounding: Any) -> int:  # noqa: ANN401 - floor or ceil
    """Round a range outwards to two significant digits and to whole numbers."""
    unit = 10.0 ** max(_exponent(number) + 1 - _DIGITS_OF_ENDS, 0) if number else 1.0
    return int(rounding(number / unit) * unit)


def _exponent(number: float) -> int:
    return floor(log10(number))
