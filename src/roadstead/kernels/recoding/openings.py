"""Assign rows to open classes of at least k records, and open and close classes.

Each row has a list of the classes that match the row, sorted by ascending cost. Opening a class
takes rows from other classes. A class with fewer than k remaining records is closed, and its rows
move to the next open class of their list. All changes of an attempt are logged, so that they can be
undone.

Invariant: A row is in the first open class of its list, or the row is suppressed and loses 1.
Therefore, the open classes determine the class of every row. The loss is a sum over records. If
more records are suppressed than the limit allows, each further suppressed record costs an
additional `_PENALTY`. As a result, a search returns to a state within the limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Real, Small, Whole, compiled

_PENALTY = 2.0


class Lists(NamedTuple):
    """The classes that match each row, where a place is an index into `classes` and `losses`."""

    starts: Whole
    """The index at which the list of each row begins, followed by the end."""
    classes: Small
    losses: Real
    """The loss of a record in each class, in ascending order within a list."""
    begins: Whole
    """The index at which the list of each class begins, followed by the end."""
    rows: Small
    places: Small
    """The place of the class in the list of each row."""
    counts: Whole
    """The number of records in each row."""
    k: int
    limit: int


class Open(NamedTuple):
    """The open classes and the place of each row, both changed in place."""

    is_open: Small
    records: Whole
    """The number of records in each class."""
    place: Small
    """The place of each row, or -1 if the row is suppressed."""
    loss: Real
    """The sum of losses over records, in an array of one element."""
    out: Whole
    """The number of suppressed records, in an array of one element."""
    log: Whole
    """The changes as pairs: a row and its old place, or (-1 - class) and its old state."""
    used: Whole
    """The number of log entries in use, in an array of one element."""
    dirty: Small
    """Space for a list of classes that may have too few records."""


@compiled
def lists_of(
    starts: Whole, classes: Small, losses: Real, counts: Whole, kept: Flags, k: int, limit: int
) -> Lists:
    """Return the lists of the kept classes, which are renumbered in their order."""
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
    """Return the loss, including the penalty for too many suppressed records."""
    over = max(state.out[0] - lists.limit, 0)
    return float(state.loss[0] + _PENALTY * over)


@compiled
def _move(lists: Lists, state: Open, row: int, place: int) -> None:
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
def undo(lists: Lists, state: Open, loss: float, out: int) -> None:
    """Undo the logged changes; the old loss is passed so that rounding errors do not accumulate."""
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
    """Return the place of the next open class of a row, or -1 if there is none."""
    for place in range(lists.starts[row], lists.starts[row + 1]):
        if state.is_open[lists.classes[place]]:
            return place
    return -1


@compiled
def is_full(lists: Lists, state: Open) -> bool:
    """Return whether the log has too little space for all rows of one more class."""
    return bool(state.used[0] + 2 * (lists.counts.size + 2) > state.log.size)


@compiled
def close(lists: Lists, state: Open, one: int) -> int:
    """Close a class, move its rows to other classes, and return the amount of work."""
    _set_open(state, one, 0)
    work = 0
    for i in range(lists.begins[one], lists.begins[one + 1]):
        if state.place[lists.rows[i]] == lists.places[i]:
            _move(lists, state, lists.rows[i], _next_open(lists, state, lists.rows[i]))
            work += 8
    return work + int(lists.begins[one + 1] - lists.begins[one])


@compiled
def open_class(lists: Lists, state: Open, one: int) -> int:  # noqa: C901 - one compiled loop
    """Open a class for the rows that lose less in it, and close classes that become too small.

    The function returns the amount of work, or -1 if the log is full. In this case, the caller must
    undo all changes.
    """
    if is_full(lists, state):
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
    while donors > 0:  # the smallest class first, because the other classes may get its rows
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
        if is_full(lists, state):
            return -1
        work += close(lists, state, state.dirty[least])
    return work


@compiled
def settle(lists: Lists, state: Open) -> None:
    """Assign each row to its first open class, and close classes that are too small."""
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
                    close(lists, state, one)
                    state.used[0] = 0
                    again = True
