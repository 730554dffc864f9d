"""Update the classes of a partition that becomes more general, one boundary at a time.

Removing a boundary merges two neighboring intervals of one attribute. Only the classes in these two
intervals can change, so the module keeps a list of classes for each interval. For each class in the
shorter list, the code searches the other list for a class with the same intervals in all other
attributes.

The *key* of a class packs its interval of every attribute into one integer. A table of slots finds
a class by its key. A class that moves gets a new key and a new slot. Its old key is not used again,
because the old interval no longer exists.

For every remaining boundary, `risk_change` and `loss_change` give the effect of removing this
boundary. When interval y joins interval x, the values for boundaries of other attributes also
change. For such a boundary, only pairs of classes in x and y on both sides of the boundary matter.
Such pairs exist only if y has a class on one side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Codes, Flags, Real, Small, Whole, compiled
from roadstead.kernels.hash_table import GOLDEN, HashTable, find

NOBODY = -1
_WORD = 64
_MOST_ADDRESSED = 1 << 24
_ROOM = 4
"""The number of hash slots per class, at least 2, so that half of the slots stay free."""


class Rules(NamedTuple):
    """The risk and loss of classes and intervals, given as tables."""

    small: Real
    """The weight of a record among g people is ``small[g]``, or ``scale g ** -power``."""
    scale: float
    power: float
    by_class: Real
    """The loss of a class by its number of records; 0 without records."""
    by_width: Real
    """The loss per record in an interval, by number of values, one attribute after another."""
    width_begins: Whole
    """The index at which the widths of each attribute begin."""
    by_interval: Real
    """The loss of an interval by its number of records, before scaling by attribute."""
    interval_scale: Real


class Merging(NamedTuple):
    """The classes and intervals of a partition in arrays that are changed in place.

    The intervals of all attributes share one array.
    """

    keys: Whole
    """The key of each class, which is negative if the class was merged into another class."""
    records: Whole
    people: Whole
    intervals: Small
    """The interval of each class, numbered from 0 per attribute, as ``(attributes, classes)``."""
    following: Small
    """The next class in the same interval, or `NOBODY` at the end, in the same shape."""
    first: Small
    """The first class in each interval's list, which may have been merged into another class."""
    last: Small
    length: Whole
    """The lengths of the lists, including classes that were merged into other classes."""
    left: Small
    """The left neighbor of each interval, or `NOBODY` at the end."""
    right: Small
    boundary: Whole
    """The number of the boundary to the right of each interval."""
    interval_of: Small
    """The interval on the left of each boundary."""
    interval_records: Whole
    interval_width: Whole
    """The number of values in each interval."""
    begins: Whole
    """The first interval of each attribute."""
    strides: Whole
    """The difference between the keys of neighboring intervals, by attribute."""
    slots: Small
    """The hash table that finds a class by its key, together with the next two fields."""
    multiplier: np.uint64
    shift: np.uint64
    used: Whole
    """The number of used slots, in an array of one element."""
    totals: Real
    """The risk and the loss so far, in an array of two elements."""
    risk_change: Real
    """For each interval, the change in the classes' terms if its right boundary were removed."""
    loss_change: Real


class Grid(NamedTuple):
    """The cells of a table, and the intervals of their values."""

    codes: Codes
    """The codes of values with the shape ``(attributes, cells)``."""
    records: Whole
    people: Whole
    lookup: Codes
    """The interval of each value, one attribute after another."""
    begins: Whole
    """The index at which the values of each attribute begin."""
    strides: Whole
    """The difference between the keys of neighboring intervals, by attribute."""


@compiled
def _key(grid: Grid, cell: int) -> int:
    key = 0
    for a in range(grid.strides.size):
        interval = grid.lookup[grid.begins[a] + grid.codes[a, cell]]
        key += int(interval) * grid.strides[a]
    return key


@compiled
def count_boxes(grid: Grid, boxes: int) -> tuple[Whole, Whole]:
    """Count records and people by key for every combination of intervals, even if it is empty."""
    counted = np.zeros(boxes, np.int64)
    populated = np.zeros(boxes, np.int64)
    for cell in range(grid.records.size):
        box = _key(grid, cell)
        counted[box] += grid.records[cell]
        populated[box] += grid.people[cell]
    return counted, populated


@compiled
def _find(m: Merging, key: int) -> int:
    return int(m.slots[find(HashTable(m.slots, m.keys, m.multiplier, m.shift), key)])


@compiled
def _take_slot(m: Merging, key: int, cell: int) -> None:
    m.slots[find(HashTable(m.slots, m.keys, m.multiplier, m.shift), key)] = cell
    m.keys[cell] = key
    m.used[0] += 1


