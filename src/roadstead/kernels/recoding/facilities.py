"""Choose the classes to open (a facility location problem) by local search and annealing.

A class is open or closed, and `openings` stores the resulting class of each row. Losses are sums
over records. Each record loses the cost of its class, from 0 to 1.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Members, Small, compiled
from roadstead.kernels.recoding.openings import (
    Lists,
    Open,
    close,
    is_full,
    loss_of,
    open_class,
    undo,
)
from roadstead.kernels.xorshift import random_word

_TINY = 1e-9
_MOST_GIVERS = 64
"""The largest number of classes to try to close, one at a time, to fill a small class."""


@compiled
def _draw(seed: Members, below: int) -> int:
    """Return a random number below a limit, and advance the seed."""
    return int(random_word(seed) >> np.uint64(33)) % below


@compiled
def _wanting(lists: Lists, state: Open, one: int) -> tuple[int, float]:
    """Return the number of records that would lose less in a class, and their total gain."""
    people = 0
    gain = 0.0
    for i in range(lists.begins[one], lists.begins[one + 1]):
        row = lists.rows[i]
        old = state.place[row]
        if old < 0 or old > lists.places[i]:
            before = 1.0 if old < 0 else lists.losses[old]
            people += lists.counts[row]
            gain += lists.counts[row] * (before - lists.losses[lists.places[i]])
    return people, gain


@compiled
def _givers(lists: Lists, state: Open, one: int, found: Small) -> int:
    """Find the open classes that are cheaper for some rows of a class; return their number."""
    number = 0
    for i in range(lists.begins[one], lists.begins[one + 1]):
        old = state.place[lists.rows[i]]
        if 0 <= old < lists.places[i] and number < found.size:
            giver = lists.classes[old]
            known = False
            for j in range(number):
                known = known or found[j] == giver
            if not known:
                found[number] = giver
                number += 1
    return number


@compiled
def _try_to_open(lists: Lists, state: Open, one: int, giver: int, before: float) -> float:
    """Close any `giver`, open `one`, and return the change in the loss, or infinity."""
    if giver >= 0:
        if is_full(lists, state):
            return np.inf
        close(lists, state, giver)
    if open_class(lists, state, one) < 0 or state.records[one] < lists.k:
        return np.inf
    return loss_of(lists, state) - before


@compiled
def improve_by_opening(lists: Lists, state: Open, steps: int) -> tuple[int, int]:
    """Open each class that gives a gain, and close another class if the new one is too small.

    `steps` approximately limits the number of list entries that are read. The function returns the
    number of classes that were opened, and the number of entries that were read.
    """
    work = 0
    good = 0
    givers = np.empty(_MOST_GIVERS, np.int32)
    state.used[0] = 0
    for one in range(state.is_open.size):
        if work > steps:
            break
        if state.is_open[one]:
            continue
        size = int(lists.begins[one + 1] - lists.begins[one])
        people, gain = _wanting(lists, state, one)
        work += size
        if gain <= _TINY:
            continue
        number = 1
        givers[0] = -1
        if people < lists.k:
            number = _givers(lists, state, one, givers)
        best = -1
        most = -_TINY
        before, loss, out = loss_of(lists, state), state.loss[0], state.out[0]
        for j in range(number):
            change = _try_to_open(lists, state, one, givers[j], before)
            work += size + int(state.used[0])
            if change < most:
                most = change
                best = j
            undo(lists, state, loss, out)
        if best >= 0:
            good += 1
            _try_to_open(lists, state, one, givers[best], before)
            state.used[0] = 0
    return good, work


@compiled
def _make_room(lists: Lists, state: Open, one: int, offset: int, dearest: float) -> int:
    """Close cheaper classes until a class can have k records; return the number that it can have.

    The function stops if the loss exceeds `dearest`.
    """
    begin = lists.begins[one]
    size = int(lists.begins[one + 1] - begin)
    people, _ = _wanting(lists, state, one)
    i = 0
    while people < lists.k and i < size:
        at = begin + (offset + i) % size
        i += 1
        old = state.place[lists.rows[at]]
        if 0 <= old < lists.places[at]:
            if is_full(lists, state):
                break
            close(lists, state, lists.classes[old])
            if loss_of(lists, state) > dearest:
                break
            people, _ = _wanting(lists, state, one)
    return people


@compiled
def anneal(  # noqa: PLR0917 - arrays of a kernel
    lists: Lists,
    state: Open,
    best: Small,
    seed: Members,
    hot: float,
    cold: float,
    tries: int,
    least: float,
) -> tuple[float, int]:
    """Open and close random classes while the temperature falls; store the best result in `best`.

    If an opened class is too small, other classes that are cheaper for its rows are closed one by
    one. `least` is the loss of the best opening so far. The function returns the new `least`, and
    the number of accepted tries.
    """
    ratio = (cold / hot) ** (1.0 / max(tries, 1))
    heat = hot
    good = 0
    number = state.is_open.size
    state.used[0] = 0
    for _ in range(tries):
        heat *= ratio
        one = _draw(seed, number)
        before, loss, out = loss_of(lists, state), state.loss[0], state.out[0]
        bar = before - heat * np.log((_draw(seed, 1 << 30) + 1) / (1 << 30))
        fits = True
        if state.is_open[one]:
            close(lists, state, one)
        else:
            offset = _draw(seed, int(lists.begins[one + 1] - lists.begins[one]))
            people = _make_room(lists, state, one, offset, bar + 4.0 * heat + 2.0)
            fits = people >= lists.k and open_class(lists, state, one) >= 0
        if fits and loss_of(lists, state) <= bar:
            good += 1
            state.used[0] = 0
            if loss_of(lists, state) < least - _TINY:
                least = loss_of(lists, state)
                best[:] = state.is_open
        else:
            undo(lists, state, loss, out)
    return least, good
