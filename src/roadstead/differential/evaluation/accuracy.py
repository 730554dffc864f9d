"""Measure how well a release predicts other records' classes, and how similar it is to the table.

Three figures describe a classifier (paper 002, "Adult data set"):

* **CA**, classification accuracy: the classifier learns from the released groups, and is tested on
  other records, generalized by the cuts of the release;
* **BA**, baseline accuracy: the classifier learns from unchanged records, and is tested on
  unchanged records;
* **LA**, lower-bound accuracy: the share of the majority class.

The **total variation distance** and **Cramer's V** compare the release with the table after the
table is generalized by the same cuts. No figure is private, because records are counted exactly.
The figures are only for the custodian, or for research with public data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import CutGroups, SetCut
from roadstead.differential.evaluation.classifiers import Classifier, Majority
from roadstead.differential.evaluation.features import (
    Examples,
    counted_groups,
    examples_of,
    generalized_examples,
    raw_examples,
)
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SettingError


def split(table: PrivateTable, share: float, seed: int) -> tuple[PrivateTable, PrivateTable]:
    """Split the records of a table into a part for training and a part for testing.

    `share` is the size of the first part, between 0 and 1, rounded to whole records. The function
    draws records without replacement, so the counts of a part are multivariate hypergeometric. The
    random number generator is seeded, because the parts are not released and therefore do not need
    secret randomness.
    """
    if not 0 < share < 1:
        raise SettingError(
            f"a share of {share:g} is not between 0 and 1",
            fix="give a number between 0 and 1",
        )
    chance, size = np.random.default_rng(seed), round(table.records * share)
    first = chance.multivariate_hypergeometric(table.counts, size, method="marginals")
    return part_of(table, first), part_of(table, table.counts - first)


def part_of(table: PrivateTable, counts: NDArray[np.int64]) -> PrivateTable:
    """Return a table with the given number of records for each row."""
    some = counts > 0
    return replace(
        table,
        codes=tuple(code[some] for code in table.codes),
        target=table.target[some],
        counts=counts[some],
        left_out=0,
        homeless=(),
        clamped=(),
        unlisted=(),
    )


def accuracy_of(
    groups: CutGroups,
    counts: NDArray[np.int64],
    test: PrivateTable,
    classifier: Classifier,
    seed: int = 0,
) -> float:
    """Return CA, the accuracy on other records of a classifier that learns from released groups.

    `counts` are the released counts, in shape ``(groups, classes)``. Cells below 1 are omitted. The
    cuts of the release generalize the test records.
    """
    learned = examples_of(groups, counts)
    return _share_right(learned, generalized_examples(test, groups.cuts), classifier, seed)


def baseline_accuracy(
    train: PrivateTable, test: PrivateTable, classifier: Classifier, seed: int = 0
) -> float:
    """Return BA, the accuracy of a classifier that learns and predicts with unchanged records."""
    return _share_right(raw_examples(train), raw_examples(test), classifier, seed)


def lower_bound_accuracy(train: PrivateTable, test: PrivateTable) -> float:
    """Return LA, the accuracy of always predicting the most frequent training class."""
    learned, tested = (
        Examples(np.zeros((one.rows, 0), dtype=np.float32), one.target, one.counts)
        for one in (train, test)
    )
    return _share_right(learned, tested, Majority())


def _share_right(
    learned: Examples, tested: Examples, classifier: Classifier, seed: int = 0
) -> float:
    if not tested.records:
        raise SettingError("there are no records to test on", fix="hold out some records")
    predicted = classifier.learn(learned, seed)(tested.matrix)
    return float(tested.weights[predicted == tested.target].sum() / tested.records)


@dataclass(frozen=True)
class MeanOfRuns:
    """A mean over runs, and the confidence interval of the expected value."""

    mean: float  # the mean of the runs
    margin: float  # half the width of the confidence interval
    runs: int

    @property
    def low(self) -> float:
        """The lower end of the confidence interval."""
        return self.mean - self.margin

    @property
    def high(self) -> float:
        """The upper end of the confidence interval."""
        return self.mean + self.margin


def mean_of_runs(values: Sequence[float]) -> MeanOfRuns:
    """Return the mean over at least two runs, and its 95% confidence interval by Student's t.

    The folds of one cross-validation share records, so their interval is too narrow.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    runs = len(values)
    if runs == 1:
        raise SettingError(
            "a single run does not show how much results vary", fix="make at least 2 runs"
        )
    quantile = float(stdtrit(runs - 1, 0.975))
    return MeanOfRuns(fmean(values), quantile * stdev(values) / sqrt(runs), runs)


CLASS = "class"
"""The name of the class among the variables."""

_TWO = 2


@dataclass(frozen=True)
class OneVariable:
    """A variable, and the distance between its distributions in the release and in the table."""

    variable: str
    distance: float


@dataclass(frozen=True)
class TwoVariables:
    """Two variables, the distance of their joint distributions, and Cramer's V in each table."""

    variables: tuple[str, str]
    distance: float
    in_table: float
    in_release: float


@dataclass(frozen=True)
class Similarity:
    """The similarity of a release and its table, for single variables and for pairs.

    The figures are not private.
    """

    ones: tuple[OneVariable, ...] = field(repr=False)
    twos: tuple[TwoVariables, ...] = field(repr=False)

    @property
    def one_way(self) -> float:
        """The mean total variation distance of single variables."""
        return fmean(one.distance for one in self.ones)

    @property
    def two_way(self) -> float:
        """The mean total variation distance of pairs of variables, or 0 if there are no pairs."""
        return fmean([two.distance for two in self.twos] or [0.0])

    @property
    def correlation_change(self) -> float:
        """The mean absolute change in Cramer's V, or 0 if there are no pairs."""
        return fmean([abs(two.in_release - two.in_table) for two in self.twos] or [0.0])


@dataclass(frozen=True, eq=False)
class _Variable:
    """A variable with one value below `size` per row."""

    name: str
    values: NDArray[np.int64]
    size: int


def similarity(groups: CutGroups, counts: NDArray[np.int64], table: PrivateTable) -> Similarity:
    """Compare released groups and their counts with the table. An empty release has distance 1."""
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
    """Return the total variation distance between the distributions in two tables of counts."""
    excess = true / max(true.sum(), 1) - released / max(released.sum(), 1)
    return float(max(np.maximum(excess, 0).sum(), np.maximum(-excess, 0).sum()))


def cramers_v(counts: NDArray[np.float64]) -> float:
    """Return the association of two variables, from 0 to 1 (Cramer 1946).

    Only values that occur are used.
    """
    own = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    fewest = min(own.shape)
    if fewest < _TWO:
        return 0.0
    records = own.sum()
    expected = own.sum(axis=1, keepdims=True) * own.sum(axis=0) / records
    chi_squared = ((own - expected) ** 2 / expected).sum()
    return min(sqrt(chi_squared / (records * (fewest - 1))), 1.0)


def _variables(groups: CutGroups, classes: int) -> Iterator[_Variable]:
    """Yield the variables of groups, with one row for each group and class."""
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
    """Count the records by the values of one or two variables, with one axis per variable."""
    sizes = tuple(one.size for one in variables)
    cells = np.ravel_multi_index(tuple(one.values for one in variables), sizes)
    flat = np.bincount(cells, weights=counts, minlength=int(np.prod(sizes)))
    return np.asarray(flat, dtype=np.float64).reshape(sizes)