@compiled
def _renew_slots(m: Merging) -> None:
    """Free the slots of keys that no longer exist."""
    m.slots[:] = NOBODY
    m.used[0] = 0
    for cell in range(m.keys.size):
        if m.keys[cell] >= 0:
            _take_slot(m, m.keys[cell], cell)


@compiled
def gather(
    grid: Grid, slots: Small, multiplier: np.uint64, shift: np.uint64
) -> tuple[Whole, Whole, Whole, Small]:
    """Group cells into classes in the slots, and return keys, records, people, and intervals."""
    cells = grid.records.size
    keys = np.empty(cells, np.int64)
    counted = np.empty(cells, np.int64)
    populated = np.empty(cells, np.int64)
    example = np.empty(cells, np.int64)
    found = 0
    for cell in range(cells):
        key = _key(grid, cell)
        slot = find(HashTable(slots, keys, multiplier, shift), key)
        if slots[slot] < 0:
            slots[slot] = found
            keys[found] = key
            counted[found] = 0
            populated[found] = 0
            example[found] = cell
            found += 1
        counted[slots[slot]] += grid.records[cell]
        populated[slots[slot]] += grid.people[cell]
    intervals = np.empty((grid.strides.size, found), np.int32)
    for a in range(grid.strides.size):
        for number in range(found):
            intervals[a, number] = grid.lookup[grid.begins[a] + grid.codes[a, example[number]]]
    return keys[:found].copy(), counted[:found].copy(), populated[:found].copy(), intervals


@compiled
def link(intervals: Small, begins: Whole) -> tuple[Small, Small, Small, Whole]:
    """Link the classes of each interval in a list, and return the lists.

    The result consists of the fields `following`, `first`, `last`, and `length` of `Merging`.
    """
    attributes, classes = intervals.shape
    following = np.empty((attributes, classes), np.int32)
    first = np.full(begins[attributes], NOBODY, np.int32)
    last = np.full(begins[attributes], NOBODY, np.int32)
    length = np.zeros(begins[attributes], np.int64)
    for a in range(attributes):
        for cell in range(classes - 1, -1, -1):
            at = begins[a] + intervals[a, cell]
            following[a, cell] = first[at]
            if first[at] < 0:
                last[at] = cell
            first[at] = cell
            length[at] += 1
    return following, first, last, length


@compiled
def _risk(rules: Rules, records: int, people: int) -> float:
    if records == 0:
        return 0.0
    if people < rules.small.size:
        return float(records * rules.small[people])
    return float(records * (rules.scale * np.float64(people) ** -rules.power))


@compiled
def sum_risks(rules: Rules, records: Whole, people: Whole) -> float:
    """Return the sum of the risks of classes."""
    total = 0.0
    for i in range(records.size):
        total += _risk(rules, records[i], people[i])
    return total


@compiled
def _joined(rules: Rules, f: int, g: int, t: int, h: int) -> tuple[float, float]:
    """Return the change if f records (of g people) and t records (of h people) are merged."""
    if f + t == 0 or g == 0 or h == 0:
        return 0.0, 0.0
    risk = _risk(rules, f + t, g + h) - _risk(rules, f, g) - _risk(rules, t, h)
    if f == 0 or t == 0:
        return risk, 0.0
    return risk, rules.by_class[f + t] - rules.by_class[f] - rules.by_class[t]


@compiled
def _joined_classes(m: Merging, rules: Rules, one: int, other: int) -> tuple[float, float]:
    return _joined(rules, m.records[one], m.people[one], m.records[other], m.people[other])


@compiled
def _interval_change(m: Merging, rules: Rules, a: int, x: int, y: int) -> float:
    """Return the change in the intervals' loss if two intervals of an attribute are merged."""
    f, t = m.interval_records[x], m.interval_records[y]
    at = rules.width_begins[a]
    v, w = m.interval_width[x], m.interval_width[y]
    wider = rules.by_width[at + v + w]
    change = f * (wider - rules.by_width[at + v]) + t * (wider - rules.by_width[at + w])
    terms = rules.by_interval[f + t] - rules.by_interval[f] - rules.by_interval[t]
    return float(change + rules.interval_scale[a] * terms)


@compiled
def _attribute(m: Merging, x: int) -> int:
    a = 0
    while m.begins[a + 1] <= x:
        a += 1
    return a


@compiled
def weigh(m: Merging, rules: Rules) -> None:
    """Compute how removing each boundary would change the risk and the loss of classes."""
    m.risk_change[:] = 0.0
    m.loss_change[:] = 0.0
    for a in range(m.strides.size):
        for cell in range(m.keys.size):
            if m.keys[cell] < 0:
                continue
            x = m.begins[a] + m.intervals[a, cell]
            y = m.right[x]
            if y < 0:
                continue
            other = _find(m, m.keys[cell] + m.strides[a] * (y - x))
            if other >= 0:
                risk, loss = _joined_classes(m, rules, cell, other)
                m.risk_change[x] += risk
                m.loss_change[x] += loss


