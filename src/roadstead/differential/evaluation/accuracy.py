"""How well a classifier that learned from a release predicts the class of other records.

Three figures belong together (paper 002, "Adult data set"):

* **CA**, classification accuracy: learned from the released groups, tested on records that were not
  among those released, generalized by the cuts of the release;
* **BA**, baseline accuracy: learned from the same records as they are, tested on records as they
  are. BA - CA is what the release costs;
* **LA**, lower-bound accuracy: all attributes removed, and so the share of the majority class.
  CA - LA is what the release is good for.

None of them is private: the test records are counted exactly. They are for the custodian's eyes, or
for research on data that are public anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import CutGroups
from roadstead.differential.evaluation.classifiers import Classifier, Majority
from roadstead.differential.evaluation.features import (
    MOST_NODES,
    Examples,
    examples_of,
    generalized_examples,
    raw_examples,
)
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SettingError


def split(table: PrivateTable, share: float, seed: int) -> tuple[PrivateTable, PrivateTable]:
    """Part the records of a table: those to learn from, and those to test on.

    `share`: how large the first part is, between 0 and 1; rounded to whole records. Equal records
    are one row with a count, so a part takes some of a row's records, as if each had been drawn by
    itself without being put back: a multivariate hypergeometric draw of the counts. What was left
    out of the whole table is counted in neither.

    Chance here is a seeded generator. A part is no release and nothing that is published follows
    from it but accuracies, which are for the custodian's eyes.
    """
    if not 0 < share < 1:
        raise SettingError(
            f"a share of {share:g} is not a part of the records",
            fix="give a number between 0 and 1",
        )
    chance, size = np.random.default_rng(seed), round(table.records * share)
    first = chance.multivariate_hypergeometric(table.counts, size, method="marginals")
    return part_of(table, first), part_of(table, table.counts - first)


def part_of(table: PrivateTable, counts: NDArray[np.int64]) -> PrivateTable:
    """Take some records of each row."""
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
    """Measure CA: learn from released groups, predict other records generalized alike.

    `counts`: shape ``(groups, classes)``: their released counts; cells below 1 are left out.
    """
    learned = examples_of(groups, counts)
    return _share_right(learned, generalized_examples(test, groups.cuts), classifier, seed)


def baseline_accuracy(
    train: PrivateTable,
    test: PrivateTable,
    classifier: Classifier,
    seed: int = 0,
    most_nodes: int = MOST_NODES,
) -> float:
    """Measure BA: learn from records as they are, and predict others."""
    learned = raw_examples(train, most_nodes)
    return _share_right(learned, raw_examples(test, most_nodes), classifier, seed)


def lower_bound_accuracy(train: PrivateTable, test: PrivateTable) -> float:
    """Measure LA: predict the most frequent class of some records for all others."""
    learned, tested = (
        Examples(np.zeros((one.rows, 0), dtype=np.float32), one.target, one.counts)
        for one in (train, test)
    )
    return _share_right(learned, tested, Majority())


def _share_right(
    learned: Examples, tested: Examples, classifier: Classifier, seed: int = 0
) -> float:
    if not tested.records:
        raise SettingError("there are no records to test on", fix="hold some out")
    predicted = classifier.learn(learned, seed)(tested.matrix)
    return float(tested.weights[predicted == tested.target].sum() / tested.records)


@dataclass(frozen=True)
class MeanOfRuns:
    """A mean over runs, and where the mean of very many runs would be."""

    mean: float  # of the runs
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
    """Average a figure of two runs or more; the 95 % interval is by Student's t distribution.

    Folds of one cross-validation share records, and their interval is too narrow.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    runs = len(values)
    if runs == 1:
        raise SettingError("one run tells nothing of the spread", fix="make at least 2")
    quantile = float(stdtrit(runs - 1, 0.975))
    return MeanOfRuns(fmean(values), quantile * stdev(values) / sqrt(runs), runs)
