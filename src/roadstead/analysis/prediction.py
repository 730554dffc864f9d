"""Measure how well classifiers that are trained on a release predict a column of other records.

In each of several runs, the original records are divided into five folds. A classifier is trained
on the released version of four folds. It is tested on the fifth fold twice: with *unchanged*
records, and with the same records in released form. For comparison, another classifier is trained
on the unchanged records of the same four folds. The release was computed from all records, so the
generalization of the training records also depends on the fifth fold.

The records of some releases cannot be matched with original records, for example, if noise was
added to the counts. Then the classifier is trained on the whole release in every fold.

The features of a classifier describe the set of values that a cell shows, not the cell's label. For
an ordered column, the features are the smallest number in the set, the largest number, and their
mean. For any other column, the features are the shares of the hundred most frequent values in the
set, and the share of all other values. An unchanged value is a set with one element, so a
classifier that was trained on generalized cells can also predict unchanged records. If a cell of
the target column shows several values, one of these values is sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.evaluation.classifiers import Classifier
from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.policies.value_sets import ShownColumn, ShownTable

FOLDS = 5
_MOST_VALUES = 100


@dataclass(frozen=True, eq=False)
class LearnedFrom:
    """A release on which a classifier is trained.

    For each row of the original, `placed` gives the parts of `table` that the release shows for the
    row. If the row is not released, these are the parts that the release would show. `released`
    marks the rows that are in the release. If `placed_exactly` is false, the classifier is trained
    on the whole table in every fold.
    """

    table: ShownTable
    placed: ShownTable
    released: NDArray[np.bool_] = field(repr=False)
    placed_exactly: bool = True


@dataclass(frozen=True)
class FoldAccuracies:
    """The accuracies on unchanged and on generalized records, for each fold in each run."""

    as_they_are: tuple[float, ...]
    alike: tuple[float, ...]


@dataclass(frozen=True)
class Predictions:
    """The accuracies of the baseline, of the original, and of each release."""

    majority: tuple[float, ...]
    original: Mapping[str, tuple[float, ...]]
    releases: tuple[Mapping[str, FoldAccuracies], ...]


def predictions(
    original: ShownTable,
    target: str,
    releases: Sequence[LearnedFrom],
    classifiers: Sequence[Classifier],
    *,
    runs: int,
    seed: int,
    persons: NDArray[np.integer] | None = None,
    report: Callable[[int, str], None] = lambda _run, _step: None,
) -> Predictions:
    """Train and test classifiers in all folds. All rows of a person are in the same fold."""
    at = original.place(target)
    frequent = [_frequent(original, place) for place in range(len(original.columns))]
    features = [place for place in range(len(original.columns)) if place != at]
    tested = _matrix(original, features, frequent)
    truth = original.codes[at]
    alike = [_matrix(one.placed, features, frequent) for one in releases]
    majority: list[float] = []
    best: dict[str, list[float]] = {one.name: [] for one in classifiers}
    found = [{one.name: ([], []) for one in classifiers} for _ in releases]  # type: ignore[var-annotated] # of floats
    for run, inside in _dealt(original.weights, persons, runs, seed):
        outside = original.weights - inside
        common = np.bincount(truth, weights=outside).argmax()
        majority.append(float(inside[truth == common].sum() / inside.sum()))
        rows = inside > 0

        def right(predicted: NDArray[np.int32], rows: NDArray[np.bool_] = rows) -> float:
            return float(inside[rows][predicted == truth[rows]].sum() / inside.sum())  # noqa: B023 - called at once

        for one in classifiers:
            report(run, f"training {one.name} on the original table")
            learned = one.learn(_examples(tested, truth, outside), seed)
            best[one.name].append(right(learned(tested[rows])))
        for number, release in enumerate(releases):
            for one in classifiers:
                report(run, f"training {one.name} on release {number + 1}")
                examples = _learned_from(
                    release, at, features, frequent, alike[number], outside, seed
                )
                learned = one.learn(examples, seed)
                plain, coarse = found[number][one.name]
                plain.append(right(learned(tested[rows])))
                coarse.append(right(learned(alike[number][rows])))
    return Predictions(
        tuple(majority),
        {name: tuple(own) for name, own in best.items()},
        tuple(
            {name: FoldAccuracies(tuple(a), tuple(b)) for name, (a, b) in own.items()}
            for own in found
        ),
    )


def mean_of_folds(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean over the folds, and half the width of the mean's 95% confidence interval.

    The training data of different folds overlap. Therefore, a correction widens the interval. The
    correction depends on the ratio of test records to training records (Nadeau and Bengio, Machine
    Learning 52, 2003).
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    number = len(values)
    widened = sqrt(1 / number + 1 / (FOLDS - 1))
    return fmean(values), float(stdtrit(number - 1, 0.975)) * stdev(values) * widened


def _dealt(
    weights: NDArray[np.int64], persons: NDArray[np.integer] | None, runs: int, seed: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each fold: the number of its run, and the number of records of each row in the fold."""
    for run in range(1, runs + 1):
        chance = np.random.default_rng((seed, run))
        if persons is None:
            parts = chance.multinomial(weights, np.full(FOLDS, 1 / FOLDS)).T
        else:
            fold = chance.integers(FOLDS, size=int(persons.max()) + 1)[persons]
            parts = np.where(fold == np.arange(FOLDS)[:, None], weights, 0)
        for one in range(FOLDS):
            inside = np.ascontiguousarray(parts[one], dtype=np.int64)
            if 0 < inside.sum() < weights.sum():
                yield run, inside


