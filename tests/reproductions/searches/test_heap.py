"""The heap in which policies wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead_reproductions.searches.best_first import Heap


def emptied(heap: Heap[str]) -> str:
    """Take everything out, in order."""
    return "".join(heap.pop() for _ in range(len(heap)))


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans())))
def test_the_least_key_comes_out_first(steps: list[tuple[int, bool]]) -> None:
    """Whatever goes in and out in between, as in a list that is searched."""
    heap: Heap[int] = Heap()
    waiting: list[int] = []
    for key, taking in steps:
        if taking and waiting:
            waiting.remove(min(waiting))
            before = sorted(heap)
            taken = heap.pop()
            assert taken == before[0]
        else:
            heap.push(key, key)
            waiting.append(key)
        assert sorted(heap) == sorted(waiting)
        assert len(heap) == len(waiting)


def test_equals_come_out_in_the_order_that_the_shape_gives() -> None:
    """Worked by hand: after the first, the last in comes out, then from the left."""
    heap: Heap[str] = Heap()
    for item in "abcd":
        heap.push(1.0, item)
    assert emptied(heap) == "adcb"


def test_a_lesser_key_rises_past_equals() -> None:
    """Worked by hand: c rises to the root, a sinks to its place, and b stays."""
    heap: Heap[str] = Heap()
    for key, item in [(2.0, "a"), (2.0, "b"), (1.0, "c"), (2.0, "d")]:
        heap.push(key, item)
    assert list(heap) == ["c", "b", "a", "d"]
    assert emptied(heap) == "cdab"


def test_nothing_can_be_taken_from_an_empty_heap() -> None:
    """As from an empty list."""
    with pytest.raises(IndexError):
        Heap().pop()
