"""Split points of numbers, point by point."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.domains import NumericCut, NumericDomain
from roadstead.differential.growth.plain_growth import NumericGrowth, Tally, runs, tally
from roadstead.differential.scores import Max

values = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), max_size=8)


def tallied(drawn: list[tuple[int, int]]) -> Tally:
    """Count steps and classes."""
    codes, target = (np.array([one[at] for one in drawn], dtype=np.int32) for at in (0, 1))
    return tally(codes, target, np.ones(len(drawn), dtype=np.int64), 2)


@thorough
@given(values, st.integers(0, 8), st.integers(2, 10))
def test_every_step_inside_an_interval_is_a_split_point(
    drawn: list[tuple[int, int]], begin: int, end: int
) -> None:
    """Once, with the classes that lie left and right of it inside the interval."""
    end = max(end, begin + 2)
    begins, lengths, children = runs(tallied(drawn), begin, end)
    points = [
        (int(first) + at, sides.tolist())
        for first, length, sides in zip(begins, lengths, children, strict=True)
        for at in range(int(length))
    ]
    assert [point for point, _ in points] == list(range(begin + 1, end))
    for point, sides in points:
        left = [sum(begin <= v < point and c == k for v, c in drawn) for k in (0, 1)]
        right = [sum(point <= v < end and c == k for v, c in drawn) for k in (0, 1)]
        assert sides == [left, right]


def test_the_worked_example_of_interval_probabilities() -> None:
    """Values 10, 20, 40 of one class and 70 of two, at epsilon 1 and with the factor 2."""
    drawn = [(10, 0), (20, 0), (40, 1), (70, 1)]
    begins, lengths, children = runs(tallied(drawn), 0, 101)
    scores = Max().of(children)
    assert begins.tolist() == [1, 11, 21, 41, 71]
    assert lengths.tolist() == [10, 10, 20, 30, 30]
    assert scores.tolist() == [2, 3, 4, 3, 2]
    weights = lengths * np.exp(scores / 2)
    found = weights / weights.sum()
    assert found == pytest.approx([0.0624, 0.1028, 0.3391, 0.3085, 0.1871], abs=5e-5)


def test_without_a_value_all_split_points_are_alike() -> None:
    begins, lengths, children = runs(tallied([]), 3, 9)
    assert (begins.tolist(), lengths.tolist()) == ([4], [5])
    assert not children.any()


@thorough
@given(values, st.integers(0, 99))
def test_intervals_grow_finer_until_they_are_single_steps(
    drawn: list[tuple[int, int]], seed: int
) -> None:
    """Halves get split points where they have two steps; a row is on the side of its step."""
    codes = np.array([one[0] for one in drawn], dtype=np.int32)
    domain = NumericDomain("n", Decimal(0), Decimal(9))
    growth = NumericGrowth(NumericCut(domain, (0, 10)), codes, tallied(drawn), {})
    grant, mechanisms = Grant(BudgetStep("groups"), Fraction(1)), SeededMechanisms(seed)
    growth = growth.with_splits(grant, Max(), mechanisms)
    for _ in range(9):
        node = growth.candidates[seed % len(growth.candidates)]
        end, point = growth.cut.end(node), growth.splits[node]
        assert node < point < end
        assert growth.children(node) == (node, point)
        assert growth.child_of_row(node).tolist() == [int(v >= point) for v, _ in drawn]
        growth = growth.specialized(node)
        assert growth.cut.end(node) == point
        assert growth.cut.end(point) == end
        assert set(growth.undecided) == {
            begin for begin, stop in ((node, point), (point, end)) if stop - begin > 1
        }
        growth = growth.with_splits(grant, Max(), mechanisms)
        assert not growth.undecided
    assert growth.cut.bounds == tuple(range(11))
    assert not growth.candidates
    assert growth.cut.label(4) == "4"