def _learned_from(
    release: LearnedFrom,
    at: int,
    features: Sequence[int],
    frequent: Sequence[NDArray[np.int64]],
    alike: Matrix,
    outside: NDArray[np.int64],
    seed: int,
) -> Examples:
    """Return the training data of a release for one fold."""
    if release.placed_exactly:
        weights = np.where(release.released, outside, 0)
        table, matrix = release.placed, alike
    else:
        table, weights = release.table, release.table.weights
        matrix = _matrix(table, features, frequent)
    column, codes = table.columns[at], table.codes[at]
    chance = np.random.default_rng(seed)
    sizes = column.sizes[codes]
    single = sizes == 1
    rows, truth, counts = (
        [np.flatnonzero(single)],
        [column.members[column.starts[codes[single]]]],
        [weights[single]],
    )
    for row in np.flatnonzero(~single & (weights > 0)):
        drawn = chance.multinomial(weights[row], np.full(sizes[row], 1 / sizes[row]))
        some = np.flatnonzero(drawn)
        rows.append(np.full(some.size, row))
        truth.append(column.members[column.starts[codes[row]] + some])
        counts.append(drawn[some])
    chosen = np.concatenate(rows)
    return _examples(matrix[chosen], np.concatenate(truth), np.concatenate(counts))


def _examples(matrix: Matrix, truth: NDArray[np.int32], weights: NDArray[np.int64]) -> Examples:
    some = weights > 0
    return Examples(matrix[some], truth[some].astype(np.int32), weights[some])


def _frequent(original: ShownTable, at: int) -> NDArray[np.int64]:
    """Rank the values by descending frequency. All rare values share the last rank."""
    column = original.columns[at]
    counts = np.bincount(original.codes[at], weights=original.weights, minlength=len(column.values))
    place = np.empty(counts.size, dtype=np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
    return np.minimum(place, _MOST_VALUES)


def _matrix(
    table: ShownTable, features: Sequence[int], frequent: Sequence[NDArray[np.int64]]
) -> Matrix:
    """Return the features of each row, as an array of shape ``(rows, features)``."""
    made = [_seen(table.columns[at], frequent[at])[table.codes[at]] for at in features]
    return np.hstack([np.zeros((table.weights.size, 0), dtype=np.float32), *made])


def _seen(column: ShownColumn, frequent: NDArray[np.int64]) -> Matrix:
    """Return the features of each part, as an array of shape ``(parts, features)``."""
    if column.numbers is not None:
        low, high = column.ends
        return np.stack([low, (low + high) / 2, high], axis=1).astype(np.float32)
    width = int(frequent.max()) + 1
    cells = column.owners * width + frequent[column.members]
    counts = np.bincount(cells, minlength=column.parts * width).reshape(-1, width)
    return (counts / column.sizes[:, None]).astype(np.float32)
