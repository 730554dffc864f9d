"""Sums over the groups, compared with adding them up one by one."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.domains import (
    CategoricalCut,
    CategoricalDomain,
    CutGroups,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.differential.synthesis import NoisyGroups
from roadstead.hierarchies.taxonomy import from_branches
from roadstead.release.private.cut import EMPTY_SET
from roadstead.reports.synthesis.facts import Label, marginals_of

AGE = NumericCut(NumericDomain("age", Decimal(0), Decimal(9)), (0, 4, 7, 10))
WARD = CategoricalCut(
    CategoricalDomain(from_branches("ward", "*", ("a", "b"), origin="a test")), (1, 2)
)
CODES = SetDomain(from_branches("codes", "any", ("x", "y", "z"), origin="a test"))
TOLD, UNTOLD = SetCut(CODES, (1, 2, 3)), SetCut(CODES, (0,))
COMBINATIONS = ((), (0,), (0, 2), (1,), (0, 1, 2))

GROUP = st.tuples(
    st.integers(0, 2),
    st.integers(0, 1),
    st.integers(0, 4),
    st.tuples(st.integers(0, 50), st.integers(0, 50)),
    st.tuples(st.integers(0, 50), st.integers(0, 50)),
)


@unhurried
@given(st.lists(GROUP, max_size=12))
def test_labels_have_the_records_of_their_groups(
    drawn: list[tuple[int, int, int, tuple[int, int], tuple[int, int]]],
) -> None:
    """For a set, every label in it; a noisy count of 0 is not listed."""
    codes = [np.array([one[at] for one in drawn], dtype=np.int32) for at in range(3)]
    counts, released = (
        np.array([one[at] for one in drawn], dtype=np.int64).reshape(-1, 2) for at in (3, 4)
    )
    groups = CutGroups(
        (AGE, WARD, TOLD, UNTOLD),
        (*codes, np.zeros(len(drawn), dtype=np.int32)),
        (None, None, COMBINATIONS, ((0,),)),
    )
    listed = NoisyGroups(groups, ("no", "yes"), counts, 100, 1)
    names = [AGE.labels, ("a of it", "b of it"), TOLD.labels, UNTOLD.labels]
    age, ward, told, untold = marginals_of(listed, released, names)

    def added(label: str, mine: list[int]) -> Label:
        noisy = [count for at in mine for count in drawn[at][3]]
        records = tuple(sum(drawn[at][4][c] for at in mine) for c in range(2))
        return Label(label, records, sum(noisy), sum(count > 0 for count in noisy))

    every = range(len(drawn))
    for marginal, at in ((age, 0), (ward, 1)):
        for place, label in enumerate(marginal.labels):
            assert label == added(names[at][place], [g for g in every if drawn[g][at] == place])
    for place, label in enumerate(told.labels[:-1]):
        has = [g for g in every if place in COMBINATIONS[drawn[g][2]]]
        assert label == added(names[2][place], has)
    empty = [g for g in every if not COMBINATIONS[drawn[g][2]]]
    assert told.labels[-1] == added(EMPTY_SET, empty)
    assert untold.labels == (added("any", list(every)),)
    assert [one.kind for one in (age, ward, told, untold)] == [
        "numeric",
        "categorical",
        "set",
        "set",
    ]
    assert [one.detailed for one in (age, ward, told, untold)] == [True, True, True, False]
