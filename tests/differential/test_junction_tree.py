"""Junction trees and the model of highest entropy, compared with a list of every cell."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.differential.margins.junction_tree import (
    Beliefs,
    JunctionTree,
    calibrated,
    cells_of,
    cliques_of,
    junction_tree,
)
from roadstead.differential.margins.max_entropy import (
    Constraint,
    fitted,
    of_one,
    of_pair,
    start_of,
)

Floats = NDArray[np.float64]
Graph = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to five variables of up to four values, and any pairs of them."""
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    every = list(combinations(range(len(sizes)), 2))
    pairs = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    return sizes, tuple(pairs)


def laid_out(tree: JunctionTree, table: Floats, variables: tuple[int, ...]) -> Floats:
    """Give a table of some variables an axis for each variable of the tree."""
    return table.reshape([size if at in variables else 1 for at, size in enumerate(tree.sizes)])


def plainly(joint: Floats, variables: tuple[int, ...]) -> Floats:
    """Sum over all variables but some."""
    others = tuple(at for at in range(joint.ndim) if at not in variables)
    return np.asarray(joint.sum(axis=others))


@given(graphs(), st.integers(0, 999))
@examples(60)
def test_beliefs_are_those_of_the_whole_joint_distribution(graph: Graph, seed: int) -> None:
    """Each clique, each variable, each pair, near or far, and the sum of all weights."""
    sizes, pairs = graph
    tree = junction_tree(sizes, pairs)
    assert all(any({*pair} <= {*clique} for clique in tree.cliques) for pair in pairs)
    chance = np.random.default_rng(seed)
    weights = [chance.normal(0, 2, tree.shape(at)) for at in range(len(tree.cliques))]
    joint = np.zeros(sizes)
    for table, clique in zip(weights, tree.cliques, strict=True):
        joint = joint + laid_out(tree, table, clique)
    joint = np.exp(joint)
    found = calibrated(tree, weights)
    assert np.isclose(found.log_total, np.log(joint.sum()))
    joint /= joint.sum()
    for table, clique in zip(found.tables, tree.cliques, strict=True):
        assert np.allclose(table, plainly(joint, clique))
    for one in range(len(sizes)):
        assert np.allclose(found.margin((one,)), plainly(joint, (one,)))
        carried = found.pairs_with(one)
        assert set(carried) <= set(range(one + 1, len(sizes)))
        for other in range(one + 1, len(sizes)):
            # Variables outside every margin are independent.
            own = carried.get(other)
            own = np.outer(found.margin((one,)), found.margin((other,))) if own is None else own
            assert np.allclose(own, plainly(joint, (one, other)))


def test_a_circle_is_triangulated() -> None:
    """Four variables in a circle make two cliques of three, joined by two; by hand."""
    cliques = cliques_of((2, 3, 2, 3), [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert sorted(cliques) == [(0, 1, 2), (0, 2, 3)]
    assert cells_of((2, 3, 2, 3), cliques) == 12 + 12


def joint_of(tree: JunctionTree, constraints: list[Constraint], factors: Floats) -> Floats:
    """Multiply all factors out, cell by cell."""
    joint, at = np.zeros(tree.sizes), 0
    for one in constraints:
        own = factors[at : at + one.shares.size].reshape(one.shares.shape)
        joint = joint + laid_out(tree, one.laid_out(own), one.variables)
        at += one.shares.size
    found = np.exp(joint - joint.max())
    return np.asarray(found / found.sum())


def model(noise: float, seed: int) -> tuple[JunctionTree, list[Constraint], Floats, Beliefs]:
    """Fit three variables, of which two pairs are counted, with noise."""
    chance = np.random.default_rng(seed)
    truth = chance.dirichlet(np.ones(24)).reshape(2, 3, 4)
    tree = junction_tree(truth.shape, [(0, 1), (1, 2)])
    constraints = [of_one(at, plainly(truth, (at,)), 1000) for at in range(3)]
    for pair in ((0, 1), (1, 2)):
        own = plainly(truth, pair)
        noisy = own + chance.normal(0, noise, own.shape)
        alone = np.outer(own.sum(axis=1), own.sum(axis=0))
        identity = (np.arange(own.shape[0]), np.arange(own.shape[1]))
        constraints.append(of_pair(pair, identity, noisy, alone, max(noise, 1e-9) ** 2, 1000))
    start = np.concatenate([start_of(one).ravel() for one in constraints])
    return tree, constraints, *fitted(tree, constraints, start, 2000)


def test_without_noise_the_margins_are_met_as_by_proportional_fitting() -> None:
    """An estimator of its own: iterative proportional fitting of the whole table."""
    for seed in range(3):
        tree, constraints, factors, beliefs = model(0.0, seed)
        by_hand = np.full(tree.sizes, 1 / 24)
        for _ in range(500):
            for one in constraints:
                own = one.shares / plainly(by_hand, one.variables)
                by_hand = by_hand * laid_out(tree, own, one.variables)
        assert np.allclose(joint_of(tree, constraints, factors), by_hand, atol=1e-4)
        for one in constraints[3:]:
            assert np.allclose(beliefs.margin(one.variables), one.shares, atol=1e-4)


def test_with_noise_a_cell_is_off_by_its_slack_times_its_factor() -> None:
    """The condition of the maximum of entropy with slack, on the whole table."""
    for seed in range(3):
        tree, constraints, factors, _ = model(0.01, seed)
        joint, at = joint_of(tree, constraints, factors), 0
        for one in constraints:
            own = factors[at : at + one.shares.size].reshape(one.shares.shape)
            off = one.shares - plainly(joint, one.variables)
            assert np.allclose(off, one.slack * own, atol=5e-5)
            at += one.shares.size
