"""Privacy models that are unknown to the engine, with their conditions in plain Python.

They represent models of other packages. One is not monotone and uses sizes. One is monotone and
uses a column that is not a quasi-identifier. One uses such a column and is not monotone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from lattices import Admits, Case
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.models.k_anonymity import KAnonymity

Histogram = NDArray[np.int64]
"""Records of each row of the table with each sensitive value, shape ``(rows, values)``."""


@dataclass(frozen=True)
class EvenClasses:
    """Classes of an even number of records: together with one more record, one fails."""

    name: str = "even classes"
    promise: str = "Every class is even."
    threshold: float = 1.0
    merges: bool = True
    per_class: bool = True

    @property
    def monotone_part(self) -> KAnonymity:
        """An even class has at least two records."""
        return KAnonymity(2)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is even."""
        answer: NDArray[np.bool_] = classes.sizes % 2 == 0
        return answer

    def settings(self) -> dict[str, Any]:
        """Nothing to set."""
        return {"kind": self.name}


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """Classes with at least `least` different sensitive values (distinct l-diversity)."""

    least: int
    histogram: Histogram
    name: str = "distinct values"
    promise: str = "Every class has several values."
    threshold: float = 1.0
    merges: bool = True
    per_class: bool = True

    @property
    def monotone_part(self) -> DistinctValues:
        """Itself: more records have no fewer values."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Count the values that occur in each class."""
        answer: NDArray[np.bool_] = (
            np.count_nonzero(totals(self.histogram, classes), axis=1) >= self.least
        )
        return answer

    def settings(self) -> dict[str, Any]:
        """The number wanted."""
        return {"kind": self.name, "least": self.least}


@dataclass(frozen=True, eq=False)
class Balanced:
    """Classes of which no sensitive value has more than half."""

    histogram: Histogram
    name: str = "balanced"
    promise: str = "No value has more than half of a class."
    threshold: float = 1.0
    merges: bool = True
    per_class: bool = True

    @property
    def monotone_part(self) -> DistinctValues:
        """No value has more than half: then there are two at least."""
        return DistinctValues(2, self.histogram)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Compare the most frequent value with the rest."""
        most = totals(self.histogram, classes).max(axis=1)
        answer: NDArray[np.bool_] = 2 * most <= classes.sizes
        return answer

    def settings(self) -> dict[str, Any]:
        """Nothing to set."""
        return {"kind": self.name}


def totals(histogram: Histogram, classes: Classes) -> Histogram:
    """Records of each class with each sensitive value."""
    found = np.zeros((classes.sizes.size, histogram.shape[1]), dtype=np.int64)
    np.add.at(found, classes.ids, histogram[classes.rows])
    return found


def even(case: Case) -> Admits:
    """Say in plain Python what `EvenClasses` asks."""
    return lambda rows: sum(case.counts[row] for row in rows) % 2 == 0


def distinct(least: int, histogram: Histogram) -> Admits:
    """Say in plain Python what `DistinctValues` asks."""
    return lambda rows: sum(n > 0 for n in _added(histogram, rows)) >= least


def balanced(histogram: Histogram) -> Admits:
    """Say in plain Python what `Balanced` asks."""
    return lambda rows: 2 * max(_added(histogram, rows)) <= sum(_added(histogram, rows))


def _added(histogram: Histogram, rows: Sequence[int]) -> list[int]:
    listed = histogram.tolist()
    return [sum(listed[row][value] for row in rows) for value in range(histogram.shape[1])]


def histograms(case: Case) -> st.SearchStrategy[Histogram]:
    """Ways to give the records of a case one of three sensitive values."""
    cuts = st.tuples(*[st.tuples(st.integers(0, n), st.integers(0, n)) for n in case.counts])
    return cuts.map(
        lambda pairs: np.array(
            [
                (min(pair), max(pair) - min(pair), n - max(pair))
                for pair, n in zip(pairs, case.counts, strict=True)
            ],
            dtype=np.int64,
        )
    )
