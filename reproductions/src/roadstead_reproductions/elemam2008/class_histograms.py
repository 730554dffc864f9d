"""Compute class sizes and costs under all policies of a lattice in one sweep.

Rows that are equal under a policy are equal under every more general policy. So the class sizes of
a policy are sums of the class sizes of a policy directly below it. A *sweep* computes all policies
in this order, and reads each row only once.

If classes of fewer than k records are suppressed, the discernibility metric of a policy is

    sum of f * f over classes of f >= k records  +  n * records in smaller classes

(Bayardo and Agrawal 2005, section 2.2; n records in all). The metric depends only on the class
sizes, so one histogram of sizes gives the metric for all k. The rules of paper 001 differ only in
k.

The classes of all policies are in one array, policy by policy; `first[i]` is the start of the
classes of policy i. `above` gives, for each class of the source policy, the class of this policy
that contains it. `links[i]` is the start of policy i in `above`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled

Places = NDArray[np.int64]
Counts = NDArray[np.int64]


@compiled
def roll_up(
    counts: Counts,
    first: Places,
    source: Places,
    links: Places,
    above: NDArray[np.int32],
) -> Counts:
    """Count the records in every class of every policy.

    Parameters
    ----------
    counts
        The records in each class of the first policy, which is the most specific.
    first
        The start of the classes of each policy, and the end of the last policy.
    source
        The earlier policy from whose classes each policy's counts are summed. The first entry is
        not used.
    links
        The start of each policy in `above`.
    above
        For each class of the source policy, the class of the policy that contains it.
    """
    sizes = np.zeros(first[-1], np.int64)
    sizes[: counts.size] = counts
    for policy in range(1, source.size):
        begin, end = first[source[policy]], first[source[policy] + 1]
        own, link = first[policy], links[policy]
        for j in range(end - begin):
            sizes[own + above[link + j]] += sizes[begin + j]
    return sizes


@compiled
def discernibility(sizes: Counts, first: Places, largest: int) -> Counts:
    """Compute the discernibility metric of every policy for each minimum size up to `largest`.

    Column k - 1 of the result is the cost of suppressing classes of fewer than k records.
    """
    policies = first.size - 1
    costs = np.zeros((policies, largest), np.int64)
    small = np.zeros(largest, np.int64)
    for policy in range(policies):
        small[:] = 0
        squares, records = 0, 0
        for j in range(first[policy], first[policy + 1]):
            size = sizes[j]
            records += size
            if size < largest:
                small[size] += 1
            else:
                squares += size * size
        suppressed = 0
        for size in range(1, largest):
            suppressed += size * small[size]
        for k in range(largest, 0, -1):
            costs[policy, k - 1] = squares + records * suppressed
            if k > 1:
                squares += (k - 1) * (k - 1) * small[k - 1]
                suppressed -= (k - 1) * small[k - 1]
    return costs


@compiled
def released(
    sizes: Counts, people: Counts, first: Places, policies: Places
) -> tuple[Counts, Counts, Counts]:
    """Describe the release for each minimum size under the policy that is chosen for this size.

    The result contains the number of suppressed records, the number of released classes, and the
    smallest number of people in a released class (0 if there are no released classes).
    """
    suppressed = np.zeros(policies.size, np.int64)
    classes = np.zeros(policies.size, np.int64)
    fewest = np.zeros(policies.size, np.int64)
    for i in range(policies.size):
        policy = policies[i]
        for j in range(first[policy], first[policy + 1]):
            if sizes[j] > i:
                if classes[i] == 0 or people[j] < fewest[i]:
                    fewest[i] = people[j]
                classes[i] += 1
            else:
                suppressed[i] += sizes[j]
    return suppressed, classes, fewest
