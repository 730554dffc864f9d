"""A hash table with linear probing that numbers keys in the order of their first appearance.

A slot contains a number, and `keys` gives the key of this number. Therefore, the table works for
any kind of item, such as a class, a row, or a run of rows. If different items may have the same key
(for example, a digest), the caller visits these items with `find` and `find_next`, and compares
them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Members, Small, Whole, compiled

FREE = -1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Fibonacci hashing
_WORD = 64


class HashTable(NamedTuple):
    """The slots of a hash table, and the key of each number in a slot."""

    slots: Small  # number in each slot, or FREE if empty; the number of slots is a power of two
    keys: Members | Whole  # key of each number
    multiplier: np.uint64  # GOLDEN
    shift: np.uint64  # the shift that turns the highest bits of a product into a slot


@compiled
def slots_for(items: int) -> Small:
    """Return at least 16 free slots, and at least twice as many free slots as items."""
    slots = 16
    while slots < 2 * items:
        slots *= 2
    return np.full(slots, FREE, np.int32)


@compiled
def table_of(slots: Small, keys: Members) -> HashTable:
    """Return an empty table from free slots and from an array with space for the keys."""
    bits = 0
    while (1 << bits) < slots.size:
        bits += 1
    return HashTable(slots, keys, GOLDEN, np.uint64(_WORD - bits))


@compiled
def find(table: HashTable, key: np.uint64 | int) -> np.uint64:
    """Return the slot of the first item with this key, or the free slot for this key."""
    slot = (np.uint64(key) * table.multiplier) >> table.shift
    while table.slots[slot] >= 0 and table.keys[table.slots[slot]] != key:
        slot = (slot + np.uint64(1)) & np.uint64(table.slots.size - 1)
    return slot


@compiled
def find_next(table: HashTable, key: np.uint64, slot: np.uint64) -> np.uint64:
    """Return the slot of the next item with this key, or the free slot for this key."""
    slot = (slot + np.uint64(1)) & np.uint64(table.slots.size - 1)
    while table.slots[slot] >= 0 and table.keys[table.slots[slot]] != key:
        slot = (slot + np.uint64(1)) & np.uint64(table.slots.size - 1)
    return slot


@compiled
def number_of(table: HashTable, key: np.uint64, numbers: int) -> int:
    """Return the number of a key, which is `numbers` for a new key."""
    slot = find(table, key)
    if table.slots[slot] < 0:
        table.slots[slot] = numbers
        table.keys[numbers] = key
    return int(table.slots[slot])
