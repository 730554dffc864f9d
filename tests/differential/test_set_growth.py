"""Combinations of items: thresholds, numbering, and the kept ones."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from diffgen_by_hand import Scripted
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from private_tables import Case, Items, private_table, tree_of

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.diffgen import roots
from roadstead.differential.growth import set_growth
from roadstead.differential.growth.partitions import DROPPED, Partitions, whole
from roadstead.differential.growth.set_growth import SetGrowth
from roadstead.differential.listing import Threshold, few_false, one_deviation, skipping

EPSILONS = [Fraction(1, 1000), Fraction(1, 72), Fraction(1, 2), Fraction(1), Fraction(7)]


def kept_by_noise(epsilon: Fraction, least: int) -> float:
    """Give the probability that discrete Laplace noise reaches a threshold."""
    base = exp(-float(epsilon))
    return base**least / (1 + base)


def test_one_deviation_keeps_an_eighth_of_the_empty_combinations() -> None:
    """The worked figure of 0.1216, and 0.36, 0.85, 3.8 and 124 of all combinations."""
    epsilon = Fraction(1, 10**5)
    kept = kept_by_noise(epsilon, one_deviation(epsilon, 1))
    assert kept == pytest.approx(0.1216, abs=5e-5)
    of_all = [kept * (2**children - 1) for children in (2, 3, 5, 10)]
    assert of_all == pytest.approx([0.36, 0.85, 3.8, 124], rel=0.02)


@pytest.mark.parametrize(("children", "expected"), [(3, 1.95), (5, 3.43), (10, 6.93)])
def test_few_false_is_the_worked_threshold(children: int, expected: float) -> None:
    """Of 2^m - 1 combinations, in units of 1 / epsilon; with two children one deviation is more."""
    epsilon = Fraction(1, 10**5)
    tests = 2**children - 1
    assert few_false(epsilon, tests) * float(epsilon) == pytest.approx(expected, abs=0.005)
    assert few_false(epsilon, 3) * float(epsilon) == pytest.approx(sqrt(2), abs=1e-4)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("tests", [0, 1, 2, 3, 31, 1023, 2**40, 2**62])
def test_few_false_keeps_half_an_empty_combination_at_most(epsilon: Fraction, tests: int) -> None:
    """And it is the least threshold that does, unless one deviation is more."""
    least = few_false(epsilon, tests)
    assert least >= one_deviation(epsilon, tests) >= 1
    assert tests * kept_by_noise(epsilon, least) <= 0.5 * (1 + 1e-9)
    if least > one_deviation(epsilon, tests):
        assert tests * kept_by_noise(epsilon, least - 1) > 0.5 * (1 - 1e-9)
        assert log(tests) / float(epsilon) <= least + log(2) / float(epsilon)


@thorough
@given(st.sets(st.integers(0, 20)), st.data())
def test_places_among_those_not_taken_are_found(taken: set[int], data: st.DataObject) -> None:
    """By listing the numbers that are left."""
    free = [number for number in range(60) if number not in taken]
    places = sorted(data.draw(st.sets(st.integers(0, len(free) - 1))))
    found = skipping(
        np.array(sorted(taken), dtype=np.int64), np.array(places, dtype=np.int64)
    ).tolist()
    assert found == [free[place] for place in places]


def grown(case: Case, threshold: Threshold = few_false) -> SetGrowth:
    """Give the one attribute of a table at its top."""
    (growth,) = roots(private_table(case), threshold)
    assert isinstance(growth, SetGrowth)
    return growth


def keep_one(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep counts of 1."""
    return 1


class Truthful(Scripted):
    """Noise of nothing: the combinations that have records are kept."""

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the true counts."""
        self._note("count", grant, tuple(counts.tolist()))
        return counts

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find nothing."""
        self._note("exceeding", grant, cells, least)
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def specialized(
    growth: SetGrowth, node: int, before: Partitions, mechanisms: Scripted
) -> tuple[SetGrowth, Partitions]:
    """Specialize a node of rows that are one record each."""
    counts = np.ones(growth.codes.size, dtype=np.int64)
    return growth.specialized(
        node, before, 0, counts, Grant(BudgetStep("groups"), Fraction(99)), mechanisms
    )


