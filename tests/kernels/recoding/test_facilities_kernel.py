"""Opening and closing classes, compared with their definition; and the bound by prices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.kernels.recoding import facilities, openings, prices
from roadstead.kernels.recoding.openings import Lists, Open


def drawn(seed: int, classes: int = 12) -> Lists:
    """Draw which classes show which rows, and what records lose there."""
    chance = np.random.default_rng(seed)
    rows, k = int(chance.integers(3, 15)), int(chance.integers(2, 5))
    counts = chance.integers(1, 4, rows)
    losses = chance.random(classes)
    shows = chance.random((rows, classes)) < 0.4
    shows[:, -1] = True
    losses[-1] = 1.0
    starts, listed, own = [0], [], []
    for row in range(rows):
        part = sorted(np.flatnonzero(shows[row]).tolist(), key=lambda one: (losses[one], one))
        listed += part
        own += [losses[one] for one in part]
        starts.append(len(listed))
    kept = counts @ shows >= k  # only such classes are ever listed
    return openings.lists_of(
        np.array(starts), np.array(listed, np.int32), np.array(own), counts, kept, k, seed % 3
    )


def state_of(lists: Lists, is_open: NDArray[np.int32]) -> Open:
    """Make a state in which these classes are open."""
    rows, classes = lists.counts.size, is_open.size
    return Open(
        is_open.copy(), np.zeros(classes, np.int64), np.full(rows, -1, np.int32), np.zeros(1),
        np.zeros(1, np.int64), np.zeros(8 * (rows + classes) + 64, np.int64),
        np.zeros(1, np.int64), np.zeros(classes, np.int32),
    )  # fmt: skip


def check(lists: Lists, state: Open) -> None:
    """Each row is in its first open class, each open class has k records, and sums are right."""
    records, loss, out = [0] * state.is_open.size, 0.0, 0
    for row, number in enumerate(lists.counts.tolist()):
        places = range(lists.starts[row], lists.starts[row + 1])
        first = next((p for p in places if state.is_open[lists.classes[p]]), -1)
        assert state.place[row] == first
        if first < 0:
            out += number
        else:
            records[lists.classes[first]] += number
        loss += number * (1.0 if first < 0 else lists.losses[first])
    assert state.records.tolist() == records
    assert state.out[0] == out
    assert state.loss[0] == pytest.approx(loss)
    assert all(n >= lists.k for n, o in zip(records, state.is_open, strict=True) if o)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_open_has_enough_after_every_search(seed: int) -> None:
    """And a search loses no more than what it begins with."""
    lists = drawn(seed)
    state = state_of(lists, np.ones(lists.begins.size - 1, dtype=np.int32))
    openings.settle(lists, state)
    check(lists, state)
    before = openings.loss_of(lists, state)
    facilities.improve_by_opening(lists, state, 1 << 20)
    check(lists, state)
    assert openings.loss_of(lists, state) <= before + 1e-12
    best, chance = state.is_open.copy(), np.array([seed + 1], dtype=np.uint64)
    start = openings.loss_of(lists, state)
    least, _ = facilities.anneal(lists, state, best, chance, 0.5, 0.01, 400, start)
    check(lists, state)
    found = state_of(lists, best)
    openings.settle(lists, found)
    check(lists, found)
    assert openings.loss_of(lists, found) == pytest.approx(least)
    assert least <= start


@pytest.mark.parametrize("seed", range(60))
def test_no_choice_loses_less_than_prices_say(seed: int) -> None:
    """By every set of open classes; some after steps that raise the bound."""
    lists = drawn(seed, 8)
    every = [set(some) for n in range(9) for some in combinations(range(lists.begins.size - 1), n)]
    best = min(_loss(lists, some) for some in every)
    own, cover = np.zeros(lists.counts.size), np.empty(lists.counts.size)
    met = []
    for _ in range(30):
        bound = prices.bound_of(lists, own, cover)
        assert bound == pytest.approx(_bound(lists, own))
        met.append(bound)
        prices.step(lists, own, cover, 1.0, bound, best)
        assert own.max() <= 1.0
    assert max(met) <= best + 1e-9
    assert max(met) > met[0] or best == 0
    short = prices.shortfalls(lists, own)
    assert short == pytest.approx([_least(lists, own, one) for one in range(short.size)])


def _loss(lists: Lists, some: set[int]) -> float:
    """Loss of records in the cheapest classes, where these have enough; suppression is free."""
    total, records = 0.0, dict.fromkeys(some, 0)
    for row, number in enumerate(lists.counts.tolist()):
        places = range(lists.starts[row], lists.starts[row + 1])
        first = next((p for p in places if int(lists.classes[p]) in some), -1)
        total += number * (1.0 if first < 0 else lists.losses[first])
        if first >= 0:
            records[int(lists.classes[first])] += number
    return total if all(n >= lists.k for n in records.values()) else np.inf


def _least(lists: Lists, own: NDArray[np.float64], one: int) -> float:
    """Least that k records or more of a class lose less their prices; record by record."""
    single: list[float] = []
    for i in range(lists.begins[one], lists.begins[one + 1]):
        row = lists.rows[i]
        single += [lists.losses[lists.places[i]] - own[row]] * int(lists.counts[row])
    single.sort()
    return sum(loss for at, loss in enumerate(single) if at < lists.k or loss < 0)


def _bound(lists: Lists, own: NDArray[np.float64]) -> float:
    """All prices, less what classes of k records would be paid more than they lose."""
    total = float(own @ lists.counts)
    for one in range(lists.begins.size - 1):
        rows = lists.rows[lists.begins[one] : lists.begins[one + 1]]
        if lists.counts[rows].sum() >= lists.k:
            total += min(_least(lists, own, one), 0.0)
    return total
