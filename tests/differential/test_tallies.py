"""Class counts along an attribute, counted again one by one."""

from __future__ import annotations

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.growth.plain_growth import tally

rows = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2), st.integers(1, 5)), max_size=12)


@pytest.mark.parametrize("scale", [1, 1 << 27])
@unhurried
@given(rows, st.integers(0, 10), st.integers(0, 10))
def test_classes_between_two_places_are_counted(
    scale: int, drawn: list[tuple[int, int, int]], begin: int, end: int
) -> None:
    """Places close together and far apart, which are found in different ways."""
    begin, end = sorted((begin, end))
    codes, target, counts = (np.array([row[at] for row in drawn]) for at in range(3))
    places = (codes * scale).astype(np.int32)
    found = tally(places, target.astype(np.int32), counts.astype(np.int64), 3)
    expected = [0, 0, 0]
    for code, label, count in drawn:
        expected[label] += count if begin <= code < end else 0
    assert found.between(begin * scale, end * scale).tolist() == expected
    assert found.places.tolist() == sorted({code * scale for code, _, _ in drawn})
