"""One run: part the records, make a release of one part, and predict the other part from it.

Every way is run on the same parts, so that ways can be compared run by run. Chance in a release is
the operating system's, and so figures differ a little from one reproduction to the next.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Protocol

import numpy as np

from roadstead.differential.comparators import top_down
from roadstead.differential.domains import SetDomain
from roadstead.differential.evaluation.accuracy import (
    MeanOfRuns,
    accuracy_of,
    baseline_accuracy,
    lower_bound_accuracy,
    mean_of_runs,
    part_of,
    split,
)
from roadstead.differential.evaluation.classifiers import PrunedTree
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SettingError
from roadstead_reproductions.mohammed2013.published import FOLDS, TRAINING, K
from roadstead_reproductions.mohammed2013.ways import Way

Parts = tuple[PrivateTable, PrivateTable]
"""The records to learn from, and those to be predicted."""


def folds(table: PrivateTable, number: int, seed: int) -> Iterator[Parts]:
    """Part the records for cross-validation; parts differ by one record in size, at most.

    `number`: how many parts, at least 2. Yields for each part the records outside it, to learn
    from, and those in it.
    """
    if not 1 < number <= table.records:
        raise SettingError(
            f"{table.records} records cannot be split into {number} folds",
            fix="use at least 2 folds, and at most as many as there are records",
        )
    chance = np.random.default_rng(seed)
    rest = table.counts
    for left in range(number, 0, -1):
        size = int(rest.sum()) // left
        part = chance.multivariate_hypergeometric(rest, size, method="marginals")
        rest = rest - part
        yield part_of(table, table.counts - part), part_of(table, part)


class Parting(Protocol):
    """How records are split."""

    def of(self, table: PrivateTable) -> Parts:
        """Part the records of a table."""
        ...


@dataclass(frozen=True)
class TwoThirds:
    """Two thirds for training, drawn again with each seed."""

    seed: int

    def of(self, table: PrivateTable) -> Parts:
        """Part the records of a table."""
        return split(table, TRAINING, self.seed)


@dataclass(frozen=True)
class Fold:
    """All but one part of a cross-validation to learn from.

    Attributes
    ----------
    seed
        Deals the records to the parts.
    place
        Which part is predicted, from 0.
    number
        How many parts there are.
    """

    seed: int
    place: int
    number: int = FOLDS

    def of(self, table: PrivateTable) -> Parts:
        """Part the records of a table."""
        return next(islice(folds(table, self.number, self.seed), self.place, None))


@dataclass(frozen=True)
class Asked:
    """A requested run."""

    way: Way
    epsilon: Fraction
    specializations: int
    parting: Parting


@dataclass(frozen=True)
class Run:
    """The results of a run.

    Attributes
    ----------
    accuracy
        CA: the share of the other records whose class is predicted.
    kept
        Released records, as a share of the original records.
    steps
        Specializations that were made and not taken back.
    set_steps
        Those of them that are of a set-valued attribute.
    groups, listed
        Groups that the cuts make, and those that are released.
    seconds
        How long the release took, without the classifier.
    """

    accuracy: float
    kept: float
    steps: int
    set_steps: int
    groups: int
    listed: int
    seconds: float


@dataclass(frozen=True)
class Bounds:
    """The results of a run without any privacy, and of one without any data.

    Attributes
    ----------
    ba
        Learned from the unchanged records.
    la
        The most frequent class.
    """

    ba: float
    la: float


def judge(table: PrivateTable, asked: Asked) -> Run:
    """Make a release, and predict the other records from it."""
    train, test = asked.parting.of(table)
    began = time.perf_counter()
    made = asked.way.release(train, asked.epsilon, asked.specializations)
    seconds = time.perf_counter() - began
    noisy = made.groups
    sets = {one.attribute for one in train.domains if isinstance(one, SetDomain)}
    return Run(
        accuracy=accuracy_of(noisy.groups, noisy.counts, test, PrunedTree()),
        kept=noisy.records / train.records,
        steps=len(made.steps),
        set_steps=sum(step.attribute in sets for step in made.steps),
        groups=noisy.all_groups,
        listed=noisy.groups.size,
        seconds=seconds,
    )


def bounds(table: PrivateTable, parting: Parting) -> Bounds:
    """Predict from the unchanged records, and from nothing."""
    train, test = parting.of(table)
    return Bounds(baseline_accuracy(train, test, PrunedTree()), lower_bound_accuracy(train, test))


def k_anonymous(table: PrivateTable, parting: Parting) -> float:
    """Predict from the k-anonymous release that the paper compares with (TDS)."""
    train, test = parting.of(table)
    made = top_down(train, K).groups
    return accuracy_of(made.groups, made.counts, test, PrunedTree())


def accuracies(runs: Sequence[Run]) -> MeanOfRuns:
    """Average the accuracies of runs."""
    return mean_of_runs([one.accuracy for one in runs])