@compiled
def _weigh_edge(m: Merging, rules: Rules, a: int, x: int) -> None:
    """Recompute the effect of removing the boundary to the right of an interval."""
    y = m.right[x]
    if y < 0:
        return
    one, other = (x, y) if m.length[x] <= m.length[y] else (y, x)
    step = m.strides[a] * (other - one)
    risks, losses = 0.0, 0.0
    cell = m.first[one]
    while cell >= 0:
        if m.keys[cell] >= 0:
            mate = _find(m, m.keys[cell] + step)
            if mate >= 0:
                risk, loss = _joined_classes(m, rules, cell, mate)
                risks += risk
                losses += loss
        cell = m.following[a, cell]
    m.risk_change[x] = risks
    m.loss_change[x] = losses


@compiled
def _drop_joined(m: Merging, a: int, x: int) -> None:
    """Remove classes that were merged into other classes from the list of an interval."""
    before = NOBODY
    number = 0
    cell = m.first[x]
    while cell >= 0:
        after = m.following[a, cell]
        if m.keys[cell] >= 0:
            if before < 0:
                m.first[x] = cell
            else:
                m.following[a, before] = cell
            before = cell
            number += 1
        cell = after
    if before < 0:
        m.first[x] = NOBODY
    else:
        m.following[a, before] = NOBODY
    m.last[x] = before
    m.length[x] = number


@compiled
def _reweigh(m: Merging, rules: Rules, a: int, x: int, y: int) -> None:
    """Update the changes for boundaries of other attributes before y is merged into x.

    A pair of neighboring classes of y is counted at its left class.
    """
    step = m.strides[a] * (x - y)
    cell = m.first[y]
    while cell >= 0:
        key = m.keys[cell]
        f, g = m.records[cell], m.people[cell]
        mate = _find(m, key + step)
        s, q = (m.records[mate], m.people[mate]) if mate >= 0 else (0, 0)
        for b in range(m.strides.size):
            if b == a:
                continue
            at = m.begins[b] + m.intervals[b, cell]
            for to_right in range(2):
                neighbor = m.right[at] if to_right else m.left[at]
                if neighbor < 0:
                    continue
                away = key + m.strides[b] * (neighbor - at)
                near = _find(m, away)
                if near >= 0 and not to_right:
                    continue
                far = _find(m, away + step)
                t, h = (m.records[near], m.people[near]) if near >= 0 else (0, 0)
                u, r = (m.records[far], m.people[far]) if far >= 0 else (0, 0)
                if f + s + t + u == 0 or h + r == 0:
                    continue
                risk, loss = _joined(rules, f + s, g + q, t + u, h + r)
                risk_y, loss_y = _joined(rules, f, g, t, h)
                risk_x, loss_x = _joined(rules, s, q, u, r)
                edge = at if to_right else neighbor
                m.risk_change[edge] += risk - risk_y - risk_x
                m.loss_change[edge] += loss - loss_y - loss_x
        cell = m.following[a, cell]


@compiled
def _join(m: Merging, rules: Rules, a: int, x: int, y: int) -> None:
    """Move the classes of interval y into interval x, and remove y."""
    step = m.strides[a] * (x - y)
    m.totals[1] += _interval_change(m, rules, a, x, y)
    cell = m.first[y]
    while cell >= 0:
        key = m.keys[cell] + step
        mate = _find(m, key)
        if mate < 0:
            m.intervals[a, cell] = x - m.begins[a]
            _take_slot(m, key, cell)
        else:
            risk, loss = _joined_classes(m, rules, mate, cell)
            m.totals[0] += risk
            m.totals[1] += loss
            m.records[mate] += m.records[cell]
            m.people[mate] += m.people[cell]
            m.keys[cell] = NOBODY
        cell = m.following[a, cell]
    if m.first[y] >= 0:
        if m.last[x] >= 0:
            m.following[a, m.last[x]] = m.first[y]
        else:
            m.first[x] = m.first[y]
        m.last[x] = m.last[y]
        m.length[x] += m.length[y]
    m.interval_records[x] += m.interval_records[y]
    m.interval_width[x] += m.interval_width[y]
    if m.right[x] == y:
        m.right[x] = m.right[y]
        m.boundary[x] = m.boundary[y]
        if m.right[y] >= 0:
            m.left[m.right[y]] = x
            m.interval_of[m.boundary[y]] = x
    else:
        m.left[x] = m.left[y]
        if m.left[y] >= 0:
            m.right[m.left[y]] = x
    m.right[y] = NOBODY
    if m.shift > 0 and 2 * m.used[0] > m.slots.size:
        _renew_slots(m)


