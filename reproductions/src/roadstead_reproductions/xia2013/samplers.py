"""Further readings of the paper's random sublattices.

- `literals_alone`: SNL fixes only the necessary bits.
- `two_of_a_chain`: the ends are two random policies of a random chain.
- `apart`: the ends are a fixed number of levels apart.
- `around_members`: the ends are some boundaries above and below a member of the frontier.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from roadstead.errors import SettingError
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead_reproductions.searches.sublattice_heuristic import (
    PartitionRange,
    Pruned,
    Sampler,
    Stopped,
    narrowed,
)


def literals_alone(
    pruned: Pruned,
    frontier: Frontier[Partition],  # noqa: ARG001 - as every sampler
    random: np.random.Generator,
    stopped: Stopped,
) -> PartitionRange | None:
    """Fix only the necessary bits. If nothing is pruned, the result is the whole lattice."""
    return pruned.avoiding(random, stopped=stopped)


def two_of_a_chain(
    pruned: Pruned,
    frontier: Frontier[Partition],  # noqa: ARG001 - as every sampler
    random: np.random.Generator,
    stopped: Stopped,
) -> PartitionRange | None:
    """After SNL, take two policies of a random chain through the sublattice."""
    within = pruned.avoiding(random, stopped=stopped)
    if within is None:
        return None
    order = random.permutation(np.flatnonzero(pruned.domains.bits(Partition(within.free))))
    first, last = np.sort(random.integers(order.size + 1, size=2))
    return narrowed(pruned.domains, within, keep=order[last:], lack=order[:first])


def apart(levels: int) -> Sampler:
    """After SNL, take two policies of a random chain that are `levels` levels apart.

    If SNL's sublattice has fewer levels, the sublattice is returned unchanged. The function raises
    a SettingError if `levels` is less than one.
    """
    if levels < 1:
        raise SettingError(f"policies are {levels} levels apart", fix="use 1 or more")
    return partial(_apart, levels)


def _apart(
    levels: int,
    pruned: Pruned,
    frontier: Frontier[Partition],  # noqa: ARG001 - as every sampler
    random: np.random.Generator,
    stopped: Stopped,
) -> PartitionRange | None:
    within = pruned.avoiding(random, stopped=stopped)
    if within is None:
        return None
    order = random.permutation(np.flatnonzero(pruned.domains.bits(Partition(within.free))))
    first = int(random.integers(max(0, order.size - levels) + 1))
    return narrowed(pruned.domains, within, keep=order[first + levels :], lack=order[:first])


def around_members(reach: int = 100) -> Sampler:
    """Draw ends that keep some more and some fewer boundaries than a random frontier member.

    SNL prefers the member's bits, so the sublattice contains the member unless it is pruned. At
    most `reach` boundaries are between the member and either end. The function raises a
    SettingError if `reach` is below 1.
    """
    if reach < 1:
        raise SettingError(f"sublattices reach {reach} boundaries", fix="use 1 or more")
    return partial(_around, reach)


def _around(
    reach: int,
    pruned: Pruned,
    frontier: Frontier[Partition],
    random: np.random.Generator,
    stopped: Stopped,
) -> PartitionRange | None:
    member = frontier[int(random.integers(len(frontier)))].policy
    within = pruned.avoiding(random, member, stopped)
    if within is None:
        return None
    domains = pruned.domains
    kept = random.permutation(np.flatnonzero(domains.bits(Partition(within.free & member.kept))))
    gone = random.permutation(np.flatnonzero(domains.bits(Partition(within.free & ~member.kept))))
    less = random.integers(min(reach, kept.size) + 1)
    more = random.integers(min(reach, gone.size) + 1)
    return narrowed(domains, within, keep=kept[less:], lack=gone[more:])
