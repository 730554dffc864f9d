"""The classifiers that measure how much of the class a release still shows.

Paper 002 uses C4.5. Its stand-in is a decision tree that is split by entropy and pruned by
cross-validation. Gradient-boosted trees are a second opinion. The majority class is what anybody
can predict who knows nothing but how frequent the classes are.

All learn from weighted rows, and with the same seed they learn the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.differential.evaluation.pruning import best_alpha, grow
from roadstead.errors import MissingExtraError

Prediction: TypeAlias = Callable[[Matrix], NDArray[np.int32]]
"""From a matrix with the columns of the examples to the class of each row."""


class Classifier(Protocol):
    """Learns to predict classes."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    def learn(self, examples: Examples, seed: int) -> Prediction:
        """Learn from examples; the same seed gives the same predictions."""
        ...


@dataclass(frozen=True)
class Majority:
    """Predicts the most frequent class, whatever a record is like; of equals the first."""

    name: str = "majority"

    def learn(self, examples: Examples, seed: int) -> Prediction:  # noqa: ARG002 - no chance in it
        """Find the most frequent class; the first if there are no examples."""
        records = np.bincount(examples.target, weights=examples.weights, minlength=1)
        most = int(records.argmax())
        return lambda matrix: np.full(matrix.shape[0], most, dtype=np.int32)


@dataclass(frozen=True)
class PrunedTree:
    """A decision tree, split by entropy, with cost-complexity pruning."""

    folds: int = 5  # of the cross-validation that chooses how far it is pruned
    name: str = "tree"

    def learn(self, examples: Examples, seed: int) -> Prediction:
        """Grow the tree, and prune it."""
        if not _informative(examples):
            return Majority().learn(examples, seed)
        return _predicting(grow(examples, seed, best_alpha(examples, self.folds, seed)))


@dataclass(frozen=True)
class BoostedTrees:
    """Gradient-boosted trees on histograms of the columns."""

    rounds: int = 100  # how many trees
    # The least number of records in a leaf, about: rows are counted, at their mean weight.
    leaf: int = 20
    name: str = "boosted"

    def learn(self, examples: Examples, seed: int) -> Prediction:
        """Grow the trees, one after another."""
        if not _informative(examples):
            return Majority().learn(examples, seed)
        try:
            from sklearn.ensemble import (  # noqa: PLC0415 - heavy, optional
                HistGradientBoostingClassifier,
            )
            from threadpoolctl import (  # type: ignore[import-untyped]  # noqa: PLC0415 - its part
                threadpool_limits,
            )
        except ModuleNotFoundError:
            raise MissingExtraError(
                "gradient-boosted trees need scikit-learn", fix="pip install 'roadstead[dp]'"
            ) from None
        rows_in_leaf = max(round(self.leaf * examples.target.size / examples.records), 1)
        boosted = HistGradientBoostingClassifier(
            max_iter=self.rounds,
            min_samples_leaf=rows_in_leaf,
            early_stopping=False,
            random_state=seed,
        )
        # Threads that wait for each other are ten times slower where others work as well.
        with threadpool_limits(limits=1, user_api="openmp"):
            boosted.fit(examples.matrix, examples.target, sample_weight=examples.weights)
        return _predicting(boosted)


def _informative(examples: Examples) -> bool:
    """Whether there is anything to learn: a column, and more than one class."""
    return bool(examples.matrix.shape[1]) and np.unique(examples.target).size > 1


def _predicting(fitted: Any) -> Prediction:  # noqa: ANN401 - untyped library
    def predict(matrix: Matrix) -> NDArray[np.int32]:
        if not matrix.shape[0]:
            return np.zeros(0, dtype=np.int32)
        return np.asarray(fitted.predict(matrix), dtype=np.int32)

    return predict


CLASSIFIERS: dict[str, Classifier] = {
    one.name: one for one in (PrunedTree(), BoostedTrees(), Majority())
}
"""The classifiers, by the names users call them."""
