"""The view of a classifier, compared with records generalized one by one."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
from drawn_cuts import columns, cuts
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from private_tables import Case, Categories, Items, Numbers, cases, leaves, private_table

from roadstead.differential.domains import CutGroups, NumericCut, NumericDomain, SetDomain
from roadstead.differential.evaluation.features import (
    counted_groups,
    examples_of,
    generalized_examples,
    level_cut,
    of_groups,
    raw_examples,
)
from roadstead.hierarchies.taxonomy import Branch, from_branches


@unhurried
@given(cases(), st.data())
def test_groups_are_told_in_the_same_columns_as_records(case: Case, data: st.DataObject) -> None:
    """Middles of intervals, nodes of categories and of sets; equal records are together."""
    chosen = data.draw(cuts(case))
    counted = counted_groups(private_table(case), chosen)
    found = generalized_examples(private_table(case), chosen)
    expected = Counter(
        (tuple(columns(case, chosen, values)), label) for values, label in case.records
    )
    rows = zip(found.matrix.tolist(), found.target.tolist(), found.weights.tolist(), strict=True)
    weighed: Counter[tuple[tuple[float, ...], str]] = Counter()
    for row, target, weight in rows:
        weighed[tuple(row), case.classes[target]] += weight
    assert weighed == expected
    assert counted.groups.size == len({row for row, _ in expected} if case.records else ())


@unhurried
@given(cases())
def test_the_baseline_sees_numbers_and_every_category(case: Case) -> None:
    """And of sets the nodes of a level."""
    table = private_table(case)
    found = raw_examples(table, most_nodes=3)
    for row, (values, _) in zip(found.matrix.tolist(), Counter(case.records), strict=True):
        expected: list[float] = []
        for attribute, domain, value in zip(case.attributes, table.domains, values, strict=True):
            match attribute:
                case Numbers():
                    expected.append(float(str(value)))
                case Categories(name, tree):
                    expected += [float(value == leaf) for leaf in leaves(tree, name)]
                case Items():
                    assert isinstance(domain, SetDomain)
                    assert isinstance(value, frozenset)
                    level = level_cut(domain, 3)
                    under = [set(domain.taxonomy.under(node)) for node in level.nodes]
                    expected += [float(bool(value & own)) for own in under]
        assert row == expected


def test_a_level_has_no_more_nodes_than_allowed() -> None:
    """Two groups, then four and a leaf; the first level is used even if it is too wide."""
    branches: Branch = {"a": {"b": ("1", "2"), "c": ("3", "4")}, "d": ("5", "6", "7")}
    domain = SetDomain(from_branches("items", "any", branches, origin="test"))
    by_limit = {limit: level_cut(domain, limit).labels for limit in (1, 2, 4, 5, 6, 7)}
    second = ("b", "c", "5", "6", "7")
    assert by_limit == {
        1: ("a", "d"),
        2: ("a", "d"),
        4: ("a", "d"),
        5: second,
        6: second,
        7: ("1", "2", "3", "4", "5", "6", "7"),
    }


def test_the_middle_of_an_interval_is_in_the_units_of_the_attribute() -> None:
    """10 to 11.5 in halves, cut at 10.5: the middles are 10 and 11."""
    domain = NumericDomain("dose", Decimal(10), Decimal("11.5"), Decimal("0.5"))
    codes = np.array([1, 0], dtype=np.int32)
    groups = CutGroups((NumericCut(domain, (0, 1, 4)),), (codes,), (None,))
    assert of_groups(groups).tolist() == [[11.0], [10.0]]


def test_cells_without_a_count_are_no_examples() -> None:
    """Neither are those that noise has taken below 0."""
    domain = NumericDomain("x", Decimal(0), Decimal(3))
    codes = np.array([0, 1], dtype=np.int32)
    groups = CutGroups((NumericCut(domain, (0, 2, 4)),), (codes,), (None,))
    found = examples_of(groups, np.array([[0, 5], [-1, 0]]))
    assert (found.matrix.tolist(), found.target.tolist(), found.weights.tolist()) == (
        [[0.5]],
        [1],
        [5],
    )
