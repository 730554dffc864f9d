"""How finely each attribute of a release for every use is told: as finely as its margin can bear.

The cut follows from the declared domain alone, so it costs nothing. All steps of a short range and
all leaves of a small taxonomy are told. A longer range is parted into intervals of one width; of a
larger taxonomy the node with the most leaves under it is replaced by its children, again and
again, while the number of nodes stays within its bound.

A set is told by nodes, each of which it has items under or not: as many questions as there are
nodes, each of which costs budget, so there are fewer of them.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.hierarchies.taxonomy import Taxonomy

MOST_PLACES = 128
"""Intervals of a range, and nodes of a taxonomy, that are told apart at most."""
MOST_ITEM_NODES = 24
"""Nodes of a taxonomy that a set is told by, at most."""


def finest_cut(domain: Domain) -> AttributeCut:
    """Tell an attribute as finely as a release for every use does."""
    match domain:
        case NumericDomain():
            width = -(-domain.size // MOST_PLACES)
            bounds = (*range(0, domain.size, width), domain.size)
            return NumericCut(domain, bounds)
        case CategoricalDomain(taxonomy):
            return CategoricalCut(domain, _nodes(taxonomy, MOST_PLACES))
        case SetDomain(taxonomy):
            return SetCut(domain, _nodes(taxonomy, MOST_ITEM_NODES))


def _nodes(taxonomy: Taxonomy, most: int) -> tuple[int, ...]:
    """Expand the largest node that still fits, from the root down; nodes in preorder."""
    kept: list[int] = []
    waiting = [(-taxonomy.size, 0)]
    heapify(waiting)
    while waiting:
        _, node = heappop(waiting)
        children = taxonomy.children[node]
        if not children or len(kept) + len(waiting) + len(children) > most:
            kept.append(node)
            continue
        for child in children:
            leaves = int(taxonomy.last[child] - taxonomy.first[child])
            heappush(waiting, (-leaves, child))
    return tuple(sorted(kept))
