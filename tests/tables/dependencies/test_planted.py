"""Whatever is planted into a random table is found, and no honest column is objected to."""

from __future__ import annotations

import random

import pytest
from effort import examples
from hidden_identifiers import UNDOING
from hypothesis import given
from hypothesis import strategies as st
from revealing_tables import CLINICAL, clinic, looked_at, refused


@pytest.mark.nightly
@examples(12)
@given(
    kind=st.sampled_from(sorted(UNDOING)),
    seed=st.integers(0, 10_000),
    records=st.integers(800, 3_000),
    honest=st.sets(st.sampled_from(sorted(CLINICAL)), min_size=3),
)
def test_a_planted_column_is_found_among_honest_ones(
    kind: str, seed: int, records: int, honest: set[str]
) -> None:
    """Each column of the planted set is objected to, and no other."""
    rows = [
        {name: value for name, value in row.items() if name not in CLINICAL or name in honest}
        for row in clinic(records, seed)
    ]
    planted = UNDOING[kind](random.Random(seed), rows)  # noqa: S311 - no secret
    assert refused(rows) == set(planted)


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", sorted(UNDOING))
def test_each_kind_is_found(kind: str) -> None:
    """One table for each."""
    rows = clinic(1_200, 5)
    planted = UNDOING[kind](random.Random(5), rows)  # noqa: S311 - no secret
    assert refused(rows) == set(planted)


@examples(10)
@given(seed=st.integers(0, 10_000), records=st.integers(60, 4_000))
def test_honest_columns_are_not_objected_to(seed: int, records: int) -> None:
    """Nor are they person IDs: a diagnosis of one sex, a ward of old people, exact charges."""
    found = looked_at(clinic(records, seed))
    assert not found.objections
    assert not found.persons
