"""The Lagrangian bound of facility location with classes of at least k records.

Each record pays a price to whatever class it is in. A class that is opened gets the prices of its
records less their losses; it takes every record that pays more than it loses, and where these are
fewer than k, the least bad of the others up to k. Relaxed is that each record is in one class only.
For any prices, all prices together plus what all classes that would earn by it get less, bound the
loss of every recoding from below. Prices of records in no such class are raised and of records in
several lowered (subgradient steps; Held, Wolfe and Crowder, Mathematical Programming 6, 1974).

Records of one row have one price, and a class may take some of a row's records.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, compiled
from roadstead.kernels.recoding.openings import Lists

_NOTHING = 1e-12


@compiled
def _earned(
    lists: Lists, prices: Real, one: int, losses: Real, rows: Small, most: float
) -> tuple[float, int, int]:
    """What a class loses less what it is paid, at best; the records that gain; and others taken.

    Those others, fewest losses first, are in `losses` and `rows`, both with room for k. Not
    worked out to the end where it gets to `most` or more, or nobody gains and `most` is 0.
    """
    total = 0.0
    people = 0
    begin, end = lists.begins[one], lists.begins[one + 1]
    for i in range(begin, end):
        row = lists.rows[i]
        own = lists.losses[lists.places[i]] - prices[row]
        if own < 0:
            total += own * lists.counts[row]
            people += lists.counts[row]
    if people >= lists.k or total >= most:
        return total, people, 0
    need = lists.k - people
    held = 0
    for i in range(begin, end):
        row = lists.rows[i]
        own = lists.losses[lists.places[i]] - prices[row]
        if own >= 0 and (held < need or own < losses[held - 1]):
            at = held if held < need else held - 1
            while at > 0 and losses[at - 1] > own:
                losses[at] = losses[at - 1]
                rows[at] = rows[at - 1]
                at -= 1
            losses[at] = own
            rows[at] = row
            if held < need:
                held += 1
    taken = 0
    while taken < held and need > 0:
        number = min(need, lists.counts[rows[taken]])
        total += number * losses[taken]
        need -= number
        taken += 1
        if total >= most:
            break
    return total, people, taken


@compiled
def bound_of(lists: Lists, prices: Real, cover: Real) -> float:
    """Bound by prices, at most 1 each; `cover` gets in how many classes a record of each row is."""
    losses = np.empty(lists.k, np.float64)
    rows = np.empty(lists.k, np.int32)
    bound = 0.0
    for row in range(prices.size):
        bound += lists.counts[row] * prices[row]
        cover[row] = 0.0
    for one in range(lists.begins.size - 1):
        total, people, taken = _earned(lists, prices, one, losses, rows, 0.0)
        if total > -_NOTHING:
            bound += min(total, 0.0)
            continue
        bound += total
        for i in range(lists.begins[one], lists.begins[one + 1]):
            if lists.losses[lists.places[i]] - prices[lists.rows[i]] < 0:
                cover[lists.rows[i]] += 1.0
        need = lists.k - people
        for i in range(taken):
            number = min(need, lists.counts[rows[i]])
            cover[rows[i]] += number / lists.counts[rows[i]]
            need -= number
    return bound


@compiled
def shortfalls(lists: Lists, prices: Real) -> Real:
    """What each class loses less what it is paid at best: little where it may be worth opening."""
    losses = np.empty(lists.k, np.float64)
    rows = np.empty(lists.k, np.int32)
    found = np.empty(lists.begins.size - 1, np.float64)
    for one in range(found.size):
        found[one] = _earned(lists, prices, one, losses, rows, np.inf)[0]
    return found


@compiled
def step(
    lists: Lists, prices: Real, cover: Real, length: float, bound: float, target: float
) -> None:
    """Change prices by one subgradient step towards a target above the bound."""
    norm = 0.0
    for row in range(prices.size):
        way = 1.0 - cover[row]
        if way < 0 or prices[row] < 1.0:
            norm += lists.counts[row] * way * way
    if norm <= 0:
        return
    scale = length * (target - bound) / norm
    for row in range(prices.size):
        prices[row] = min(prices[row] + scale * (1.0 - cover[row]), 1.0)
