"""Choose the level of detail of each attribute in a release for general use.

The cut depends only on the declared domain, so it does not cost any budget. The module
distinguishes all steps of a short range and all leaves of a small taxonomy. A longer range is
divided into intervals of equal width. In a larger taxonomy, the module repeatedly replaces the node
with the most leaves by its children, within a limit of nodes. Each node of a set is a separate
question that costs budget, so a set has fewer nodes.
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
"""The largest number of intervals of a range, or of nodes of a taxonomy."""
MOST_ITEM_NODES = 24
"""The largest number of nodes that describe a set."""


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
    """Starting from the root, repeatedly expand the largest node whose children fit the limit.

    Return the nodes in preorder.
    """
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
