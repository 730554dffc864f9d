"""The scores on the worked example, and their ends."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.scores import SCORES, InfoGain, Max, MaxGain, Score

UNIT = 2**20
EXAMPLE = [[4, 1], [1, 2]]
"""A node of 5 and 3 records of two classes, and two children."""


def score(one: Score, children: Sequence[Sequence[int]]) -> int:
    """Score one candidate."""
    return int(one.of(np.array([children], dtype=np.int64))[0])


def test_the_worked_example() -> None:
    """Max is 4 + 2, of which the node alone gets 5; InfoGain is 0.158868 bits."""
    assert score(Max(), EXAMPLE) == 6
    assert score(MaxGain(), EXAMPLE) == 1
    assert score(InfoGain(), EXAMPLE) / UNIT == pytest.approx(0.158868, abs=1e-6)


@pytest.mark.parametrize("classes", [1, 2, 3, 5])
def test_info_gain_ends_at_log2_of_the_classes(classes: int) -> None:
    """Children that determine the class have all information; other children have none."""
    apart = np.eye(classes, dtype=np.int64) * 7
    alike = np.full((3, classes), 7)
    assert score(InfoGain(), apart.tolist()) == round(log2(classes) * UNIT)
    assert score(InfoGain(), alike.tolist()) == 0
    assert score(InfoGain(), np.zeros((2, classes), dtype=np.int64).tolist()) == 0


@pytest.mark.parametrize(("classes", "bits"), [(1, 1.0), (2, 1.0), (3, log2(3)), (4, 2.0)])
def test_the_sensitivity_of_info_gain_is_its_range_and_a_unit(classes: int, bits: float) -> None:
    """One class has no information and is treated like two."""
    assert 0 <= InfoGain().sensitivity(classes) - 1 - bits * UNIT < 1


@thorough
@given(st.lists(st.lists(st.integers(0, 10**12), min_size=3, max_size=3), min_size=1, max_size=5))
def test_scores_of_large_tables_stay_within_their_range(children: list[list[int]]) -> None:
    """Floats may step over an end of the range; the score may not."""
    assert 0 <= score(InfoGain(), children) < InfoGain().sensitivity(3)
    records = sum(map(sum, children))
    assert 0 <= score(MaxGain(), children) <= score(Max(), children) <= records


def test_split_points_of_one_node_are_compared_by_max_where_the_gain_is_asked_for() -> None:
    """The node's majority is the same for all of them, and Max is monotonic."""
    assert MaxGain().within == Max()
    assert Max(monotonic=False).within == Max(monotonic=False)
    assert InfoGain().within == InfoGain()


def test_each_score_is_found_by_its_name() -> None:
    assert all(one.name == name for name, one in SCORES.items())
