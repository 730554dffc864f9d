"""Sublattices of small lattices of one attribute, for tests of pruning."""

from __future__ import annotations

from hypothesis import strategies as st

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead_reproductions.searches.sublattice_heuristic import PartitionRange, Pruned


def domains_of(boundaries: int) -> OrderedDomains:
    """One attribute with so many boundaries."""
    return OrderedDomains(("a",), (boundaries + 1,))


def never() -> bool:
    """Do not stop."""
    return False


def policies_in(sublattice: PartitionRange, boundaries: int) -> set[int]:
    """All its policies, by the definition."""
    return {
        kept
        for kept in range(1 << boundaries)
        if sublattice.general.kept & kept == sublattice.general.kept
        and kept & sublattice.specific.kept == kept
    }


def fixing(boundaries: int, keep: tuple[int, ...], lack: tuple[int, ...]) -> PartitionRange:
    """Give the sublattice with these boundaries fixed."""
    general = sum(1 << b for b in keep)
    specific = (1 << boundaries) - 1 - sum(1 << b for b in lack)
    return PartitionRange(Partition(general), Partition(specific))


@st.composite
def sublattices(draw: st.DrawFn, boundaries: int) -> PartitionRange:
    """Draw a general policy and a more specific one."""
    general = draw(st.integers(0, (1 << boundaries) - 1))
    more = draw(st.integers(0, (1 << boundaries) - 1))
    return PartitionRange(Partition(general), Partition(general | more))


@st.composite
def prunings(draw: st.DrawFn) -> tuple[int, list[PartitionRange]]:
    """Draw some sublattices of a small lattice, few or so many that they may cover it."""
    boundaries = draw(st.integers(0, 6))
    most = draw(st.sampled_from([3, 12, 90]))
    return boundaries, draw(st.lists(sublattices(boundaries), max_size=most))


def pruned_of(boundaries: int, sublattices: list[PartitionRange]) -> Pruned:
    """Prune them."""
    pruned = Pruned(domains_of(boundaries))
    for one in sublattices:
        pruned.add(one)
    return pruned
