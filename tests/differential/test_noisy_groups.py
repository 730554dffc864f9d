"""Noisy counts of groups and classes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from diffgen_by_hand import Scripted, in_words
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from private_tables import Case, Categories, Numbers, cases, private_table, tree_of
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.scores import Max
from roadstead.differential.synthesis import noisy_groups

GRANT = Grant(BudgetStep("groups"), Fraction(1, 2))


def three(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """List counts of 3."""
    return 3


def staged(case: Case, seed: int, specializations: int = 3) -> Stage:
    """Specialize with any answers."""
    plan = Plan(specializations, Max(), three)
    table = private_table(case)
    return list(stages(table, plan, Fraction(1, 99), Accountant(Fraction(1)), Scripted(seed)))[-1]


class Added(Scripted):
    """Noise that was thought of before: a number for each cell."""

    def __init__(self, noise: list[int], keys: list[int]) -> None:
        super().__init__(0)
        self.noise = noise
        self.keys = keys

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add the noise of the cells that have records."""
        assert grant is GRANT
        return counts + np.array([self.noise[key] for key in self.keys], dtype=np.int64)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the cells without whose noise is enough by itself."""
        assert grant is GRANT
        rest = [own for key, own in enumerate(self.noise) if key not in self.keys]
        assert len(rest) == cells
        found = [(place, own) for place, own in enumerate(rest) if own >= least]
        places, noisy = ([one[at] for one in found] for at in (0, 1))
        return np.array(places, dtype=np.int64), np.array(noisy, dtype=np.int64)


@thorough
@given(cases(), st.integers(0, 99), st.data())
def test_the_list_is_that_of_noise_on_every_cell(
    case: Case, seed: int, data: st.DataObject
) -> None:
    """As if each group and class had been noised, those without records like the others."""
    table, stage = private_table(case), staged(case, seed)
    cells = list(product(range(stage.partitions.size), range(len(case.classes))))
    noise = data.draw(st.lists(st.integers(-5, 5), min_size=len(cells), max_size=len(cells)))
    true = [
        int(table.counts[(stage.partitions.of_row == group) & (table.target == label)].sum())
        for group, label in cells
    ]
    occupied = [key for key, number in enumerate(true) if number]
    found = noisy_groups(table, stage, GRANT, three, Added(noise, occupied))
    words = in_words(stage.groups)
    expected = {
        (words[group], label): count + own
        for (group, label), count, own in zip(cells, true, noise, strict=True)
        if count + own >= 3
    }
    listed = {
        (name, label): number
        for name, numbers in zip(in_words(found.groups), found.counts.tolist(), strict=True)
        for label, number in enumerate(numbers)
        if number
    }
    assert listed == expected
    assert found.counts.shape == (found.groups.size, len(case.classes))
    assert found.counts.any(axis=1).all()
    assert found.records == sum(expected.values())
    assert found.all_groups == stage.partitions.size
    assert found.least == 3


CASE = Case(
    (Numbers("n", 4), Categories("c", tree_of("c", ((), (), ())))),
    ("yes", "no"),
    (((0, "c.0"), "yes"),) * 40,
)


def test_groups_are_listed_in_one_order_whether_they_have_records_or_not() -> None:
    """The order of the list would distinguish them otherwise."""
    table, stage = private_table(CASE), staged(CASE, 3)
    found = noisy_groups(table, stage, GRANT, lambda _, __: 1, SeededMechanisms(2))
    words = in_words(stage.groups)
    places = [words.index(name) for name in in_words(found.groups)]
    assert places == sorted(places)
    assert len(places) > 1


def test_the_threshold_is_told_of_all_cells() -> None:
    """Of epsilon and of how many groups and classes there are, with records or not."""
    stage = staged(CASE, 3)
    asked = []

    def noted(epsilon: Fraction, tests: int) -> int:
        asked.append((epsilon, tests))
        return 10**6

    found = noisy_groups(private_table(CASE), stage, GRANT, noted, SeededMechanisms(1))
    assert asked == [(Fraction(1, 2), 2 * stage.partitions.size)]
    assert found.groups.size == found.records == 0
    assert found.counts.shape == (0, 2)
