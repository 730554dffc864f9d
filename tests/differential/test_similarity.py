"""Properties that a release keeps, compared with distributions counted record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from drawn_cuts import cuts, told
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from private_tables import Case, Value, cases, private_table

from roadstead.differential.domains import AttributeCut, CutGroups, SetCut
from roadstead.differential.evaluation.accuracy import (
    CLASS,
    cramers_v,
    similarity,
    total_variation,
)
from roadstead.differential.evaluation.features import counted_groups

Told = dict[str, object]
Weighed = list[tuple[Told, int]]


def variables(chosen: tuple[AttributeCut, ...], values: Iterable[Value], label: str) -> Told:
    """Give each variable's name and value for a record."""
    found: Told = {}
    for cut, value in zip(chosen, values, strict=True):
        if isinstance(cut, SetCut):
            names = (f"{cut.attribute}: {node}" for node in cut.labels)
            found |= dict(zip(names, told(cut, value), strict=False))
        elif len(cut.labels) > 1:
            found[cut.attribute] = told(cut, value)
    return found | {CLASS: label}


def of_groups(groups: CutGroups, counts: np.ndarray, example: Mapping[int, Told]) -> Weighed:
    """Weigh what each group and class says, by a record that is in the group."""
    return [
        (example[group] | {CLASS: label}, int(count))
        for group, row in enumerate(counts)
        for label, count in zip(("yes", "no", "maybe"), row, strict=False)
        if group < groups.size
    ]


def shares(records: Weighed, names: tuple[str, ...]) -> Counter[tuple[object, ...]]:
    """Count records by some variables."""
    found: Counter[tuple[object, ...]] = Counter()
    for one, weight in records:
        found[tuple(one[name] for name in names)] += weight
    return found


def distance(one: Counter[tuple[object, ...]], other: Counter[tuple[object, ...]]) -> float:
    """Half the sum of all differences of shares."""
    if not one.total() or not other.total():
        return float(one.total() != other.total())
    apart = (one[key] / one.total() - other[key] / other.total() for key in one | other)
    return sum(abs(each) for each in apart) / 2


def v_of(joint: Counter[tuple[object, ...]]) -> float:
    """Cramer's V by its definition."""
    total = joint.total()
    first: Counter[object] = Counter()
    second: Counter[object] = Counter()
    for (one, other), weight in joint.items():
        first[one] += weight
        second[other] += weight
    first, second = +first, +second
    if min(len(first), len(second)) < 2:
        return 0.0
    chi = sum(
        (joint[a, b] - first[a] * second[b] / total) ** 2 / (first[a] * second[b] / total)
        for a in first
        for b in second
    )
    return sqrt(chi / total / (min(len(first), len(second)) - 1))


@unhurried
@given(cases(), st.data())
def test_distances_and_correlations_are_those_of_their_definitions(
    case: Case, data: st.DataObject
) -> None:
    """Any cuts, and any counts in place of the true ones, also none at all."""
    table, chosen = private_table(case), data.draw(cuts(case))
    exact = counted_groups(table, chosen)
    drawn = st.lists(st.integers(0, 9), min_size=exact.counts.size, max_size=exact.counts.size)
    counts = np.array(data.draw(drawn), dtype=np.int64).reshape(exact.counts.shape)
    true = [(variables(chosen, values, label), 1) for values, label in case.records]
    rows = list(dict.fromkeys(case.records))
    single = [
        counted_groups(private_table(Case(case.attributes, case.classes, (row,))), chosen).groups
        for row in rows
    ]
    example = {
        group: variables(chosen, row[0], "")
        for row, own in zip(rows, single, strict=True)
        for group in range(exact.groups.size)
        if _same(exact.groups, group, own)
    }
    released = of_groups(exact.groups, counts, example)
    found = similarity(exact.groups, counts, table)
    for one in found.ones:
        own = (one.variable,)
        expected = distance(shares(true, own), shares(released, own))
        assert one.distance == pytest.approx(expected, abs=1e-12)
    for two in found.twos:
        before, after = shares(true, two.variables), shares(released, two.variables)
        assert two.distance == pytest.approx(distance(before, after), abs=1e-12)
        assert two.in_table == pytest.approx(v_of(before), abs=1e-9)
        assert two.in_release == pytest.approx(v_of(after), abs=1e-9)
    names = [one.variable for one in found.ones]
    if true:
        assert names == list(true[0][0])
    assert [two.variables for two in found.twos] == list(combinations(names, 2))


def _same(groups: CutGroups, group: int, single: CutGroups) -> bool:
    """Say whether the only group of `single` is a given one."""

    def value(which: CutGroups, at: int, row: int) -> object:
        sets = which.combinations[at]
        code = int(which.codes[at][row])
        return code if sets is None else sets[code]

    return all(value(groups, at, group) == value(single, at, 0) for at in range(len(groups.cuts)))


@unhurried
@given(cases(), st.data())
def test_exact_counts_keep_everything(case: Case, data: st.DataObject) -> None:
    """Also if all are multiplied."""
    table = private_table(case)
    exact = counted_groups(table, data.draw(cuts(case)))
    found = similarity(exact.groups, 3 * exact.counts, table)
    assert found.one_way == pytest.approx(0, abs=1e-12)
    assert found.two_way == pytest.approx(0, abs=1e-12)
    assert found.correlation_change == pytest.approx(0, abs=1e-9)


def test_figures_worked_out_by_hand() -> None:
    """Chi-squared of 10 20 / 30 40 is 0.793651, of 100 records: V is 0.089087."""
    table = np.array([[10.0, 20.0], [30.0, 40.0]])
    assert cramers_v(table) == pytest.approx(sqrt(0.793650794 / 100))
    assert cramers_v(np.array([[5.0, 0.0], [0.0, 7.0]])) == pytest.approx(1)
    assert cramers_v(np.array([[2.0, 4.0], [3.0, 6.0]])) == pytest.approx(0)
    assert cramers_v(np.array([[2.0, 4.0], [0.0, 0.0]])) == 0
    assert total_variation(np.array([1.0, 3.0]), np.array([2.0, 2.0])) == pytest.approx(0.25)
    assert total_variation(np.array([1.0, 3.0]), np.array([0.0, 0.0])) == 1
    assert total_variation(np.array([0.0, 0.0]), np.array([1.0, 3.0])) == 1