def test_at_the_top_the_empty_set_is_a_combination_and_below_it_is_not() -> None:
    """2^2 tests of the root, then 2^2 - 1 in each of the two combinations with the node."""
    sets = ((), ("i.0",), ("i.0", "i.1.0"), ("i.1.0", "i.1.1"))
    records = tuple(((frozenset(one),), "yes") for one in sets)
    tree = tree_of("i", ((), ((), ())))
    growth = grown(Case((Items("i", tree),), ("yes",), records), keep_one)
    mechanisms = Truthful(0)
    growth, after = specialized(growth, 0, whole((0,), 4), mechanisms)
    first, second = growth.cut.nodes
    told = [growth.combinations[one] for one in after.nodes[0].tolist()]
    assert told == [(), (first,), (second,), (first, second)]
    assert after.of_row.tolist() == [0, 1, 3, 2]
    growth, after = specialized(growth, second, after, mechanisms)
    assert growth.cut.nodes == (first, *growth.cut.domain.taxonomy.children[second])
    left, right = growth.cut.nodes[1:]
    told = [growth.combinations[one] for one in after.nodes[0].tolist()]
    assert told == [(), (first,), (left, right), (first, left)]
    assert after.of_row.tolist() == [0, 1, 3, 2]
    assert [one[0] for one in mechanisms.asked] == ["count", "exceeding"] * 2
    assert [one[3:] for one in mechanisms.asked] == [((1, 1, 1, 1),), (0, 1), ((1, 1),), (4, 1)]


def test_a_combination_that_is_not_kept_takes_its_rows_along() -> None:
    """They are in no partition, and stay there."""
    records = tuple(((frozenset((f"i.{at}",)),), "yes") for at in range(3))
    growth = grown(Case((Items("i", tree_of("i", ((), (), ()))),), ("yes",), records), keep_one)
    before = Partitions((np.zeros(1, dtype=np.int32),), np.array([0, DROPPED, 0], dtype=np.int32))
    _, after = specialized(growth, 0, before, Truthful(0))
    assert after.of_row.tolist() == [0, DROPPED, 1]
    growth = grown(
        Case((Items("i", tree_of("i", ((), (), ()))),), ("yes",), records), lambda _, __: 2
    )
    _, lost = specialized(growth, 0, before, Truthful(0))
    assert lost.size == 0
    assert lost.of_row.tolist() == [DROPPED] * 3


def test_the_bits_of_forty_children_are_told_apart() -> None:
    """A combination of the first and the last child of the widest node there may be."""
    sets = [("i.0", "i.39"), ("i.39",)]
    records = tuple(((frozenset(one),), "yes") for one in sets)
    growth = grown(Case((Items("i", tree_of("i", ((),) * 40)),), ("yes",), records), keep_one)
    mechanisms = Truthful(0)
    growth, after = specialized(growth, 0, whole((0,), 2), mechanisms)
    told = [growth.combinations[one] for one in after.nodes[0].tolist()]
    assert told == [(growth.cut.nodes[39],), (growth.cut.nodes[0], growth.cut.nodes[39])]
    assert after.of_row.tolist() == [1, 0]
    assert mechanisms.asked[-1][3] == 2**40 - 2


@pytest.mark.parametrize("most_bits", [12, 0])
def test_classes_are_counted_in_the_combinations_that_have_records(
    monkeypatch: pytest.MonkeyPatch, most_bits: int
) -> None:
    """In an array of all combinations, or sorted where children are too many for that."""
    monkeypatch.setattr(set_growth, "_MOST_BITS", most_bits)
    drawn = [((), "no"), (("i.0",), "yes"), (("i.0", "i.1.0"), "no"), (("i.1.0", "i.1.1"), "no")]
    records = tuple(((frozenset(items),), label) for items, label in drawn)
    growth = grown(Case((Items("i", tree_of("i", ((), ((), ())))),), ("yes", "no"), records))

    def counted(node: int) -> list[list[int]]:
        return sorted(counts for counts in growth.under(node).tolist() if any(counts))

    assert counted(0) == [[0, 1], [0, 1], [0, 1], [1, 0]]
    assert counted(growth.cut.domain.taxonomy.children[0][1]) == [[0, 1], [0, 1]]
    nobody = grown(Case((Items("i", tree_of("i", ((), ()))),), ("yes", "no"), ()))
    assert nobody.under(0).tolist() == [[0, 0]]
