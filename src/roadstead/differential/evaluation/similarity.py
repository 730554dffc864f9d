"""What a release keeps of the table: its marginals, and how its attributes go together.

Whoever analyzes a release wants more than one class predicted. So each variable's distribution, and
that of each two together, is compared with the table's at the detail that the release shows: both
are generalized by the same cuts. Two figures:

* **total variation distance** of the two distributions: the share of the records that would have to
  be moved to make them equal, from 0 to 1;
* **Cramer's V** of two variables in either: from 0 (they have nothing to do with each other) to 1
  (one determines the other). It is the correlation of categories.

The variables are the attributes that are shown, for a set each node as yes or no, and
the class. The figures compare with the true table, so they are *not private*: they are for the
custodian, who has the table, and not to be released.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import CutGroups, SetCut
from roadstead.differential.evaluation.features import counted_groups
from roadstead.differential.private_table import PrivateTable

CLASS = "class"
"""What the class is called among the variables."""

_TWO = 2


@dataclass(frozen=True)
class OneVariable:
    """A variable, and the total variation distance of its distributions in release and table."""

    variable: str
    distance: float


@dataclass(frozen=True)
class TwoVariables:
    """Two variables: the distance of their joint distributions, and Cramer's V in either."""

    variables: tuple[str, str]
    distance: float
    in_table: float
    in_release: float


@dataclass(frozen=True)
class Similarity:
    """How like the table a release is: each variable, the class last, and each two; not private."""

    ones: tuple[OneVariable, ...] = field(repr=False)
    twos: tuple[TwoVariables, ...] = field(repr=False)

    @property
    def one_way(self) -> float:
        """Mean total variation distance of the variables."""
        return fmean(one.distance for one in self.ones)

    @property
    def two_way(self) -> float:
        """Mean total variation distance of two variables; 0 if there is only the class."""
        return fmean([two.distance for two in self.twos] or [0.0])

    @property
    def correlation_change(self) -> float:
        """Mean change of Cramer's V, up or down; 0 if there is only the class."""
        return fmean([abs(two.in_release - two.in_table) for two in self.twos] or [0.0])


@dataclass(frozen=True, eq=False)
class _Variable:
    """One variable of all rows: shape ``(rows,)``, values below `size`."""

    name: str
    values: NDArray[np.int64]
    size: int


def similarity(groups: CutGroups, counts: NDArray[np.int64], table: PrivateTable) -> Similarity:
    """Compare released groups and their counts with the table; an empty release has distance 1."""
    truth = counted_groups(table, groups.cuts)
    before = list(_variables(truth.groups, truth.counts.shape[1]))
    after = list(_variables(groups, counts.shape[1]))
    true, released = truth.counts.ravel(), counts.ravel()
    ones = tuple(
        OneVariable(old.name, total_variation(_table([old], true), _table([new], released)))
        for old, new in zip(before, after, strict=True)
    )
    twos = []
    for first, second in combinations(range(len(before)), 2):
        old = _table([before[first], before[second]], true)
        new = _table([after[first], after[second]], released)
        names = before[first].name, before[second].name
        twos.append(TwoVariables(names, total_variation(old, new), cramers_v(old), cramers_v(new)))
    return Similarity(ones, tuple(twos))


def total_variation(true: NDArray[np.float64], released: NDArray[np.float64]) -> float:
    """Measure the distance of two tables of counts as distributions: 0 to 1, 1 if one is empty."""
    excess = true / max(true.sum(), 1) - released / max(released.sum(), 1)
    return float(max(np.maximum(excess, 0).sum(), np.maximum(-excess, 0).sum()))


def cramers_v(counts: NDArray[np.float64]) -> float:
    """Measure how two variables go together, from 0 to 1 (Cramer 1946); values that occur count."""
    own = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    fewest = min(own.shape)
    if fewest < _TWO:
        return 0.0
    records = own.sum()
    expected = own.sum(axis=1, keepdims=True) * own.sum(axis=0) / records
    chi_squared = ((own - expected) ** 2 / expected).sum()
    return min(sqrt(chi_squared / (records * (fewest - 1))), 1.0)


def _variables(groups: CutGroups, classes: int) -> Iterator[_Variable]:
    """List the variables of groups, one row for each group and class."""
    for cut, codes, sets in groups.attributes:
        if not cut.is_specialized:
            continue
        if isinstance(cut, SetCut):
            for node, label in enumerate(cut.labels):
                has = np.array([node in places for places in sets or ()], dtype=np.int64)
                yield _Variable(f"{cut.attribute}: {label}", np.repeat(has[codes], classes), _TWO)
        else:
            values = np.repeat(codes.astype(np.int64), classes)
            yield _Variable(cut.attribute, values, cut.size)
    yield _Variable(CLASS, np.tile(np.arange(classes), groups.size), classes)


def _table(variables: list[_Variable], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count the records by one or two variables; an axis for each."""
    sizes = tuple(one.size for one in variables)
    cells = np.ravel_multi_index(tuple(one.values for one in variables), sizes)
    flat = np.bincount(cells, weights=counts, minlength=int(np.prod(sizes)))
    return np.asarray(flat, dtype=np.float64).reshape(sizes)
