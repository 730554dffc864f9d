"""Compute the Lagrangian bound of facility location with classes of at least k records.

The relaxation drops the constraint that each record is in exactly one class, and gives each record
a price for this constraint. The reduced cost of a class is the lowest sum of losses minus prices
over at least k of its records. For any prices, the sum of prices plus all negative reduced costs is
a lower bound on the loss of every recoding. Subgradient steps change the prices (Held, Wolfe, and
Crowder, Mathematical Programming 6, 1974).

All records of a row have the same price, and a class may contain only some of the records of a row.
Losses and prices are per record, from 0 to 1.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, compiled
from roadstead.kernels.recoding.openings import Lists
from roadstead.kernels.shortlist import shortlist

_NOTHING = 1e-12


@compiled
def _earned(
    lists: Lists, prices: Real, one: int, losses: Real, rows: Small, most: float
) -> tuple[float, int, int]:
    """Return the reduced cost of a class, and the numbers of gaining records and of added rows.

    The added rows have the smallest positive differences between loss and price. They are written
    to `losses` and `rows`, both with space for k entries. The sum ends early if it reaches `most`.
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
            held = shortlist(losses, rows, held, need, own, row)
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
    """Return the bound for given prices, and count the classes that use each row in `cover`."""
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
    """Return the reduced cost of each class, which is low for classes that may be worth opening."""
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
    """Change the prices by one subgradient step toward a target above the bound."""
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
