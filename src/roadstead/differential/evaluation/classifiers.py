"""Provide classifiers that measure how well a release can still predict the class.

Paper 002 uses C4.5. This module uses a pruned decision tree, gradient-boosted trees, and the
majority class. The decision tree is split by entropy and pruned by cross-validation. The tree
pruned at `alpha` is the smallest tree that minimizes the training entropy per record plus `alpha`
per leaf (Breiman, Friedman, Olshen, Stone 1984, chapter 3). The folds of the cross-validation
divide records instead of rows, because one row represents many equal records.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.errors import MissingExtraError

_LEAST_BITS = 0.25
"""The smallest cost of a leaf to try, in bits of entropy of all records together."""
_STEPS = 40

Prediction: TypeAlias = Callable[[Matrix], NDArray[np.int32]]
"""A function that predicts the class of each row of a matrix."""


class Classifier(Protocol):
    """The interface of a classifier."""

    @property
    def name(self) -> str:
        """The name for users."""

    def learn(self, examples: Examples, seed: int) -> Prediction:
        """Learn from examples. The same seed gives the same predictions."""


@dataclass(frozen=True)
class Majority:
    """A classifier that predicts the most frequent class for every record."""

    name: str = "majority"

    def learn(self, examples: Examples, seed: int) -> Prediction:  # noqa: ARG002 - no chance in it
        """Return the most frequent class, or the first class if there are no examples."""
        records = np.bincount(examples.target, weights=examples.weights, minlength=1)
        most = int(records.argmax())
        return lambda matrix: np.full(matrix.shape[0], most, dtype=np.int32)


@dataclass(frozen=True)
class PrunedTree:
    """A decision tree that is split by entropy and pruned by cost and complexity."""

    folds: int = 5  # the folds of the cross-validation that chooses the pruning
    name: str = "tree"

    def learn(self, examples: Examples, seed: int) -> Prediction:
        """Grow the tree, and prune it."""
        if not _informative(examples):
            return Majority().learn(examples, seed)
        return _predicting(grow(examples, seed, best_alpha(examples, self.folds, seed)))


@dataclass(frozen=True)
class BoostedTrees:
    """Gradient-boosted trees on histograms of the columns."""

    rounds: int = 100  # number of trees
    # The approximate smallest number of records per leaf. The library counts rows, so the mean
    # weight converts records into rows.
    leaf: int = 20
    name: str = "boosted"

    def learn(self, examples: Examples, seed: int) -> Prediction:
        """Grow the trees one after another."""
        if not _informative(examples):
            return Majority().learn(examples, seed)
        ensemble, threads = _library(
            "gradient-boosted trees require", "sklearn.ensemble", "threadpoolctl"
        )
        rows_in_leaf = max(round(self.leaf * examples.target.size / examples.records), 1)
        boosted = ensemble.HistGradientBoostingClassifier(
            max_iter=self.rounds,
            min_samples_leaf=rows_in_leaf,
            early_stopping=False,
            random_state=seed,
        )
        # Threads that wait for each other are ten times slower if other processes are also busy.
        alone = partial(threads.threadpool_limits, limits=1, user_api="openmp")
        with alone():
            boosted.fit(examples.matrix, examples.target, sample_weight=examples.weights)
        return _predicting(boosted, alone)


def _library(who: str, *modules: str) -> list[Any]:
    """Import optional modules that are slow to load."""
    try:
        return [import_module(one) for one in modules]
    except ModuleNotFoundError:
        raise MissingExtraError(f"{who} scikit-learn", fix="pip install 'roadstead[dp]'") from None


def _informative(examples: Examples) -> bool:
    """Return whether there is at least one column and at least two classes."""
    return bool(examples.matrix.shape[1]) and np.unique(examples.target).size > 1


def _predicting(
    fitted: Any,  # noqa: ANN401 - untyped library
    limited: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Prediction:
    def predict(matrix: Matrix) -> NDArray[np.int32]:
        if not matrix.shape[0]:
            return np.zeros(0, dtype=np.int32)
        with limited():
            return np.asarray(fitted.predict(matrix), dtype=np.int32)

    return predict


CLASSIFIERS: dict[str, Classifier] = {
    one.name: one for one in (PrunedTree(), BoostedTrees(), Majority())
}
"""The classifiers, by name."""


def grow(examples: Examples, seed: int, alpha: float = 0.0) -> Any:  # noqa: ANN401 - untyped library
    """Grow a decision tree by entropy, and prune it."""
    (trees,) = _library("a decision tree requires", "sklearn.tree")
    tree = trees.DecisionTreeClassifier(
        criterion="entropy",
        # As in C4.5, a leaf has at least two records. The limit is lower, because shares are
        # rounded.
        min_weight_fraction_leaf=min(1.5 / examples.records, 0.5),
        ccp_alpha=alpha,
        random_state=seed,
    )
    return tree.fit(examples.matrix, examples.target, sample_weight=examples.weights)


def best_alpha(examples: Examples, folds: int, seed: int) -> float:
    """Choose the cost of a leaf, in bits per record, by cross-validation with at least 2 folds.

    If several costs are equally good, the function chooses the largest cost.
    """
    alphas = candidates(examples.records)
    right = np.zeros(alphas.size)
    for learned, tested in dealt(examples, folds, seed):
        if learned.records and tested.records:
            right += right_when_pruned(grow(learned, seed), tested, alphas)
    return float(alphas[np.flatnonzero(right == right.max())[-1]])


def candidates(records: int) -> NDArray[np.float64]:
    """Return the costs to try for a leaf, from a quarter bit in total to one bit per record."""
    return np.geomspace(_LEAST_BITS / records, 1.0, _STEPS)


def dealt(examples: Examples, folds: int, seed: int) -> list[tuple[Examples, Examples]]:
    """Assign each record to a fold, and return the records outside and inside each fold."""
    chance = np.random.default_rng(seed)
    parts = chance.multinomial(examples.weights, np.full(folds, 1 / folds)).T
    return [(_some(examples, examples.weights - part), _some(examples, part)) for part in parts]


def right_when_pruned(
    tree: Any,  # noqa: ANN401 - untyped library
    tested: Examples,
    alphas: NDArray[np.float64],
) -> NDArray[np.float64]:
    """For each alpha, count the records that the pruned tree predicts correctly."""
    grown = tree.tree_
    left, right = grown.children_left, grown.children_right
    inner = left >= 0
    entropy = grown.impurity * grown.weighted_n_node_samples / grown.weighted_n_node_samples[0]
    cost = entropy[:, None] + alphas
    hits = _hits(tree, tested)[:, None].repeat(alphas.size, axis=1)
    for nodes in reversed(_levels(left, right)):
        split = nodes[inner[nodes]]
        below = cost[left[split]] + cost[right[split]]
        kept = below < cost[split]
        hits[split] = np.where(kept, hits[left[split]] + hits[right[split]], hits[split])
        cost[split] = np.where(kept, below, cost[split])
    whole: NDArray[np.float64] = hits[0]
    return whole


def _hits(tree: Any, tested: Examples) -> NDArray[np.float64]:  # noqa: ANN401 - untyped library
    """Count the records that each node would predict correctly if it were a leaf."""
    grown = tree.tree_
    majority = tree.classes_[grown.value[:, 0, :].argmax(axis=1)]
    classes = int(max(majority.max(), tested.target.max())) + 1
    cells = grown.apply(tested.matrix) * classes + tested.target
    counts = np.bincount(cells, weights=tested.weights, minlength=grown.node_count * classes)
    counts = counts.reshape(-1, classes)
    left, right = grown.children_left, grown.children_right
    for nodes in reversed(_levels(left, right)):
        split = nodes[left[nodes] >= 0]
        counts[split] = counts[left[split]] + counts[right[split]]
    hits: NDArray[np.float64] = counts[np.arange(grown.node_count), majority]
    return hits


def _levels(left: NDArray[np.int64], right: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    levels = [np.zeros(1, dtype=np.int64)]
    while (split := levels[-1][left[levels[-1]] >= 0]).size:
        levels.append(np.concatenate((left[split], right[split])))
    return levels


def _some(examples: Examples, weights: NDArray[np.int64]) -> Examples:
    some = weights > 0
    return Examples(examples.matrix[some], examples.target[some], weights[some])
