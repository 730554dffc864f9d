"""Find bounds on the loss due to suppression, given the suppressed records of each class.

The bounds are lower bounds. In general, the loss is lowest if the suppressed records are the
records that lose the most even without suppression. For entropy, the loss is lowest if these
records are as similar as the classes allow.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Real, Whole, compiled


@compiled
def dearest_lost(order: Codes, places: Whole, counts: Whole, costs: Real, lost: Whole) -> float:
    """Return the total cost of the `lost` most expensive records in each class.

    The rows of class c are ``order[places[c]:places[c + 1]]``. Row r has ``counts[r]`` records,
    each of which costs ``costs[r]``.
    """
    total = 0.0
    for c in range(places.size - 1):
        left = lost[c]
        if left <= 0:
            continue
        own = order[places[c] : places[c + 1]]
        dear = np.argsort(-costs[own])
        for j in dear:
            taken = min(left, counts[own[j]])
            total += taken * costs[own[j]]
            left -= taken
            if left == 0:
                break
    return total


@compiled
def most_alike(known: Whole, room: Whole, more: int) -> float:
    """Return an upper bound on the sum of n ln n over labels, for the `known` and `more` records.

    No label gets more new records than its `room`. Because n ln n is convex, the function lies
    below its chord over this range. Therefore, the sum is at most the sum along the steepest
    chords.
    """
    total = 0.0
    steep = np.zeros(known.size, np.float64)
    for u in range(known.size):
        n, m = float(known[u]), float(known[u] + room[u])
        before = n * np.log(n) if n > 1.0 else 0.0
        total += before
        if room[u] > 0:
            steep[u] = (m * np.log(m) - before) / room[u]
    for u in np.argsort(-steep):
        taken = min(more, room[u])
        total += taken * steep[u]
        more -= taken
        if more == 0:
            break
    return total


@compiled
def room_by_label(
    order: Codes,
    places: Whole,
    counts: Whole,
    column: Codes,
    lookup: Codes,
    labels: int,
    lost: Whole,
) -> Whole:
    """Return how many lost records may have each label, limited by the records in each class."""
    found = np.zeros(labels, np.int64)
    own = np.zeros(labels, np.int64)
    for c in range(places.size - 1):
        if lost[c] <= 0:
            continue
        for j in range(places[c], places[c + 1]):
            row = order[j]
            own[lookup[column[row]]] += counts[row]
        for j in range(places[c], places[c + 1]):
            label = lookup[column[order[j]]]
            found[label] += min(own[label], lost[c])
            own[label] = 0
    return found
