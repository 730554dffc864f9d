"""Run once: split the records, release one part, and predict the other part.

All ways use the same parts, so that they can be compared run by run. The randomness of a release
comes from the operating system, so figures differ slightly between reproductions.
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
from roadstead_reproductions.parallel import spread, tenths
from roadstead_reproductions.tables import Tell

Parts = tuple[PrivateTable, PrivateTable]
"""The training records and the test records."""


def folds(table: PrivateTable, number: int, seed: int) -> Iterator[Parts]:
    """Yield the training and test records of each fold of a cross-validation.

    There must be at least two folds. The sizes of the folds differ by at most one record.
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
    """A way to split records."""

    def of(self, table: PrivateTable) -> Parts:
        """Split the records of a table."""
        ...


@dataclass(frozen=True)
class TwoThirds:
    """Two thirds of the records for training, drawn from a seed."""

    seed: int

    def of(self, table: PrivateTable) -> Parts:
        """Split the records of a table."""
        return split(table, TRAINING, self.seed)


@dataclass(frozen=True)
class Fold:
    """A fold of a cross-validation. `place` is the zero-based number of the test part."""

    seed: int
    place: int
    number: int = FOLDS

    def of(self, table: PrivateTable) -> Parts:
        """Split the records of a table."""
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
        CA: the share of test records whose class is predicted correctly.
    kept
        The number of released records, divided by the number of original records.
    steps
        The number of specializations that were applied and not undone.
    set_steps
        The number of these specializations in set-valued attributes.
    groups, listed
        The number of groups that the cuts create, and the number of released groups.
    seconds
        The time of the release, excluding the classifier.
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
    """The accuracy BA from unchanged records, and the accuracy LA from the most frequent class."""

    ba: float
    la: float


def judge(table: PrivateTable, asked: Asked) -> Run:
    """Create a release, and use the release to predict the test records."""
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


def judged(
    table: PrivateTable,
    points: Sequence[tuple[Way, Fraction, int]],
    partings: Sequence[Parting],
    workers: int,
    tell: Tell,
    what: str,
) -> list[tuple[Run, ...]]:
    """Run each way, epsilon, and number of specializations on all parts of the records."""
    asked = [Asked(*point, parting) for point in points for parting in partings]
    done = tenths(tell, f"{what}: runs", len(asked))
    found, each = spread(table, judge, asked, workers, done), len(partings)
    return [tuple(found[at : at + each]) for at in range(0, len(asked), each)]


def bounds(table: PrivateTable, parting: Parting) -> Bounds:
    """Compute BA and LA."""
    train, test = parting.of(table)
    return Bounds(baseline_accuracy(train, test, PrunedTree()), lower_bound_accuracy(train, test))


def k_anonymous(table: PrivateTable, parting: Parting) -> float:
    """Return the accuracy of the k-anonymous release in the paper (TDS)."""
    train, test = parting.of(table)
    made = top_down(train, K).groups
    return accuracy_of(made.groups, made.counts, test, PrunedTree())


def accuracies(runs: Sequence[Run]) -> MeanOfRuns:
    """Return the mean accuracy of several runs."""
    return mean_of_runs([one.accuracy for one in runs])
