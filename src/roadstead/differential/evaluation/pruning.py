"""How far a decision tree is pruned: cost-complexity pruning, chosen by cross-validation.

A tree that is grown until its leaves are pure has learned the noise. Pruned at `alpha`, it is the
smallest tree that minimizes its training entropy per record plus `alpha` for each leaf (Breiman,
Friedman, Olshen, Stone 1984, chapter 3); the right `alpha` is the one whose trees do best on
records that they were not grown on.

A row stands for many records, equal ones, so it is not rows that are dealt to the folds: each
record of a row is dealt by itself, and a row is in most folds with a part of its weight. Dealing
rows would ask a tree for groups that it has never seen.

One tree is grown for each fold. All its prunings are weighed together, from the leaves to the root:
at a given `alpha` a node becomes a leaf if its children together cost no less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.evaluation.features import Examples
from roadstead.errors import MissingExtraError

_LEAST_BITS = 0.25
"""Saved entropy of all records together, in bits, that a leaf may be worth; from there upwards."""
_STEPS = 40


def grow(examples: Examples, seed: int, alpha: float = 0.0) -> Any:  # noqa: ANN401 - untyped library
    """Grow a decision tree by entropy, and prune it."""
    try:
        from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415 - heavy, optional
    except ModuleNotFoundError:
        raise MissingExtraError(
            "a decision tree needs scikit-learn", fix="pip install 'roadstead[dp]'"
        ) from None
    tree = DecisionTreeClassifier(
        criterion="entropy",
        # Two records in a leaf, as C4.5 has it; a little less, for the rounding of a share.
        min_weight_fraction_leaf=min(1.5 / examples.records, 0.5),
        ccp_alpha=alpha,
        random_state=seed,
    )
    return tree.fit(examples.matrix, examples.target, sample_weight=examples.weights)


def best_alpha(examples: Examples, folds: int, seed: int) -> float:
    """Choose what a leaf costs by cross-validation; of equals the largest.

    `folds`: how many, at least 2. Returns bits for each record.
    """
    alphas = candidates(examples.records)
    right = np.zeros(alphas.size)
    for learned, tested in dealt(examples, folds, seed):
        if learned.records and tested.records:
            right += right_when_pruned(grow(learned, seed), tested, alphas)
    return float(alphas[np.flatnonzero(right == right.max())[-1]])


def candidates(records: int) -> NDArray[np.float64]:
    """List what a leaf may cost, ascending: from a quarter bit in all to a bit a record."""
    return np.geomspace(_LEAST_BITS / records, 1.0, _STEPS)


def dealt(examples: Examples, folds: int, seed: int) -> list[tuple[Examples, Examples]]:
    """Deal each record to one of some folds: those outside the fold, and those in it."""
    chance = np.random.default_rng(seed)
    parts = chance.multinomial(examples.weights, np.full(folds, 1 / folds)).T
    return [(_some(examples, examples.weights - part), _some(examples, part)) for part in parts]


def right_when_pruned(
    tree: Any,  # noqa: ANN401 - untyped library
    tested: Examples,
    alphas: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Count the records that the prunings of a tree predict right.

    Returns an array of shape ``(alphas,)``.
    """
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
    """Count for each node the records that it would predict right if it were a leaf."""
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
    """List the nodes by their depth."""
    levels = [np.zeros(1, dtype=np.int64)]
    while (split := levels[-1][left[levels[-1]] >= 0]).size:
        levels.append(np.concatenate((left[split], right[split])))
    return levels


def _some(examples: Examples, weights: NDArray[np.int64]) -> Examples:
    some = weights > 0
    return Examples(examples.matrix[some], examples.target[some], weights[some])
