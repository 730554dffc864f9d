"""Readings of what the paper's random sublattices are, in addition to the package's own.

- `literals_alone`: SNL fixes what it must, and nothing is added.
- `two_of_a_chain`: the ends are two random policies of a random chain.
- `apart`: they are that many levels from each other.
- `around_members`: the ends lie some boundaries on both sides of a member of the frontier.
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
    """Fix only what SNL must fix; without anything pruned it is the whole lattice."""
    return pruned.avoiding(random, stopped=stopped)


def two_of_a_chain(
    pruned: Pruned,
    frontier: Frontier[Partition],  # noqa: ARG001 - as every sampler
    random: np.random.Generator,
    stopped: Stopped,
) -> PartitionRange | None:
    """After SNL, take two policies of a random chain through its sublattice."""
    within = pruned.avoiding(random, stopped=stopped)
    if within is None:
        return None
    order = random.permutation(np.flatnonzero(pruned.domains.bits(Partition(within.free))))
    first, last = np.sort(random.integers(order.size + 1, size=2))
    return narrowed(pruned.domains, within, keep=order[last:], lack=order[:first])


def apart(levels: int) -> Sampler:
    """After SNL, take two policies of a random chain that are so many levels from each other.

    SNL's sublattice as a whole if it has no more levels than that.

    Raises
    ------
    SettingError
        When there is not one level.
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
    """Take some boundaries more, and some less, than a random member of the frontier keeps.

    SNL prefers the member's own bits, so the sublattice contains the member unless it is pruned;
    then it is the part of the member that lies in SNL's sublattice. At most `reach` boundaries are
    between the member and either end.

    Raises
    ------
    SettingError
        When the reach is less than 1.
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
