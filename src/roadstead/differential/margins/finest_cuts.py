"""The level of detail of each attribute in a release for general use: as fine as its margin allows.

The cut follows from the declared domain alone, so it costs nothing. All steps of a short range and
all leaves of a small taxonomy are distinguished. A longer range is divided into intervals of one
width. In a larger taxonomy, the node with the most leaves is replaced by its children, again and
again, while the number of nodes stays within its limit.

A set is described by nodes: for each node, whether the set has an item under it. Each node is one
question that costs budget, so sets have fewer nodes.
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
"""Largest number of distinguished intervals of a range, or nodes of a taxonomy."""
MOST_ITEM_NODES = 24
"""Largest number of nodes of a taxonomy that describe a set."""


def finest_cut(domain: Domain) -> AttributeCut:
    """Return the cut of an attribute in a release for general use."""
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
    """Expand the largest node that still fits, from the root down; return nodes in preorder."""
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
