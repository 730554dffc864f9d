"""Reduce sets with a long list of items by keeping frequent items and merging all other items.

The module chooses items one after another, by the number of records that have each item. One record
changes each of these numbers by at most one, and changes all of them in the same direction. The
candidate ``none`` has a public score that an item without records rarely exceeds. If ``none`` is
chosen, each further choice costs twice as much. If no item has been chosen at the end, the
remaining amount pays for the choice of one item. All lists of items together cost at most a tenth
of the budget.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import ceil, log
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import Domain, SetDomain
from roadstead.differential.margins.finest_cuts import MOST_ITEM_NODES, finest_cut
from roadstead.differential.margins.long_lists import child_of_each_leaf, with_others
from roadstead.differential.private_table import ItemSets, PrivateTable
from roadstead.hierarchies.taxonomy import AtPosition, Taxonomy

ITEMS_SHARE = Fraction(1, 10)
"""The largest share of the budget for choosing the items of long lists."""
OTHERS = "other items"
_BY_CHANCE = 20
"""The inverse of the largest chance that a choice selects an item without records."""


def with_frequent_items(
    table: PrivateTable, accountant: Accountant, mechanisms: Mechanisms
) -> PrivateTable:
    """Replace the taxonomy of each list of items that is too long.

    The new taxonomy contains the frequent items, and one node for all other items.
    """
    long = [(at, one.taxonomy) for at, one in enumerate(table.domains) if _is_long(one)]
    domains, sets = list(table.domains), list(table.sets)
    price = accountant.total * ITEMS_SHARE / max(len(long), 1)
    for at, taxonomy in long:
        own = table.sets_of(at)
        records = np.zeros(own.size, dtype=np.int64)
        np.add.at(records, table.codes[at], table.counts)
        having = _records_with(taxonomy, own, records)
        kept = _chosen(taxonomy.attribute, having, price, accountant, mechanisms)
        if kept:
            short = with_others(taxonomy, kept, OTHERS)
            domains[at] = SetDomain(short)
            sets[at] = _moved(own, taxonomy, short)
    return replace(table, domains=tuple(domains), sets=tuple(sets)) if long else table


def _is_long(domain: Domain) -> TypeGuard[SetDomain]:
    """Return whether a list of items is so long that no item would be released."""
    return (
        isinstance(domain, SetDomain)
        and domain.size > 1
        and not finest_cut(domain).is_specialized
        and not isinstance(domain.taxonomy.find, AtPosition)
    )


def _records_with(
    taxonomy: Taxonomy, sets: ItemSets, records: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the records that have items under each child of the root, once per child."""
    children = len(taxonomy.children[0])
    child = child_of_each_leaf(taxonomy)[sets.items]
    distinct = np.unique(sets.owners.astype(np.int64) * children + child)
    found = np.zeros(children, dtype=np.int64)
    np.add.at(found, distinct % children, records[distinct // children])
    return found


def _chosen(
    attribute: str,
    having: NDArray[np.int64],
    budget: Fraction,
    accountant: Accountant,
    mechanisms: Mechanisms,
) -> frozenset[int]:
    """Choose children of the root: at least one, and at most one fewer than the limit."""
    most, numbers = MOST_ITEM_NODES - 1, count(1)
    kept: list[int] = []

    def found(price: Fraction, *, or_none: bool) -> bool:
        grant = accountant.spend(BudgetStep("item", (attribute,), next(numbers)), price)
        waiting = [one for one in range(having.size) if one not in kept]
        none = [_none(len(waiting), float(grant.each))] * or_none
        scores = [*having[waiting].tolist(), *none]
        at = mechanisms.choose(grant, scores, sensitivity=1, monotonic=True)
        kept.extend(waiting[at : at + 1])
        return at < len(waiting)

    price = budget / most
    while len(kept) < most and price <= budget:
        budget -= price
        price *= 1 if found(price, or_none=True) else 2
    if not kept:
        found(budget, or_none=False)
    return frozenset(kept)


def _none(items: int, rate: float) -> int:
    """Return the score of `none`, which items without records rarely exceed.

    An item without records is chosen instead of `none` in at most one of `_BY_CHANCE` choices. On
    average, half of these items precede `none`. Each of these items is accepted with probability
    ``exp(-rate * score)``.
    """
    return ceil(log(_BY_CHANCE * items / 2) / rate)


def _moved(sets: ItemSets, before: Taxonomy, after: Taxonomy) -> ItemSets:
    """Return the same items as leaves of a different taxonomy."""
    leaf = np.array([after.leaves[label] for label in before.leaf_labels], dtype=np.int32)
    items = leaf[sets.items]
    return ItemSets(sets.starts, items[np.lexsort((items, sets.owners))])
