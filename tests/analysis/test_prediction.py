"""Classifiers on releases: what is learned from, what is tested, and what they see of a cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, stdev

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from roadstead.analysis.prediction import (
    FOLDS,
    LearnedFrom,
    _seen,
    mean_of_folds,
    predictions,
)
from roadstead.differential.evaluation.classifiers import Prediction
from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.policies.value_sets import ShownTable, original_column


@dataclass
class ByHeart:
    """Predicts the most frequent class of an equal row, and class 0 for an unknown row."""

    name: str = "by heart"
    learned: list[Examples] = field(default_factory=list)
    asked: list[Matrix] = field(default_factory=list)

    def learn(self, examples: Examples, seed: int) -> Prediction:  # noqa: ARG002 - no chance in it
        """Keep the examples."""
        self.learned.append(examples)

        def predict(matrix: Matrix) -> NDArray[np.int32]:
            self.asked.append(matrix)
            told = []
            for row in matrix:
                same = (examples.matrix == row).all(axis=1)
                votes = np.bincount(examples.target[same], examples.weights[same], minlength=2)
                told.append(votes.argmax())
            return np.array(told, dtype=np.int32)

        return predict


def made() -> tuple[ShownTable, LearnedFrom]:
    """Forty records of a number and a class; the release has two bands, and hides four records."""
    numbers = np.arange(40, dtype=np.int32)
    texts = [str(one) for one in range(40)]
    column, target = original_column("n", texts), original_column("y", ["no", "yes"])
    truth = (numbers >= 20).astype(np.int32)
    weights = np.ones(40, dtype=np.int64)
    original = ShownTable((column, target), (numbers, truth), weights)
    bands = column.with_parts([np.arange(20, dtype=np.int32), np.arange(20, 40, dtype=np.int32)])
    shown = np.where(numbers < 4, 2, numbers // 20).astype(np.int32)
    placed = ShownTable((bands, target), (shown, truth), weights)
    released = numbers >= 4
    table = ShownTable((bands, target), (shown[4:], truth[4:]), weights[4:])
    return original, LearnedFrom(table, placed, released)


def test_nothing_that_is_tested_was_learned_from() -> None:
    """Each record is tested once a run; what a classifier learned has no record of its fold."""
    original, release = made()
    own = ByHeart()
    found = predictions(original, "y", [release], [own], runs=2, seed=1)
    assert len(found.majority) == 2 * FOLDS
    best, shown = own.learned[::2], own.learned[1::2]
    tested = own.asked[0::3]  # of the original; then of the release, unchanged and generalized
    for examples, rows in zip(best, tested, strict=True):
        assert not {*examples.matrix[:, 0].tolist()} & {*rows[:, 0].tolist()}
        assert examples.records + rows.shape[0] == 40
    for run in (0, 1):
        parts = [row for rows in tested[run * FOLDS : (run + 1) * FOLDS] for row in rows[:, 0]]
        assert sorted(parts) == list(range(40))
    for examples, rows in zip(shown, tested, strict=True):
        hidden = sum(one < 4 for one in rows[:, 0])
        assert examples.records == 40 - rows.shape[0] - (4 - hidden)


def test_records_are_tested_as_they_are_and_as_the_release_shows_them() -> None:
    """Bands reveal all except hidden records; single numbers were never seen."""
    original, release = made()
    found = predictions(original, "y", [release], [ByHeart()], runs=1, seed=1)
    own = found.releases[0]["by heart"]
    # All unchanged ones are unknown and predicted as "no", as is each hidden record; all are "no".
    assert fmean(own.alike) == 1
    assert fmean(own.as_they_are) == pytest.approx(0.5, abs=0.2)
    assert fmean(found.original["by heart"]) == pytest.approx(0.5, abs=0.2)


def test_records_of_a_person_stay_together() -> None:
    """Ten people of four records each."""
    original, release = made()
    own = ByHeart()
    predictions(original, "y", [release], [own], runs=1, seed=1, persons=np.arange(40) // 4)
    for examples, rows in zip(own.learned[::2], own.asked[::3], strict=True):
        assert not {one // 4 for one in examples.matrix[:, 0]} & {one // 4 for one in rows[:, 0]}


def test_a_private_release_is_learned_from_as_a_whole() -> None:
    """No original record corresponds to its records."""
    original, release = made()
    own = ByHeart()
    noisy = LearnedFrom(release.table, release.placed, release.released, placed_exactly=False)
    predictions(original, "y", [noisy], [own], runs=1, seed=1)
    assert {one.records for one in own.learned[1::2]} == {36}


def test_an_outcome_shown_as_one_of_two_is_drawn() -> None:
    """Its records keep their number, and both classes come."""
    original, release = made()
    target = release.table.columns[1].with_parts(
        [np.array([one], dtype=np.int32) for one in (0, 1)]
    )
    codes = np.full(40, 2, dtype=np.int32)
    weights = np.full(40, 30, dtype=np.int64)
    placed = ShownTable(
        (release.placed.columns[0], target), (release.placed.codes[0], codes), weights
    )
    own = ByHeart()
    many = ShownTable(original.columns, original.codes, weights)
    every = LearnedFrom(placed, placed, np.ones(40, dtype=np.bool_))
    predictions(many, "y", [every], [own], runs=1, seed=1)
    for before, examples in zip(own.learned[::2], own.learned[1::2], strict=True):
        assert examples.records == before.records
        told = np.bincount(examples.target, examples.weights) / examples.records
        assert told == pytest.approx([0.5, 0.5], abs=0.1)


def test_a_cell_is_seen_as_what_it_says() -> None:
    """Ends and middle of numbers; of other values the share of each."""
    frequent = np.arange(3)
    parts = [np.array(one, dtype=np.int32) for one in ([1], [0, 1])]
    numbers = original_column("n", ["10", "20", "60"]).with_parts(parts)
    assert _seen(numbers, frequent).tolist() == [[20, 20, 20], [10, 15, 20], [10, 35, 60]]
    texts = original_column("c", ["a", "b", "c"]).with_parts(parts)
    third = np.float32(1 / 3)
    assert _seen(texts, frequent).tolist() == [[0, 1, 0], [0.5, 0.5, 0], [third] * 3]
    assert _seen(texts, np.array([0, 1, 1])).tolist()[1:] == [
        [0.5, 0.5],
        [third, np.float32(2 / 3)],
    ]


def test_intervals_of_folds_are_widened_by_what_folds_share() -> None:
    """Nadeau and Bengio: 1/n + tested/learned, of ten folds of a fifth each."""
    values = [0.8, 0.82, 0.79, 0.81, 0.8, 0.83, 0.8, 0.8, 0.81, 0.78]
    mean, margin = mean_of_folds(values)
    assert mean == pytest.approx(fmean(values))
    assert margin == pytest.approx(t.ppf(0.975, 9) * stdev(values) * (0.1 + 0.25) ** 0.5)