@compiled
def _both(m: Merging, boundary: int) -> tuple[int, int, int]:
    """Return a boundary's attribute, its interval with more classes, and its other interval."""
    x = int(m.interval_of[boundary])
    y = int(m.right[x])
    a = _attribute(m, x)
    if m.length[x] < m.length[y]:
        x, y = y, x
    _drop_joined(m, a, y)
    return a, x, y


@compiled
def follow(m: Merging, rules: Rules, boundaries: Whole) -> tuple[Real, Real]:
    """Remove boundaries one after another, and return the risk and the loss after each removal."""
    risks = np.empty(boundaries.size, np.float64)
    losses = np.empty(boundaries.size, np.float64)
    for i in range(boundaries.size):
        a, x, y = _both(m, boundaries[i])
        _join(m, rules, a, x, y)
        risks[i] = m.totals[0]
        losses[i] = m.totals[1]
    return risks, losses


@compiled
def remove(m: Merging, rules: Rules, boundary: int) -> None:
    """Remove a boundary, and update the changes for all other boundaries."""
    a, x, y = _both(m, boundary)
    _reweigh(m, rules, a, x, y)
    _join(m, rules, a, x, y)
    _weigh_edge(m, rules, a, x)
    if m.left[x] >= 0:
        _weigh_edge(m, rules, a, m.left[x])


@compiled
def describe_neighbors(m: Merging, rules: Rules) -> tuple[Whole, Real, Real]:
    """Return the remaining boundaries, and the risk and the loss without each of them."""
    number = 0
    for x in range(m.right.size):
        number += m.right[x] >= 0
    boundaries = np.empty(number, np.int64)
    risks = np.empty(number, np.float64)
    losses = np.empty(number, np.float64)
    at = 0
    for a in range(m.strides.size):
        for x in range(m.begins[a], m.begins[a + 1]):
            if m.right[x] >= 0:
                boundaries[at] = m.boundary[x]
                risks[at] = m.totals[0] + m.risk_change[x]
                change = _interval_change(m, rules, a, x, m.right[x])
                losses[at] = m.totals[1] + m.loss_change[x] + change
                at += 1
    return boundaries, risks, losses


@compiled
def descend(
    m: Merging, rules: Rules, units: Real, removable: Flags, steps: int
) -> tuple[Whole, Whole, Real, Real]:
    """Repeatedly remove the boundary with the lowest added loss per removed risk.

    Risk and loss are divided by `units`. The function returns the removed boundaries in order. It
    also returns, with one row per step, the boundaries before the step, and the risk and the loss
    without each of these boundaries. Rows are padded with `NOBODY`.
    """
    stood = 0
    may = 0
    for x in range(m.right.size):
        if m.right[x] >= 0:
            stood += 1
            may += removable[m.boundary[x]]
    steps = min(steps, may)
    order = np.empty(steps, np.int64)
    boundaries = np.full((steps, stood), NOBODY, np.int64)
    risks = np.zeros((steps, stood), np.float64)
    losses = np.zeros((steps, stood), np.float64)
    for step in range(steps):
        at = 0
        best = NOBODY
        least = np.inf
        for a in range(m.strides.size):
            for x in range(m.begins[a], m.begins[a + 1]):
                if m.right[x] < 0:
                    continue
                change = m.loss_change[x] + _interval_change(m, rules, a, x, m.right[x])
                boundaries[step, at] = m.boundary[x]
                risks[step, at] = m.totals[0] + m.risk_change[x]
                losses[step, at] = m.totals[1] + change
                at += 1
                if not removable[m.boundary[x]]:
                    continue
                price = _price(change / units[1], -m.risk_change[x] / units[0])
                if price < least or best < 0:
                    least = price
                    best = m.boundary[x]
        order[step] = best
        remove(m, rules, best)
    return order, boundaries, risks, losses


@compiled
def _price(loss: float, risk: float) -> float:
    """Return the loss per removed risk, with free merges first and merges without effect last."""
    if loss <= 1e-13:  # noqa: PLR2004 - smaller shares are rounding errors
        return -1.0 - max(risk, 0.0)
    if risk <= 1e-13:  # noqa: PLR2004 - smaller shares are rounding errors
        return 1e300 * (1.0 + loss)
    return float(loss / risk)


def find_slots(keys: int, classes: int) -> tuple[Small, np.uint64, np.uint64]:
    """Return free slots, the multiplier, and the shift for given numbers of keys and classes."""
    if keys <= max(_MOST_ADDRESSED, _ROOM * classes):
        bits = max(keys - 1, 1).bit_length()
        return np.full(1 << bits, NOBODY, np.int32), np.uint64(1), np.uint64(0)
    bits = (_ROOM * max(classes, 4) - 1).bit_length()
    return np.full(1 << bits, NOBODY, np.int32), GOLDEN, np.uint64(_WORD - bits)
