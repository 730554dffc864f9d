"""Best-first search against what paper 003 publishes of it, evaluation by evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from lattices import crowded
from published_tables import published

from roadstead.search.protocol import Control
from roadstead_reproductions.searches.best_first import best_first

COUNTS = [
    ("adult", 3, 10, 2, 0.9589917129013221),
    ("adult", 4, 51, 13, 0.8801818030123745),
    ("adult", 5, 105, 21, 0.869744724488194),
    ("adult", 6, 183, 35, 0.8699319038417452),
    ("adult", 7, 299, 35, 0.8674315517457727),
    ("adult", 8, 1062, 56, 0.8288350057809766),
    ("adult", 9, 5319, 81, 0.7570844289429579),
    ("cup", 3, 7, 2, 0.9826641704214456),
    ("cup", 4, 23, 14, 0.9406215210080544),
    ("cup", 5, 88, 12, 0.9218406352334123),
    ("cup", 6, 284, 115, 0.8723318416408845),
    pytest.param("cup", 7, 1736, 539, 0.8712033847775258, marks=pytest.mark.slow),
    pytest.param("cup", 8, 6911, 3424, 0.8603106390825048, marks=pytest.mark.slow),
    ("fars", 3, 10, 5, 0.9520693164893594),
    ("fars", 4, 42, 10, 0.9029144224083259),
    ("fars", 5, 82, 12, 0.9185494747167227),
    ("fars", 6, 262, 14, 0.9042146344687654),
    ("fars", 7, 509, 23, 0.8985293682610245),
    pytest.param("fars", 8, 3769, 56, 0.8460101233152582, marks=pytest.mark.slow),
]


@pytest.mark.quick(2)
@pytest.mark.parametrize(("table", "number", "evaluated", "first_met", "quality"), COUNTS)
def test_the_published_counts_are_found_again(
    data_dir: Path, table: str, number: int, evaluated: int, first_met: int, quality: float
) -> None:
    """How many policies are evaluated, and at which of them the optimum is met."""
    outcome = best_first().run(published(data_dir, table, number), Control())
    assert outcome.best is not None
    assert outcome.proven
    assert 1.0 - outcome.best.loss == pytest.approx(quality, rel=0, abs=1e-14)
    assert (outcome.evaluated, outcome.first_met) == (evaluated, first_met)


def test_stopped_at_each_look_the_bound_does_not_fall() -> None:
    """It is the least floor of what waits, and what comes to wait is above something that did."""
    problem = crowded(46).problem()
    bounds = []
    for calls in range(best_first().run(problem, Control()).evaluated - 1):
        left = iter(range(calls))
        stopping = Control(stopped=lambda left=left: next(left, None) is None)  # type: ignore[misc] # a default binds it
        bounds.append(best_first().run(problem, stopping).lower_bound)
    assert len(bounds) > 10
    assert bounds == sorted(bounds)
    assert bounds[-1] > bounds[0]
