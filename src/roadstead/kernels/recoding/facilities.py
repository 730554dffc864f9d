"""Rows assigned to open classes, each of at least k records: facility location by local search.

Each row lists the classes that show it, the cheapest first. It is in the first of its list that is
open; where none is, it is suppressed and loses 1. So the open classes say all, and the loss is a
sum over rows. Opening a class takes rows from others; those that come to have fewer than k records
are closed, and their rows go on to the next open class of their list. All that a try changes is
logged, so that it can be taken back.

Suppressed records beyond the limit cost `_PENALTY` each, so that a search finds its way back.

All is in one file, since what Numba has cached of a function is renewed with that file alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Members, Real, Small, Whole, compiled

_PENALTY = 2.0
_TINY = 1e-9
_MOST_GIVERS = 64
"""Classes that are tried to be closed for one that is too small."""


class Lists(NamedTuple):
    """Which classes show which rows. Places are indices into `classes` and `losses`."""

    starts: Whole
    """Where each row's list begins, and the end."""
    classes: Small
    losses: Real
    """What a record loses there, ascending within a list."""
    begins: Whole
    """Where the list of each class begins, and the end."""
    rows: Small
    places: Small
    """Place of the class in the list of the row."""
    counts: Whole
    """Records of each row."""
    k: int
    limit: int


class Open(NamedTuple):
    """Which classes are open, and where rows are; changed in place."""

    is_open: Small
    records: Whole
    """Of each class."""
    place: Small
    """Of each row; -1 where it is suppressed."""
    loss: Real
    """Sum over records, in one cell."""
    out: Whole
    """Records suppressed, in one cell."""
    log: Whole
    """What was changed, in pairs: a row and its old place, or -1 - a class and if it was open."""
    used: Whole
    """Cells of the log in use, in one cell."""
    dirty: Small
    """Room for classes that may have too few records."""


@compiled
def lists_of(
    starts: Whole, classes: Small, losses: Real, counts: Whole, kept: Flags, k: int, limit: int
) -> Lists:
    """Make lists of those classes that are kept, numbered anew in their order."""
    numbers = np.full(kept.size, -1, np.int32)
    found = 0
    for one in range(kept.size):
        if kept[one]:
            numbers[one] = found
            found += 1
    begins = np.zeros(found + 1, np.int64)
    entries = 0
    for place in range(classes.size):
        if kept[classes[place]]:
            begins[numbers[classes[place]] + 1] += 1
            entries += 1
    for one in range(found):
        begins[one + 1] += begins[one]
    own_starts = np.zeros(counts.size + 1, np.int64)
    own_classes = np.empty(entries, np.int32)
    own_losses = np.empty(entries, np.float64)
    rows = np.empty(entries, np.int32)
    places = np.empty(entries, np.int32)
    ends = begins[:-1].copy()
    at = 0
    for row in range(counts.size):
        for place in range(starts[row], starts[row + 1]):
            one = numbers[classes[place]]
            if one >= 0:
                own_classes[at] = one
                own_losses[at] = losses[place]
                rows[ends[one]] = row
                places[ends[one]] = at
                ends[one] += 1
                at += 1
        own_starts[row + 1] = at
    return Lists(own_starts, own_classes, own_losses, begins, rows, places, counts, k, limit)


@compiled
def loss_of(lists: Lists, state: Open) -> float:
    """Loss with the penalty."""
    over = max(state.out[0] - lists.limit, 0)
    return float(state.loss[0] + _PENALTY * over)


@compiled
def _move(lists: Lists, state: Open, row: int, place: int) -> None:
    """Put a row to another place."""
    old = state.place[row]
    number = lists.counts[row]
    state.log[state.used[0]] = row
    state.log[state.used[0] + 1] = old
    state.used[0] += 2
    if old >= 0:
        state.records[lists.classes[old]] -= number
        state.loss[0] -= number * lists.losses[old]
    else:
        state.out[0] -= number
        state.loss[0] -= number
    if place >= 0:
        state.records[lists.classes[place]] += number
        state.loss[0] += number * lists.losses[place]
    else:
        state.out[0] += number
        state.loss[0] += number
    state.place[row] = place


@compiled
def _set_open(state: Open, one: int, value: int) -> None:
    state.log[state.used[0]] = -1 - one
    state.log[state.used[0] + 1] = state.is_open[one]
    state.used[0] += 2
    state.is_open[one] = value


@compiled
def _undo(lists: Lists, state: Open, loss: float, out: int) -> None:
    """Take back what is logged; the loss is given, so that it does not drift."""
    at = state.used[0]
    while at > 0:
        at -= 2
        what, before = state.log[at], state.log[at + 1]
        if what < 0:
            state.is_open[-1 - what] = before
            continue
        now = state.place[what]
        if now >= 0:
            state.records[lists.classes[now]] -= lists.counts[what]
        if before >= 0:
            state.records[lists.classes[before]] += lists.counts[what]
        state.place[what] = before
    state.used[0] = 0
    state.loss[0] = loss
    state.out[0] = out


@compiled
def _next_open(lists: Lists, state: Open, row: int) -> int:
    """First open place of a row, -1 where there is none."""
    for place in range(lists.starts[row], lists.starts[row + 1]):
        if state.is_open[lists.classes[place]]:
            return place
    return -1


