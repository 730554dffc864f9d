"""Integer bounds, compared with all tables that a class can have."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from attacked import drawing, problem_of
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st

from roadstead.attacks.recodings.bounds import bounds_of_values
from roadstead.attacks.recodings.refinement import refine_values
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes


@given(st.data(), st.booleans())
@sparing
def test_bounds_of_generalized_values(data: st.DataObject, intervals: bool) -> None:  # noqa: FBT001 - drawn
    """Every multiset of the cells that are left."""
    number = data.draw(st.integers(2, 5))
    records, k = data.draw(st.integers(2, 4)), data.draw(st.integers(2, 3))
    codes = data.draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(0, 2)),
            min_size=number,
            max_size=number,
            unique=True,
        )
    )
    cells = np.array(codes, dtype=np.uint32).T
    groups = [own.astype(np.int64) for own in cells]
    possible = []
    for chosen in combinations_with_replacement(range(number), records):
        fine = True
        for own in groups:
            labels = sorted(set(own.tolist()))
            if len(labels) == 1:
                continue
            has = {label: sum(own[cell] == label for cell in chosen) for label in labels}
            fine &= (
                has[labels[0]] > 0 and has[labels[-1]] > 0
                if intervals
                else all(one < k for one in has.values())
            )
        if fine:
            possible.append([sum(codes[c][0] == v for c in chosen) for v in sorted({*cells[0]})])
    found = bounds_of_values(cells, 0, groups, records, k, intervals=intervals)
    if not possible:
        assert found is None
        return
    assert found is not None
    assert found.low.tolist() == np.min(possible, axis=0).tolist()
    assert found.high.tolist() == np.max(possible, axis=0).tolist()


def test_bounds_of_our_own_release_hold_for_the_table_that_it_is_of() -> None:
    """First fit opens every child of k records, so that none is left in a class."""
    chance = drawing(8)
    rows = [(chance.choice("abcd"), chance.choice("xyz"), "flu") for _ in range(60)]
    problem = problem_of(rows, 5)
    recoded = first_fit_classes(problem, Control()).best
    assert recoded is not None
    found = refine_values(view_of(problem, recoded), truth_of(problem, recoded))
    assert found.classes > 0
    assert found.wrong == 0
