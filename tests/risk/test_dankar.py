"""Dankar's rule: which model it takes."""

from __future__ import annotations

import numpy as np
import pytest

from roadstead.risk.dankar import dankar_uniques, smaller
from roadstead.risk.pitman import pitman_exact_uniques, pitman_uniques
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.snb import snb_uniques
from roadstead.risk.zayatz import zayatz_uniques

SIZES = np.array([1] * 30 + [2] * 12 + [3] * 6 + [4] * 5 + [8])
RECORDS = int(SIZES.sum())


def test_up_to_a_tenth_pitman_is_taken() -> None:
    """A tenth is the last."""
    for people in (RECORDS * 10, RECORDS * 1000):
        assert dankar_uniques(SIZES, people) == pitman_uniques(SIZES, people)


def test_above_a_tenth_the_smaller_of_the_others_is_taken() -> None:
    """One person fewer than ten times the records is above it."""
    for people in (RECORDS * 10 - 1, RECORDS * 2):
        found = dankar_uniques(SIZES, people)
        others = zayatz_uniques(SIZES, people), snb_uniques(SIZES, people)
        assert found in others
        assert found.uniques == min(one.uniques for one in others if one.uniques is not None)


@pytest.mark.parametrize(
    ("zayatz", "snb", "model"),
    [(10.0, 9.0, "snb"), (9.0, 10.0, "zayatz"), (9.0, None, "zayatz")],
)
def test_where_the_negative_binomial_is_larger_or_has_no_answer_zayatz_is_taken(
    zayatz: float, snb: float | None, model: str
) -> None:
    """Both are said to be too large where they differ."""
    one = PopulationUniques("zayatz", zayatz, 0.1)
    other = PopulationUniques("snb", snb, 0.1)
    assert smaller(one, other).model == model


def test_where_pitman_has_no_answer_the_next_best_is_taken() -> None:
    """Its law, where only the formula for large populations fails; then Zayatz."""
    nearly_all = np.array([1] * 99_999 + [2])
    people = 2_000_000
    assert pitman_uniques(nearly_all, people).uniques is None
    assert dankar_uniques(nearly_all, people) == pitman_exact_uniques(nearly_all, people)
    assert dankar_uniques(np.ones(10, dtype=np.int64), 1000).model == "zayatz"
