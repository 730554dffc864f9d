"""The hash table of the kernels, compared with a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.kernels import hash_table as kernel

KEYS = st.integers(0, 5) | st.integers(0, 2**64 - 1)


@given(st.lists(KEYS, max_size=60))
def test_keys_are_numbered_by_first_appearance(keys: list[int]) -> None:
    """As a dictionary does, with repeated keys and keys near both ends of a word."""
    table = kernel.table_of(kernel.slots_for(len(keys)), np.empty(len(keys), np.uint64))
    twin: dict[int, int] = {}
    for key in keys:
        number = kernel.number_of(table, np.uint64(key), len(twin))
        assert number == twin.setdefault(key, len(twin))
    assert table.keys[: len(twin)].tolist() == list(twin)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=60))
def test_items_that_share_a_key_are_all_visited(items: list[tuple[int, int]]) -> None:
    """The first part is the key, and the second distinguishes items of one key."""
    table = kernel.table_of(kernel.slots_for(len(items)), np.empty(len(items), np.uint64))
    stored: list[tuple[int, int]] = []
    for item in items:
        key = np.uint64(item[0])
        slot = kernel.find(table, key)
        while table.slots[slot] >= 0 and stored[table.slots[slot]] != item:
            assert stored[table.slots[slot]][0] == item[0]
            slot = kernel.find_next(table, key, slot)
        if table.slots[slot] < 0:
            table.slots[slot], table.keys[len(stored)] = len(stored), key
            stored.append(item)
    assert stored == list(dict.fromkeys(items))


@pytest.mark.parametrize("items", [0, 1, 8, 9, 1000])
def test_half_of_the_slots_stay_free(items: int) -> None:
    """And there are as many slots as a power of two."""
    slots = kernel.slots_for(items)
    assert slots.size >= max(2 * items, 16)
    assert slots.size.bit_count() == 1
    assert (slots == kernel.FREE).all()
