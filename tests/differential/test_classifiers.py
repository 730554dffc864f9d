"""Trees compared with scikit-learn's own pruning, and what each classifier must learn."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from roadstead.differential.evaluation.classifiers import (
    CLASSIFIERS,
    BoostedTrees,
    Classifier,
    Majority,
    PrunedTree,
    best_alpha,
    candidates,
    dealt,
    grow,
    right_when_pruned,
)
from roadstead.differential.evaluation.features import Examples
from roadstead.errors import MissingExtraError


def drawn(seed: int, rows: int, noise: float = 0.2) -> Examples:
    """Make weighted random rows of three numbers; the class follows from two, except for noise."""
    chance = np.random.default_rng(seed)
    matrix = chance.integers(0, 6, size=(rows, 3)).astype(np.float32)
    rule = (matrix[:, 0] > 2) & (matrix[:, 1] < 4)
    target = (rule ^ (chance.random(rows) < noise)).astype(np.int32)
    return Examples(matrix, target, chance.integers(1, 9, size=rows))


@sparing
@given(st.integers(0, 9999), st.integers(2, 60))
def test_all_prunings_of_a_tree_are_those_of_scikit_learn(seed: int, rows: int) -> None:
    """A pruned tree has as many correct predictions as a tree pruned by scikit-learn."""
    learned, tested = drawn(seed, rows), drawn(seed + 1, 40)
    # Costs that no node's gain is equal to, so that rounding decides nothing.
    alphas = candidates(learned.records)[::4] * 1.000123
    found = right_when_pruned(grow(learned, 0), tested, alphas)
    for alpha, right in zip(alphas.tolist(), found.tolist(), strict=True):
        predicted = grow(learned, 0, alpha).predict(tested.matrix)
        assert right == tested.weights[predicted == tested.target].sum()


@sparing
@given(st.integers(0, 9999))
def test_a_row_with_a_weight_is_as_many_rows(seed: int) -> None:
    """The tree is the same as that of the repeated rows."""
    few = drawn(seed, 30)
    many = Examples(
        few.matrix.repeat(few.weights, axis=0),
        few.target.repeat(few.weights),
        np.ones(few.records, dtype=np.int64),
    )
    one, other = grow(few, 3, 0.01), grow(many, 3, 0.01)
    assert one.tree_.node_count == other.tree_.node_count
    assert one.predict(few.matrix).tolist() == other.predict(few.matrix).tolist()


def test_a_leaf_has_two_records() -> None:
    """In one row or in two."""
    matrix = np.array([[0], [1], [2], [3]], dtype=np.float32)
    target = np.array([0, 1, 0, 1], dtype=np.int32)
    tree = grow(Examples(matrix, target, np.array([1, 1, 2, 2])), 0)
    assert sorted(tree.tree_.weighted_n_node_samples[tree.tree_.children_left < 0]) == [2, 2, 2]


@sparing
@given(st.integers(0, 9999), st.integers(2, 6))
def test_each_record_is_in_one_fold(seed: int, folds: int) -> None:
    """The folds have all records together, and each is what the others are not."""
    examples = drawn(seed, 20)
    whole = np.zeros((6, 6, 6, 2), dtype=np.int64)
    np.add.at(whole, _cells(examples), examples.weights)
    tested = np.zeros_like(whole)
    parts = dealt(examples, folds, seed)
    assert len(parts) == folds
    for outside, inside in parts:
        both = np.zeros_like(whole)
        for part in (outside, inside):
            assert (part.weights > 0).all()
            np.add.at(both, _cells(part), part.weights)
        assert (both == whole).all()
        np.add.at(tested, _cells(inside), inside.weights)
    assert (tested == whole).all()


def _cells(examples: Examples) -> tuple[np.ndarray, ...]:
    return (*examples.matrix.astype(int).T, examples.target)


def test_records_of_one_row_are_spread_over_the_folds() -> None:
    """A row of 5,000 is in each of five folds with about a thousand."""
    one = Examples(np.zeros((1, 1), np.float32), np.zeros(1, np.int32), np.array([5000]))
    sizes = [inside.records for _, inside in dealt(one, 5, seed=1)]
    assert sum(sizes) == 5000
    assert all(800 < size < 1200 for size in sizes)


def test_a_tree_of_noise_is_pruned_to_its_root() -> None:
    """The class has nothing to do with the columns."""
    chance = np.random.default_rng(5)
    matrix = chance.random((2000, 4)).astype(np.float32)
    target = (chance.random(2000) < 0.3).astype(np.int32)
    noise = Examples(matrix, target, np.ones(2000, dtype=np.int64))
    grown = grow(noise, 0)
    pruned = grow(noise, 0, best_alpha(noise, 5, 0))
    assert grown.tree_.node_count > 300
    assert pruned.tree_.node_count <= 7


@pytest.mark.parametrize("classifier", [PrunedTree(), BoostedTrees()])
def test_a_rule_is_learned_through_noise(classifier: Classifier) -> None:
    """A fifth of the classes is wrong; on records without noise nearly all are predicted right."""
    predicted = classifier.learn(drawn(1, 2000), 0)
    clean = drawn(2, 1000, noise=0.0)
    assert (predicted(clean.matrix) == clean.target).mean() > 0.95


@pytest.mark.parametrize("classifier", CLASSIFIERS.values())
def test_the_same_seed_learns_the_same(classifier: Classifier) -> None:
    """Row for row; and an empty matrix has no predictions."""
    examples, tested = drawn(1, 300, noise=0.4), drawn(2, 200).matrix
    one, other = (classifier.learn(examples, 7) for _ in range(2))
    assert one(tested).tolist() == other(tested).tolist()
    assert one(tested[:0]).tolist() == []


@pytest.mark.parametrize("classifier", CLASSIFIERS.values())
def test_without_anything_to_learn_from_the_majority_is_predicted(classifier: Classifier) -> None:
    """No column; one class; no example at all."""
    blind = Examples(
        np.zeros((3, 0), np.float32), np.array([0, 2, 1], np.int32), np.array([3, 5, 4])
    )
    assert classifier.learn(blind, 0)(np.zeros((2, 0), np.float32)).tolist() == [2, 2]
    one = Examples(np.ones((2, 1), np.float32), np.array([1, 1], np.int32), np.array([3, 5]))
    assert classifier.learn(one, 0)(np.zeros((2, 1), np.float32)).tolist() == [1, 1]
    none = Examples(np.zeros((0, 1), np.float32), np.zeros(0, np.int32), np.zeros(0, np.int64))
    assert classifier.learn(none, 0)(np.zeros((2, 1), np.float32)).tolist() == [0, 0]


def test_of_equally_frequent_classes_the_first_is_the_majority() -> None:
    """Records are counted, not rows."""
    even = Examples(
        np.zeros((3, 0), np.float32), np.array([1, 0, 1], np.int32), np.array([2, 4, 2])
    )
    assert Majority().learn(even, 0)(np.zeros((1, 0), np.float32)).tolist() == [0]


@pytest.mark.parametrize(
    ("classifier", "module"), [(PrunedTree(), "tree"), (BoostedTrees(), "ensemble")]
)
def test_without_scikit_learn_the_error_names_the_extra(
    classifier: Classifier, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, with the command that installs it."""
    monkeypatch.setitem(sys.modules, f"sklearn.{module}", None)
    with pytest.raises(MissingExtraError, match=r"scikit-learn; pip install 'roadstead\[dp\]'"):
        classifier.learn(drawn(1, 20), 0)


@pytest.mark.parametrize("act", ["fit", "predict"])
def test_boosted_trees_use_one_thread(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If other processes are busy, threads wait for each other most of the time."""
    used: list[int] = []
    own = getattr(HistGradientBoostingClassifier, act)

    def watched(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the library has it
        pools = threadpool_info()
        used.append(max(pool["num_threads"] for pool in pools if pool["user_api"] == "openmp"))
        return own(*given, **named)

    monkeypatch.setattr(HistGradientBoostingClassifier, act, watched)
    with threadpool_limits(limits=2, user_api="openmp"):
        BoostedTrees(rounds=2).learn(drawn(1, 100), 0)(drawn(2, 10).matrix)
    assert used == [1]
