"""People who match possible knowledge: counted a block at a time, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from person_tables import fitting_each

from roadstead.release.persons import multisets as person_multisets
from roadstead.release.persons.multisets import fitting_by_blocks, rows_of_classes
from roadstead.tables.persons.profiles import Persons

ROWS = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=9)


def persons_with(rows: list[list[int]], people: list[int]) -> tuple[Persons, np.ndarray]:
    """Make profiles that have a row for each record, so that classes repeat in a profile."""
    owners = np.repeat(np.arange(len(rows)), [len(own) for own in rows]).astype(np.uint32)
    everyone = np.repeat(np.arange(len(rows)), people)
    names = tuple(f"p{at}" for at in range(everyone.size))
    times = np.ones(owners.size, np.int64)
    made = Persons("person", owners, times, np.array(people), everyone, names)
    return made, np.concatenate([np.array(own) for own in rows])


@examples(200)
@given(rows=ROWS, knows=st.integers(1, 3), block=st.sampled_from([1, 7, 10**6]), data=st.data())
def test_the_fewest_who_fit_are_those_of_the_definition(
    rows: list[list[int]], knows: int, block: int, data: st.DataObject
) -> None:
    """For one to three rows, however many are listed at once."""
    sizes = st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows))
    people = data.draw(sizes)
    made, classes = persons_with(rows, people)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_multisets, "_AT_ONCE", block)
        found = fitting_by_blocks(rows_of_classes(made, classes), made.people, knows)
    assert found is not None
    everyone = {
        f"{at}.{copy}": [(str(row),) for row in own]
        for at, own in enumerate(rows)
        for copy in range(people[at])
    }
    expected = fitting_each(everyone, knows)
    assert found.tolist() == [expected[f"{at}.0"] for at in range(len(rows))]


def test_rows_left_out_are_known_to_nobody() -> None:
    """A profile without a row left fits nothing."""
    made, _ = persons_with([[0, 1], [0]], [2, 1])
    found = fitting_by_blocks(rows_of_classes(made, np.array([0, -1, -1])), made.people, 2)
    assert found is not None
    assert found.tolist() == [2, 0]


def test_more_classes_than_can_be_numbered_are_not_counted_wrongly() -> None:
    """Three of 2**21 classes are more than 64 bits can distinguish."""
    made, _ = persons_with([[0, 1]], [1])
    assert fitting_by_blocks(rows_of_classes(made, np.array([0, 2**21])), made.people, 3) is None
