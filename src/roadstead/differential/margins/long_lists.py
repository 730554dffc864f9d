"""Reduce long lists of values by keeping frequent values and merging all other values.

If the root of a taxonomy has too many children, the module counts all children with noise. The
module keeps a child if the child's count exceeds the noise of an empty child. The module keeps at
least one child. If too many children qualify, it keeps only the most frequent children, up to a
limit. The other children become one node of a new taxonomy. All lists together cost a tenth of the
budget. Later steps count the values again.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CategoricalDomain, Domain
from roadstead.differential.margins.error_bars import half_width
from roadstead.differential.margins.finest_cuts import MOST_PLACES, finest_cut
from roadstead.differential.private_table import PrivateTable
from roadstead.hierarchies.taxonomy import Taxonomy, from_paths

LISTS_SHARE = Fraction(1, 10)
"""The share of the budget for choosing the values of long lists."""
OTHERS = "other values"


def with_short_lists(
    table: PrivateTable, accountant: Accountant, mechanisms: Mechanisms
) -> PrivateTable:
    """Replace the taxonomy of each list that is too long.

    The new taxonomy contains the frequent values, and one node for all other values.
    """
    long = [(at, one.taxonomy) for at, one in enumerate(table.domains) if _is_long(one)]
    domains, codes = list(table.domains), list(table.codes)
    price = accountant.total * LISTS_SHARE / max(len(long), 1)
    for at, taxonomy in long:
        grant = accountant.spend(BudgetStep("values", (taxonomy.attribute,)), price)
        noisy = mechanisms.count(grant, _by_child(taxonomy, codes[at], table.counts))
        kept = _frequent(noisy, half_width(grant.each, Fraction(1, noisy.size)))
        short = with_others(taxonomy, kept, OTHERS)
        domains[at] = CategoricalDomain(short)
        places = [short.leaves[label] for label in taxonomy.leaf_labels]
        codes[at] = np.array(places, dtype=np.int32)[codes[at]]
    return replace(table, domains=tuple(domains), codes=tuple(codes)) if long else table


def _is_long(domain: Domain) -> TypeGuard[CategoricalDomain]:
    return (
        isinstance(domain, CategoricalDomain)
        and domain.size > 1
        and not finest_cut(domain).is_specialized
    )


def _by_child(
    taxonomy: Taxonomy, codes: NDArray[np.int32], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    found = np.zeros(len(taxonomy.children[0]), dtype=np.int64)
    np.add.at(found, child_of_each_leaf(taxonomy)[codes], counts)
    return found


def _frequent(noisy: NDArray[np.int64], width: int) -> frozenset[int]:
    """Return the most frequent child, and all other children whose counts exceed the noise."""
    largest, *more = np.argsort(-noisy, kind="stable")[: MOST_PLACES - 1].tolist()
    return frozenset([largest, *(one for one in more if noisy[one] > width)])


def child_of_each_leaf(taxonomy: Taxonomy) -> NDArray[np.int64]:
    """Return the child of the root that contains each leaf."""
    begins = taxonomy.first[list(taxonomy.children[0])]
    return np.searchsorted(begins, np.arange(taxonomy.size), side="right") - 1


def with_others(taxonomy: Taxonomy, kept: frozenset[int], others: str) -> Taxonomy:
    """Merge all children of the root that are not `kept` into one node, which is the last node."""
    child = child_of_each_leaf(taxonomy)
    while others in taxonomy.labels:
        others += " too"
    paths = list(zip(child.tolist(), taxonomy.paths, strict=True))
    alone = [path for at, path in paths if at in kept]
    together = [(others, *path) for at, path in paths if at not in kept]
    return from_paths(
        taxonomy.attribute,
        [*alone, *together],
        root=taxonomy.labels[0],
        origin=taxonomy.origin,
        find=taxonomy.find,
    )