@compiled
def _full(lists: Lists, state: Open) -> bool:
    """Whether the log has too little room for all rows of one more class."""
    return bool(state.used[0] + 2 * (lists.counts.size + 2) > state.log.size)


@compiled
def _close(lists: Lists, state: Open, one: int) -> int:
    """Close a class; its rows go on. Gives the work done."""
    _set_open(state, one, 0)
    work = 0
    for i in range(lists.begins[one], lists.begins[one + 1]):
        if state.place[lists.rows[i]] == lists.places[i]:
            _move(lists, state, lists.rows[i], _next_open(lists, state, lists.rows[i]))
            work += 8
    return work + int(lists.begins[one + 1] - lists.begins[one])


@compiled
def _open(lists: Lists, state: Open, one: int) -> int:  # noqa: C901 - one compiled loop
    """Open a class: rows come for which it is cheaper; what has too few then is closed.

    Gives the work done, -1 where the log was too short: then all is to be taken back.
    """
    if _full(lists, state):
        return -1
    _set_open(state, one, 1)
    donors = 0
    for i in range(lists.begins[one], lists.begins[one + 1]):
        row = lists.rows[i]
        old = state.place[row]
        if old < 0 or old > lists.places[i]:
            _move(lists, state, row, lists.places[i])
            if old >= 0:
                giver = lists.classes[old]
                left = state.records[giver]
                if left < lists.k <= left + lists.counts[row]:
                    state.dirty[donors] = giver
                    donors += 1
    work = int(lists.begins[one + 1] - lists.begins[one])
    while donors > 0:  # the one with the fewest first: the others may get its rows
        least = -1
        stay = 0
        for i in range(donors):
            giver = state.dirty[i]
            if state.is_open[giver] and state.records[giver] < lists.k:
                state.dirty[stay] = giver
                if least < 0 or state.records[giver] < state.records[state.dirty[least]]:
                    least = stay
                stay += 1
        donors = stay
        if donors == 0:
            break
        if _full(lists, state):
            return -1
        work += _close(lists, state, state.dirty[least])
    return work


@compiled
def settle(lists: Lists, state: Open) -> None:
    """Put every row into its first open class; close what has too few, the smallest first."""
    state.records[:] = 0
    state.loss[0] = 0.0
    state.out[0] = 0
    for row in range(lists.counts.size):
        place = _next_open(lists, state, row)
        state.place[row] = place
        if place >= 0:
            state.records[lists.classes[place]] += lists.counts[row]
            state.loss[0] += lists.counts[row] * lists.losses[place]
        else:
            state.out[0] += lists.counts[row]
            state.loss[0] += lists.counts[row]
    for size in range(lists.k):
        again = True
        while again:
            again = False
            for one in range(state.is_open.size):
                if state.is_open[one] and state.records[one] <= size:
                    _close(lists, state, one)
                    state.used[0] = 0
                    again = True


@compiled
def _draw(seed: Members, below: int) -> int:
    """Draw a number below another (xorshift64*)."""
    x = seed[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    seed[0] = x
    return int((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % below


@compiled
def _wanting(lists: Lists, state: Open, one: int) -> tuple[int, float]:
    """Records for which a class is cheaper than where they are, and what they would gain."""
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
    """Find open classes that are cheaper for rows of a class; gives how many."""
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
    """Close one class if there is one, open another; gives how the loss changes, else infinite."""
    if giver >= 0:
        if _full(lists, state):
            return np.inf
        _close(lists, state, giver)
    if _open(lists, state, one) < 0 or state.records[one] < lists.k:
        return np.inf
    return loss_of(lists, state) - before


@compiled
def improve_by_opening(lists: Lists, state: Open, steps: int) -> tuple[int, int]:
    """Open what gains, class by class; where one is too small, with another one closed for it.

    Gives the classes opened, and the entries of lists looked at, of which there are about `steps`
    at most.
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
            _undo(lists, state, loss, out)
        if best >= 0:
            good += 1
            _try_to_open(lists, state, one, givers[best], before)
            state.used[0] = 0
    return good, work


@compiled
def _make_room(lists: Lists, state: Open, one: int, offset: int, dearest: float) -> int:
    """Close classes cheaper for rows of a class until it would have k records; gives its records.

    Given up where the loss gets higher than `dearest`.
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
            if _full(lists, state):
                break
            _close(lists, state, lists.classes[old])
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
    """Open and close classes by chance, at a temperature that falls; `best` gets the best opening.

    `least` is the loss of the best so far; it is given again, with how many tries were accepted.
    A class that is opened and too small closes others, one by one, that are cheaper for its rows.
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
            _close(lists, state, one)
        else:
            offset = _draw(seed, int(lists.begins[one + 1] - lists.begins[one]))
            people = _make_room(lists, state, one, offset, bar + 4.0 * heat + 2.0)
            fits = people >= lists.k and _open(lists, state, one) >= 0
        if fits and loss_of(lists, state) <= bar:
            good += 1
            state.used[0] = 0
            if loss_of(lists, state) < least - _TINY:
                least = loss_of(lists, state)
                best[:] = state.is_open
        else:
            _undo(lists, state, loss, out)
    return least, good
