"""A policy halfway between two: half of the boundaries in which they differ are removed.

Which half is chance, guided by weights. Even chances are the control. The weights of paper 004
(section 2.4.2) make the policies found more diverse. They add up two parts. The first grows with
the domain of the boundary's attribute, so that the one boundary of a domain of two values is rarely
removed. The second falls with every earlier solution that lacks the boundary. The paper's formulas
are lost; those here follow from its words, and both parts are shares from 0 to 1.

With five boundaries of difference three are removed, with three two: the sizes of its table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import OrderedDomains, Partition

Weighing: TypeAlias = Callable[[OrderedDomains, NDArray[np.float64]], NDArray[np.float64]]
"""Weighs each boundary, above 0, by the share of earlier solutions that keep it."""


def even(domains: OrderedDomains, kept: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG001 - as the other
    """Weigh all boundaries alike."""
    return np.ones(domains.boundaries)


def diverse(domains: OrderedDomains, kept: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh boundaries by the size of their domain, and by how often earlier solutions keep them.

    Parameters
    ----------
    domains
        The ordered domains.
    kept
        For each boundary, the share of earlier solutions that keep it; 1 where there are none.
    """
    return by_range(domains) + kept


def by_range(domains: OrderedDomains) -> NDArray[np.float64]:
    """Give the size of each boundary's domain as a share of the greatest domain's."""
    sizes = np.array(domains.sizes, dtype=np.float64)
    return np.repeat(sizes / sizes.max(initial=1.0), np.array(domains.sizes, dtype=np.int64) - 1)


def halfway(
    general: Partition,
    specific: Partition,
    weights: NDArray[np.float64],
    domains: OrderedDomains,
    random: np.random.Generator,
) -> Partition:
    """Remove half of the boundaries that only the specific policy keeps, the odd one included.

    They are drawn one by one, without replacement, each with a probability that is its share of
    the weights left.

    Parameters
    ----------
    general, specific
        Two policies, the first keeping only boundaries that the second keeps.
    weights
        Of all boundaries, above 0.
    domains
        The ordered domains.
    random
        Where chance comes from.
    """
    differing = np.flatnonzero(domains.bits(Partition(specific.kept & ~general.kept)))
    # The first of independent exponential times with these rates is each with its share, and so on.
    times = random.standard_exponential(differing.size) / weights[differing]
    removed = differing[np.argsort(times, kind="stable")[: (differing.size + 1) // 2]]
    return Partition(specific.kept & ~domains.of_boundaries(removed.tolist()).kept)
