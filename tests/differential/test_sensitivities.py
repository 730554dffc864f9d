"""Sensitivities by experiment: one record more, anywhere, at every node and split point."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from numpy.typing import NDArray
from private_tables import Case, neighbors, private_table

from roadstead.differential.diffgen import Growth, roots
from roadstead.differential.growth.plain_growth import CategoricalGrowth, NumericGrowth, runs
from roadstead.differential.listing import few_false
from roadstead.differential.scores import InfoGain, Max, MaxGain, Score

SCORES: tuple[Score, ...] = (Max(), Max(monotonic=False), MaxGain(), InfoGain())


def check(score: Score, before: NDArray[np.int64], after: NDArray[np.int64], classes: int) -> None:
    """Prove that scores moved no more than allowed, and in the direction allowed."""
    assert before.shape == after.shape
    change = after - before
    assert (np.abs(change) <= score.sensitivity(classes)).all()
    assert not score.monotonic or (change >= 0).all()


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("children", "classes", "most"), [(2, 2, 4), (1, 3, 4), (2, 3, 2)])
def test_one_record_more_moves_a_score_by_its_sensitivity_at_most(
    score: Score, children: int, classes: int, most: int
) -> None:
    """All small tables of children and classes, and a record in every cell."""
    cells = children * classes
    tables = np.array(list(product(range(most + 1), repeat=cells)), dtype=np.int64)
    for cell in range(cells):
        more = tables.copy()
        more[:, cell] += 1
        check(
            score,
            score.of(tables.reshape(-1, children, classes)),
            score.of(more.reshape(-1, children, classes)),
            classes,
        )


def test_the_sensitivities_are_not_larger_than_need_be() -> None:
    """Tables where a record moves a score by all of it; InfoGain has one unit for rounding."""

    def move(score: Score, before: list[list[int]], after: list[list[int]]) -> int:
        first, second = score.of(np.array([before, after], dtype=np.int64)).tolist()
        return int(second) - int(first)

    assert move(Max(), [[0, 0], [0, 0]], [[1, 0], [0, 0]]) == 1
    assert move(MaxGain(), [[2, 0], [0, 1]], [[2, 0], [0, 2]]) == 1
    assert move(MaxGain(), [[2, 2], [0, 0]], [[3, 2], [0, 0]]) == 0
    assert move(MaxGain(), [[2, 1], [0, 1]], [[2, 2], [0, 1]]) == -1
    assert move(InfoGain(), [[1, 0], [0, 0]], [[1, 0], [0, 1]]) == InfoGain().sensitivity(2) - 1


def growths(case: Case) -> list[Growth]:
    """Give each attribute at its topmost value."""
    return list(roots(private_table(case), few_false))


@thorough
@given(neighbors())
def test_at_every_node_and_split_point_too(tables: tuple[Case, Case]) -> None:
    """Categories, sets and numbers; and all candidates of one choice move in one direction."""
    classes = len(tables[0].classes)
    for before, after in zip(*map(growths, tables), strict=True):
        for score in SCORES:
            check(score, node_scores(before, score), node_scores(after, score), classes)


def node_scores(growth: Growth, score: Score) -> NDArray[np.int64]:
    """Score every node of a taxonomy, or every split point of every interval."""
    if isinstance(growth, NumericGrowth):
        size = growth.cut.domain.size
        points = [
            np.repeat(score.of(children), lengths)
            for begin in range(size)
            for end in range(begin + 2, size + 1)
            for _, lengths, children in [runs(growth.tally, begin, end)]
        ]
        return np.concatenate([*points, np.zeros(0, dtype=np.int64)])
    taxonomy = growth.cut.domain.taxonomy
    nodes = [node for node in range(taxonomy.nodes) if taxonomy.children[node]]
    if isinstance(growth, CategoricalGrowth):
        assert all(growth.under(node).shape[0] == len(growth.children(node)) for node in nodes)
    return np.array([score.of(growth.under(node)[None])[0] for node in nodes], dtype=np.int64)
