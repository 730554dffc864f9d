"""Integer bounds, compared with all tables that a class can have."""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations

import numpy as np
from attacked import SENSITIVE, drawing, problem_of
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st

from roadstead.attacks.recodings.bounds import bounds_of_sensitive, bounds_of_values
from roadstead.attacks.recodings.refinement import refine_sensitive, refine_values
from roadstead.attacks.recodings.sensitive import column_of, refused_classes
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes
from roadstead_reproductions.searches.first_fit import FirstFit


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


@given(st.data())
@sparing
def test_bounds_of_sensitive_values(data: st.DataObject) -> None:
    """Every order of the values of a class."""
    records = data.draw(st.lists(st.integers(1, 2), min_size=2, max_size=3))
    values = data.draw(st.lists(st.integers(0, 2), min_size=sum(records), max_size=sum(records)))
    groups = data.draw(
        st.lists(st.lists(st.booleans(), min_size=len(records), max_size=len(records)), max_size=2)
    )
    least = data.draw(st.integers(2, 3))
    row_of = np.repeat(np.arange(len(records)), records)
    possible = []
    for order in set(permutations(values)):
        found_values = [{v for v, r in zip(order, row_of, strict=True) if own[r]} for own in groups]
        if all(len(own) < least for own in found_values):
            table = np.zeros((len(records), 3), dtype=np.int64)
            np.add.at(table, (row_of, np.array(order)), 1)
            possible.append(table)
    found = bounds_of_sensitive(
        np.array(records),
        np.bincount(values, minlength=3),
        [np.array(own) for own in groups],
        least,
    )
    if not possible:
        assert found is None
        return
    assert found is not None
    assert found.low.tolist() == np.min(possible, axis=0).tolist()
    assert found.high.tolist() == np.max(possible, axis=0).tolist()


def test_what_is_ruled_out_of_a_planted_release() -> None:
    """Two records of flu and three of cancer in each class: every value of every row is certain."""
    rows = [
        (f"p{group:02d}", side, value)
        for group in range(12)
        for side, value, number in (("m", "flu", 2), ("w", "cancer", 3))
        for _ in range(number)
    ]
    problem = problem_of(rows, 2, DistinctLDiversity(SENSITIVE, 2))
    recoded = FirstFit().run(problem, Control()).best
    bolder = FirstFit().run(problem_of(rows, 2), Control()).best
    assert recoded is not None
    assert bolder is not None
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    column = column_of(problem.encoding.table.histogram(SENSITIVE))
    found = refine_sensitive(view, truth, column, 2, refused_classes(problem, recoded, bolder))
    assert (found.classes, found.contradictory, found.wrong) == (12, 0, 0.0)
    assert found.ruled_out == found.certain == 0.5


def test_bounds_of_our_own_release_hold_for_the_table_that_it_is_of() -> None:
    """First fit opens every child of k records, so that none is left in a class."""
    chance = drawing(8)
    rows = [(chance.choice("abcd"), chance.choice("xyz"), "flu") for _ in range(60)]
    problem = problem_of(rows, 5)
    recoded = first_fit_classes(problem, Control()).best
    assert recoded is not None
    found = refine_values(view_of(problem, recoded), truth_of(problem, recoded))
    assert found.classes > 0
    assert found.wrong == 0.0
