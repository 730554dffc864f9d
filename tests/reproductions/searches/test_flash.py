"""Flash: the order of policies, and the evaluations that are published."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from effort import unhurried
from hypothesis import given
from lattices import Case, cases
from published_tables import published

from roadstead.search.protocol import Control
from roadstead_reproductions.searches.flash import flash, in_order
from roadstead_reproductions.searches.ledger import levels_of


@unhurried
@given(cases())
def test_policies_are_ordered_by_rank_then_height_then_distinct_values(case: Case) -> None:
    """Worked out again in fractions; of equals, the first in lexicographic order."""
    problem = case.problem()
    labels = problem.encoding.labels

    def key(levels: tuple[int, ...]) -> tuple[int, Fraction, Fraction, tuple[int, ...]]:
        climbed = sum(
            (
                Fraction(level, max(1, len(own) - 1))
                for level, own in zip(levels, labels, strict=True)
            ),
            Fraction(0),
        )
        left = sum(
            (Fraction(own[level], own[0]) for level, own in zip(levels, labels, strict=True)),
            Fraction(0),
        )
        return sum(levels), climbed, -left, levels

    assert levels_of(problem.space, in_order(problem)) == sorted(problem.space, key=key)


@pytest.mark.parametrize(("number", "evaluated"), [(3, 12), (4, 45)])
def test_as_many_are_evaluated_as_by_another_implementation(
    data_dir: Path, number: int, evaluated: int
) -> None:
    """Adult with few attributes, where no ties matter."""
    outcome = flash().run(published(data_dir, "adult", number), Control())
    assert outcome.proven
    assert outcome.evaluated == evaluated


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("table", "number", "evaluated", "quality"),
    [
        ("adult", 5, 77, 0.869744724488194),
        ("adult", 6, 114, 0.8699319038417452),
        ("adult", 7, 192, 0.8674315517457727),
        ("adult", 8, 446, 0.8288350057809766),
        ("adult", 9, 1180, 0.7570844289429579),
        ("cup", 6, 204, 0.8723318416408845),
        ("fars", 7, 308, 0.8985293682610245),
    ],
)
def test_about_as_many_are_evaluated_as_published(
    data_dir: Path, table: str, number: int, evaluated: int, quality: float
) -> None:
    """Which of two neighbors that are equal in the order goes first is not published."""
    outcome = flash().run(published(data_dir, table, number), Control())
    assert outcome.best is not None
    assert outcome.proven
    assert 1.0 - outcome.best.loss == pytest.approx(quality, rel=0, abs=1e-14)
    assert outcome.evaluated == pytest.approx(evaluated, rel=0.15)


@pytest.mark.slow
def test_where_all_may_be_suppressed_exactly_as_many_as_by_another_implementation(
    data_dir: Path,
) -> None:
    """Then the second phase is all there is."""
    outcome = flash().run(published(data_dir, "adult", 9, suppression="1"), Control())
    assert outcome.best is not None
    assert outcome.best.policy == (0, 3, 0, 0, 2, 1, 1, 1, 0)
    assert outcome.evaluated == 4777
