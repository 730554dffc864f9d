"""Group similar policies, to help people choose among hundreds of policies.

The distance between two partitions of a domain is their *variation of information* (Meila 2007),
with equal weights for all values. This distance is divided by ln n, its largest possible value. The
distance between two policies is the mean distance over the attributes. Clusters are joined by
average linkage. The number of clusters is the number with the highest mean silhouette (Rousseeuw
1987). If no number of clusters fits well, all policies form one cluster. The method does not use
random numbers. If several choices are equally good, the method takes the first choice. The
discussion of paper 004 proposes such clusters (docs/methods/reading-a-frontier.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.frontiers.frontier import CLOSE, Member

Distances = NDArray[np.float64]

MOST_CLUSTERS = 6
_THINNED = 1000
"""The largest number of policies to compare with each other; the rest are assigned later."""
_STRUCTURE = 0.25
"""The mean silhouette that clusters must exceed (Kaufman and Rousseeuw 1990)."""


@dataclass(frozen=True)
class Cluster:
    """The ascending indices of similar policies, and the most central policy (the medoid)."""

    medoid: int
    members: tuple[int, ...]


def clusters(
    domains: OrderedDomains, members: Sequence[Member[Partition]], most: int = MOST_CLUSTERS
) -> tuple[Cluster, ...]:
    """Group similar policies into at most `most` clusters.

    If there are more than a thousand policies, the clusters are formed from a thousand policies at
    equal distances in the sequence. Each remaining policy joins the cluster with the nearest
    medoid. Clusters are in the order of their first members, and each index is in exactly one
    cluster.
    """
    if not members:
        return ()
    policies = [member.policy for member in members]
    compared = np.unique(np.linspace(0, len(policies) - 1, min(len(policies), _THINNED)).round())
    chosen = compared.astype(np.int64)
    apart = distances(domains, [policies[place] for place in chosen])
    labels = _best_labels(apart, most)
    medoids = chosen[_medoids(apart, labels)]
    found = np.empty(len(policies), np.int64)
    found[chosen] = labels
    others = np.setdiff1d(np.arange(len(policies)), chosen)
    if others.size:
        to_medoids = [
            distances_to(domains, [policies[place] for place in others], policies[medoid])
            for medoid in medoids
        ]
        found[others] = np.argmin(to_medoids, axis=0)
    return tuple(
        Cluster(int(medoid), tuple(np.flatnonzero(found == label).tolist()))
        for label, medoid in enumerate(medoids)
    )


def distances(domains: OrderedDomains, partitions: Sequence[Partition]) -> Distances:
    """Return the distances between partitions, a metric from 0 (equal partitions) to 1."""
    size = len(partitions)
    total = np.zeros((size, size))
    columns = _columns(domains, partitions)
    for bits in columns:
        unlike, places = np.unique(bits, axis=0, return_inverse=True)
        total += _apart(unlike)[np.ix_(places.ravel(), places.ravel())]
    return total / max(len(columns), 1)


def distances_to(
    domains: OrderedDomains, partitions: Sequence[Partition], one: Partition
) -> Distances:
    """Return the distance between each partition and one given partition, as in `distances`."""
    columns = _columns(domains, [*partitions, one])
    total = np.zeros(len(partitions))
    for bits in columns:
        total += _to_one(bits[:-1], bits[-1], _entropies(bits))
    return total / max(len(columns), 1)


def _columns(domains: OrderedDomains, partitions: Sequence[Partition]) -> list[NDArray[np.bool_]]:
    """For each attribute that can be cut, return the bits of the partitions."""
    bits = np.array([domains.bits(partition) for partition in partitions])
    ends = zip(domains.offsets[:-1], domains.offsets[1:], strict=True)
    return [bits[:, begin:end] for begin, end in ends if end > begin]


def _apart(bits: NDArray[np.bool_]) -> Distances:
    """Return the distances within one attribute as a symmetric matrix."""
    entropies = _entropies(bits)
    found = np.zeros((len(bits), len(bits)))
    for place in range(len(bits) - 1):
        rest = slice(place + 1, None)
        ordered = np.append(entropies[rest], entropies[place])
        found[place, rest] = _to_one(bits[rest], bits[place], ordered)
    return found + found.T


def _to_one(bits: NDArray[np.bool_], one: NDArray[np.bool_], entropies: Distances) -> Distances:
    """Return the variation of information, 2 H(both) - H(one) - H(other), divided by ln n.

    The combined partition has a boundary wherever one of the two partitions has a boundary. The
    last entry of `entropies` is the entropy of the partition `one`.
    """
    both = _entropies(bits | one)
    found = (2 * both - entropies[:-1] - entropies[-1]) / np.log(bits.shape[1] + 1)
    # Rounding must not make equal partitions different.
    return np.where((bits == one).all(axis=1), 0.0, np.maximum(found, 0.0))


def _entropies(bits: NDArray[np.bool_]) -> Distances:
    """Return the entropy of each partition, ln n - sum of w ln w / n, for equal weights."""
    count, boundaries = bits.shape
    values = boundaries + 1
    edges = np.ones((count, values + 1), np.bool_)
    edges[:, 1:-1] = bits
    # The step from the end of a row to the start of the next row is 1, which adds the term 0.
    widths = np.append(np.diff(np.flatnonzero(edges)), 1)
    steps = np.arange(values + 1)
    terms = (steps * np.log(np.maximum(steps, 1)))[widths]
    starts = np.concatenate([[0], np.cumsum(edges.sum(axis=1))[:-1]])
    sums: Distances = np.add.reduceat(terms, starts)
    found: Distances = np.log(values) - sums / values
    return found


def _best_labels(apart: Distances, most: int) -> NDArray[np.int64]:
    """Return the labels, in order, for the number of clusters with the best silhouette."""
    from scipy.cluster.hierarchy import average, fcluster  # noqa: PLC0415 - heavy
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - heavy

    best, labels = _STRUCTURE, np.zeros(len(apart), np.int64)
    if len(apart) <= 2 or most <= 1 or not apart.any():  # noqa: PLR2004 - a pair is one cluster
        return labels
    tree = average(squareform(apart, checks=False))
    for number in range(2, min(most, len(apart) - 1) + 1):
        found = _in_order(fcluster(tree, number, "maxclust"))
        silhouette = _silhouette(apart, found)
        if silhouette > best + CLOSE:
            best, labels = silhouette, found
    return labels


def _in_order(labels: NDArray[np.int32]) -> NDArray[np.int64]:
    _, firsts, found = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.argsort(np.argsort(firsts))
    ordered: NDArray[np.int64] = ranks[found.ravel()]
    return ordered


def _silhouette(apart: Distances, labels: NDArray[np.int64]) -> float:
    """Return the mean silhouette (b - a) / max(a, b) for mean distances a and b.

    Here, a is the mean distance to the policies of the same cluster, and b is the mean distance to
    the policies of the nearest other cluster. The silhouette of a policy that is alone in its
    cluster is 0.
    """
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return 0.0
    sums = np.stack([apart[:, labels == label].sum(axis=1) for label in range(len(sizes))], axis=1)
    rows = np.arange(len(labels))
    own = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    means = sums / sizes
    means[rows, labels] = np.inf
    nearest = means.min(axis=1)
    greater = np.maximum(np.maximum(own, nearest), np.finfo(float).tiny)
    return float(np.mean(np.where(sizes[labels] > 1, (nearest - own) / greater, 0.0)))


def _medoids(apart: Distances, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each cluster, return the most central policy, or the first of several such policies."""
    found = []
    for label in range(int(labels.max()) + 1):
        places = np.flatnonzero(labels == label)
        sums = apart[np.ix_(places, places)].sum(axis=1)
        near = np.flatnonzero(sums <= sums.min() + CLOSE)
        found.append(places[near[0]])
    return np.array(found, np.int64)
