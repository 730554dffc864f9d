"""Compute upper bounds on the records of a class that more specific policies can release.

The released records of a class are a part of the class that satisfies the model. The size of the
largest such part is therefore an upper bound. For each kind of condition, this size is computed
from the counts of the class (see docs/methods/bounds-of-models.md for the proofs). `SLACK` is added
so that rounding can only increase the bounds.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Flags, Members, Real, Small, Whole, compiled

SLACK = 2e-9
_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)


@compiled
def largest_filled(counts: Real, caps: Real, used: int, need: float, most: float) -> float:
    """Return the largest R up to `most` with sum of min(count, cap R) >= need R.

    Only the first `used` counts are included. The sum minus need R is concave in R, and is 0 for R
    = 0. Therefore, Newton's method descends from `most` to the last root in at most one step per
    kink.
    """
    size = most
    for _ in range(used + 2):
        full = slope = 0.0
        for v in range(used):
            if counts[v] <= caps[v] * size:
                full += counts[v]
            else:
                slope += caps[v]
        if full + slope * size >= need * size * (1.0 - SLACK):
            return size
        if slope >= need or full <= 0.0:
            return 0.0
        size = min(size, full / (need - slope))
    return size


@compiled
def under_caps(starts: Whole, codes: Small, counts: Whole, caps: Real, most: Whole) -> Whole:
    """For each class, return the size of the largest part in which no value exceeds its cap.

    The result is the greatest fixed point at or below `most`: the largest number that equals the
    sum of the counts limited by their caps. The iteration begins at the upper bound from
    `largest_filled`.
    """
    classes = starts.size - 1
    found = np.zeros(classes, np.int64)
    for c in range(classes):
        first, last = starts[c], starts[c + 1]
        used = last - first
        own = np.empty(used, np.float64)
        room = np.empty(used, np.float64)
        for e in range(used):
            own[e] = counts[first + e]
            room[e] = caps[codes[first + e]]
        size = np.int64(largest_filled(own, room, used, 1.0, float(most[c])) * (1.0 + SLACK))
        size = min(size, most[c])
        while size > 0:
            total = np.int64(0)
            for e in range(first, last):
                total += min(counts[e], np.int64(caps[codes[e]] * size * (1.0 + SLACK)))
            if total >= size:
                break
            size = total
        found[c] = size
    return found


@compiled
def rows_over_caps(
    members: Members,
    numbers: Codes,
    entries: tuple[Whole, Small, Whole],
    caps: Real,
    most: Whole,
) -> Flags:
    """Mark members that have more records of a value than the cap allows in their class."""
    starts, codes, counts = entries
    found = np.zeros(members.size, np.bool_)
    for j in range(members.size):
        row = members[j] >> _HALF
        size = most[numbers[members[j] & _CLASS]] * (1.0 + SLACK)
        for e in range(np.uint64(starts[row]), np.uint64(starts[row + np.uint64(1)])):
            if counts[e] > caps[codes[e]] * size:
                found[j] = True
                break
    return found


@compiled
def within_variation(
    starts: Whole,
    codes: Small,
    counts: Whole,
    labels: Small,
    masses: Whole,
    near: float,
    most: Whole,
) -> Whole:
    """For each class, return the size of the largest part with a variation of at most `near`.

    The variation is the mean over the levels of the total variation from the whole table. `labels`
    and `masses` are as in `distances.tree_distances`. Each level has its own bound, so the result
    is only an upper bound.
    """
    classes, levels = starts.size - 1, labels.shape[0]
    found = most.copy()
    if levels == 0:
        return found
    whole = float(masses[0].sum())
    share = np.zeros(masses.shape[1], np.int64)
    widest = 0
    for c in range(classes):
        widest = max(widest, starts[c + 1] - starts[c])
    own = np.empty(widest * levels, np.float64)
    room = np.empty(widest * levels, np.float64)
    for c in range(classes):
        used = 0
        for level in range(levels):
            for e in range(starts[c], starts[c + 1]):
                share[labels[level, codes[e]]] += counts[e]
            for e in range(starts[c], starts[c + 1]):
                label = labels[level, codes[e]]
                if share[label] > 0:
                    own[used] = share[label]
                    room[used] = masses[level, label] / whole
                    used += 1
                share[label] = 0
        size = largest_filled(own, room, used, (1.0 - near) * levels, float(most[c]))
        found[c] = min(most[c], np.int64(size * (1.0 + SLACK)))
    return found


@compiled
def within_area(
    starts: Whole, codes: Small, counts: Whole, below: Whole, near: float, most: Whole
) -> Whole:
    """For each class, return the size of the largest part with a similar distribution to the table.

    The area between the cumulative distributions of the part and the table is at most `near`.
    `below` counts, for each value, the records of the whole table with this value or a lower value.
    Suppose that m of the n records in a class have such a value. If R of the n records are chosen,
    then between R - (n - m) and m of the chosen records have such a value.
    """
    classes, steps = starts.size - 1, below.size - 1
    found = most.copy()
    if steps < 1:
        return found
    whole = float(below[steps])
    for c in range(classes):
        total = counts[starts[c] : starts[c + 1]].sum()
        low, high = np.int64(0), most[c]
        size = high
        while low < high:
            have, area = np.int64(0), 0.0
            e = starts[c]
            for place in range(steps):
                while e < starts[c + 1] and codes[e] <= place:
                    have += counts[e]
                    e += 1
                share = below[place] / whole
                area += max(0.0, share - have / size, 1.0 - (total - have) / size - share)
            if area <= near * steps * (1.0 + SLACK) + SLACK:
                low = size
            else:
                high = size - 1
            size = (low + high + 1) // 2
        found[c] = low
    return found


@compiled
def as_mixed(starts: Whole, counts: Whole, least: float, most: Whole) -> Whole:
    """For each class, return the size of the largest part with an entropy of at least `least` nats.

    Among the parts of a given size, the entropy is largest if every count is limited to the same
    cap. The cap does not have to be a whole number.
    """
    classes = starts.size - 1
    found = most.copy()
    for c in range(classes):
        low, high = 0.0, 0.0
        for e in range(starts[c], starts[c + 1]):
            high = max(high, float(counts[e]))
        cap = high
        for _ in range(60):
            size = 0.0
            for e in range(starts[c], starts[c + 1]):
                size += min(float(counts[e]), cap)
            entropy = 0.0
            for e in range(starts[c], starts[c + 1]):
                share = min(float(counts[e]), cap) / size
                entropy -= share * np.log(share)
            if entropy >= least * (1.0 - SLACK):
                low = cap
            else:
                high = cap
            if high - low <= 1e-12 * high:
                break
            cap = (low + high) / 2.0
        size = 0.0
        for e in range(starts[c], starts[c + 1]):
            size += min(float(counts[e]), high)
        found[c] = min(most[c], np.int64(size * (1.0 + SLACK)))
    return found


@compiled
def with_tails(
    starts: Whole,
    counts: Whole,
    l: int,  # noqa: E741 - the model's own letter
    c: tuple[int, int, int],
    most: Whole,
) -> Whole:
    """For each class, return the size of the largest part with a top value below c times the tail.

    The tail consists of the records with the l-th most frequent value or a less frequent value. `c`
    contains three integers x, y, and e: a top value h is below c times a tail t if h x < t y + e.
    For a given cap on the most frequent value, the tail is largest if every other count is limited
    only by the same cap.
    """
    classes = starts.size - 1
    found = most.copy()
    for k in range(classes):
        own = np.sort(counts[starts[k] : starts[k + 1]])[::-1]
        low, high = np.int64(0), own[0]
        cap = high
        while low < high:
            tail = np.int64(0)
            for v in range(l - 1, own.size):
                tail += min(own[v], cap)
            if cap * c[0] < tail * c[1] + c[2]:
                low = cap
            else:
                high = cap - 1
            cap = (low + high + 1) // 2
        size = np.int64(0)
        for v in range(own.size):
            size += min(own[v], low)
        found[k] = min(most[k], size)
    return found


_STEPS = 12
"""The number of steps in the search for weights; more steps give a sharper bound."""


@compiled
def fitting(total: Whole, caps: Real, size: int) -> int:
    """Return the largest number up to `size` that is a sum of counts limited by their caps."""
    while size > 0:
        room = 0
        for v in range(caps.size):
            room += min(int(total[v]), int(caps[v] * size * (1.0 + SLACK)))
        if room >= size:
            break
        size = room
    return size


@compiled
def totals(own: Whole, never: Flags, entries: tuple[Whole, Small, Whole], values: int) -> Whole:
    """Count the records in unmarked blocks by value."""
    starts, codes, counts = entries
    total = np.zeros(values, np.int64)
    for b in own:
        if not never[b]:
            for e in range(starts[b], starts[b + 1]):
                total[codes[e]] += counts[e]
    return total


@compiled
def mark_over_caps(
    own: Whole, never: Flags, entries: tuple[Whole, Small, Whole], caps: Real, size: int
) -> bool:
    """Mark blocks with too many records in total or of one value; return whether a mark is new."""
    starts, codes, counts = entries
    found = False
    for b in own:
        if never[b]:
            continue
        records = np.int64(0)
        for e in range(starts[b], starts[b + 1]):
            records += counts[e]
            if counts[e] > caps[codes[e]] * size * (1.0 + SLACK):
                never[b] = True
        never[b] |= records > size
        found |= never[b]
    return found


@compiled
def worth_under_weights(
    own: Whole,
    never: Flags,
    entries: tuple[Whole, Small, Whole],
    caps: Real,
    weight: Real,
    excess: Real,
) -> float:
    """Find a bound on the records that blocks can release together under caps.

    No value exceeds its cap in the released records, so the sum of the weighted excesses is at most
    0. The worth of a block is its number of records minus its weighted excess. The sum of all
    positive worths is an upper bound on the released records. The function writes the excess of the
    blocks with positive worth to `excess`.
    """
    starts, codes, counts = entries
    base, value, taken = 1.0, 0.0, np.int64(0)
    for v in range(caps.size):
        base += weight[v] * caps[v]
        excess[v] = 0.0
    for b in own:
        if never[b]:
            continue
        records, worth = np.int64(0), 0.0
        for e in range(starts[b], starts[b + 1]):
            records += counts[e]
            worth -= weight[codes[e]] * counts[e]
        worth += base * records
        if worth > 0.0:
            value += worth
            taken += records
            for e in range(starts[b], starts[b + 1]):
                excess[codes[e]] += counts[e]
    for v in range(caps.size):
        excess[v] -= caps[v] * taken
    return value


@compiled
def weighted(
    own: Whole, never: Flags, entries: tuple[Whole, Small, Whole], caps: Real, size: int
) -> int:
    """Find a bound as in `worth_under_weights`, and improve the weights."""
    weight = np.zeros(caps.size, np.float64)
    excess = np.zeros(caps.size, np.float64)
    best = float(size)
    for _ in range(_STEPS):
        value = worth_under_weights(own, never, entries, caps, weight, excess)
        best = min(best, value)
        length = 0.0
        for v in range(caps.size):
            if excess[v] < 0.0 and weight[v] == 0.0:
                excess[v] = 0.0
            length += excess[v] * excess[v]
        if length == 0.0:
            break
        for v in range(caps.size):
            weight[v] = max(0.0, weight[v] + 0.5 * value / length * excess[v])
    return int(best * (1.0 + SLACK) + SLACK)


@compiled
def blocks_under_caps(
    places: Whole,
    order: Whole,
    blocks: int,
    entries: tuple[Whole, Small, Whole],
    caps: Real,
    most: Whole,
) -> tuple[Whole, Flags]:
    """Find bounds like `under_caps` for parts of whole blocks; mark blocks that are never released.

    The blocks of part p are ``order[places[p]:places[p + 1]]``, and `entries` describes the blocks.
    A block is never released if it has more records than the part can release, or more records of a
    value than the cap allows. Weights on the caps give a bound on the records of the other blocks.
    """
    found = most.copy()
    never = np.zeros(blocks, np.bool_)
    for p in range(places.size - 1):
        own = order[places[p] : places[p + 1]]
        size = most[p]
        while size > 0:
            total = totals(own, never, entries, caps.size)
            size = fitting(total, caps, min(size, total.sum()))
            if mark_over_caps(own, never, entries, caps, size):
                continue
            bound = weighted(own, never, entries, caps, size)
            if bound >= size:
                break
            size = bound
        found[p] = size
        if size == 0:
            never[own] = True
    return found, never
