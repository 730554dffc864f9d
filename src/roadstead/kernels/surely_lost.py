"""What records that are surely lost cost at least, when only their number in each class is known.

Of every class so many records are suppressed, and which ones is not known. What that costs is
least when they are those that lose most anyway, or, for entropy, when they are as alike as the
classes allow.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Real, Whole, compiled


@compiled
def dearest_lost(order: Codes, places: Whole, counts: Whole, costs: Real, lost: Whole) -> float:
    """Add up what the dearest records of each class cost, `lost` of each.

    The rows of class c are those in `order` from ``places[c]`` up to ``places[c + 1]``; row r has
    ``counts[r]`` records, each of which costs ``costs[r]``.
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
    """Bound the sum of n ln n over labels, `known` and so many `more`, of each no more than `room`.

    n ln n is convex, so it is below its chord over the room that there is: the sum is no more than
    that of the steepest chords.
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
    """Count the lost records that can have each label: no more of a class than have it there."""
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
