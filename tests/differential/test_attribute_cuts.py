"""Cuts generalize other records the same way as the records of the table."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
from diffgen_by_hand import Scripted
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from private_tables import Case, Categories, Items, Numbers, cases, private_table, tree_of

from roadstead.differential.budget import Accountant
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.domains import (
    CategoricalCut,
    CategoricalDomain,
    CutGroups,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.differential.evaluation.features import counted_groups
from roadstead.differential.scores import Max
from roadstead.hierarchies.taxonomy import NOT_LISTED, from_branches

TREE = from_branches("t", "any", {"a": ("a1", "a2"), "b": ("b1", "b2")}, origin="test")
A, B1, B2 = 1, 5, 6
"""Nodes of the tree, which are numbered in preorder."""


def keep_two(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep counts of 2."""
    return 2


def last_stage(case: Case, seed: int) -> Stage:
    """Specialize five times."""
    table, plan = private_table(case), Plan(5, Max(), keep_two)
    return list(stages(table, plan, Fraction(1, 100), Accountant(Fraction(1)), Scripted(seed)))[-1]


@thorough
@given(cases(), st.integers(0, 99))
def test_a_record_of_the_table_is_located_where_it_was_put(case: Case, seed: int) -> None:
    """By the texts of its values, for each attribute and each row that is in a group."""
    stage = last_stage(case, seed)
    groups = stage.groups
    for row, (values, label) in enumerate(dict.fromkeys(case.records)):
        group = int(stage.partitions.of_row[row])
        if group < 0:
            continue
        single = private_table(Case(case.attributes, case.classes, ((values, label),)))
        located = counted_groups(single, groups.cuts).groups
        for at in range(len(values)):
            cut, code = groups.cuts[at], int(groups.codes[at][group])
            combinations, own = groups.combinations[at], located.combinations[at]
            if isinstance(cut, SetCut):
                assert combinations is not None
                assert own is not None
                assert own[located.codes[at][0]] == combinations[code]
            else:
                assert combinations is None
                assert located.codes[at].tolist() == [code]


def test_intervals_are_found_and_named() -> None:
    cut = NumericCut(NumericDomain("n", Decimal(10), Decimal(19)), (0, 4, 5, 10))
    assert cut.attribute == "n"
    assert cut.labels == ("10 to 13", "14", "15 to 19")
    steps = cut.domain.locate(["10", "13.5", "14", "19", "99", "1", "x"])
    assert cut.of(steps).tolist() == [0, 0, 1, 2, 2, 0, NOT_LISTED]


def test_categories_are_found_and_named() -> None:
    cut = CategoricalCut(CategoricalDomain(TREE), (A, B1, B2))
    assert cut.attribute == "t"
    assert cut.labels == ("a", "b1", "b2")
    leaves = TREE.locate(["a2", "a1", "b1", "b2", "c"])
    assert cut.of(leaves).tolist() == [0, 0, 1, 2, NOT_LISTED]


def test_sets_are_told_by_the_nodes_they_have_items_under() -> None:
    """The root alone reveals nothing about any set, not even whether it is empty."""
    cut, root = SetCut(SetDomain(TREE), (A, B1, B2)), SetCut(SetDomain(TREE), (0,))
    assert cut.attribute == "t"
    assert cut.labels == ("a", "b1", "b2")
    assert (cut.size, root.size) == (8, 1)
    assert cut.is_specialized
    assert not root.is_specialized


def test_groups_are_chosen_in_the_order_given() -> None:
    attributes = (Numbers("n", 3), Categories("c", tree_of("c", ((), ()))))
    items = Items("i", tree_of("i", ((), ())))
    groups = last_stage(Case((*attributes, items), ("yes",), ()), 3).groups
    assert groups.size > 2
    some = groups.chosen(np.array([2, 0]))
    assert isinstance(some, CutGroups)
    assert some.size == 2
    for codes, before in zip(some.codes, groups.codes, strict=True):
        assert codes.tolist() == [before[2], before[0]]
    assert some.combinations == groups.combinations
