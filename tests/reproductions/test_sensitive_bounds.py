"""Integer bounds on sensitive values, compared with all orders of the values of a class."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from attacked import SENSITIVE, problem_of
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st

from roadstead.attacks.recodings.sensitive import column_of, refused_classes
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.search.protocol import Control
from roadstead_reproductions.searches.first_fit import FirstFit
from roadstead_reproductions.sensitive_bounds import bounds_of_sensitive, refine_sensitive


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
    assert (found.classes, found.contradictory, found.wrong) == (12, 0, 0)
    assert found.share(found.ruled_out) == found.share(found.certain) == 0.5
