from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from pruned_sublattices import (
    domains_of,
    fixing,
    never,
    policies_in,
    pruned_of,
    prunings,
)

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead_reproductions.searches.sublattice_heuristic import (
    PartitionRange,
    Pruned,
    fixed_bits,
)


@pytest.mark.parametrize("seed", range(12))
def test_the_example_of_the_paper_has_the_solution_it_names(seed: int) -> None:
    """(B4 = 1), (B2 = 0 or B4 = 0), (B1 = 1 or B2 = 0 or B3 = 1) give B4 = 1 and B2 = 0."""
    pruned = pruned_of(5, [fixing(5, (), (4,)), fixing(5, (2, 4), ()), fixing(5, (2,), (1, 3))])
    assert pruned.avoiding(np.random.default_rng(seed)) == fixing(5, (4,), (2,))


@thorough
@given(prunings(), st.integers(0, 99))
def test_a_sublattice_drawn_overlaps_none_that_was_pruned_and_is_found_if_there_is_one(
    pruning: tuple[int, list[PartitionRange]], seed: int
) -> None:
    """None is drawn if and only if the pruned ones cover the lattice."""
    boundaries, gone = pruning
    frontier: Frontier[Partition] = Frontier()
    frontier.insert(0.5, 0.5, Partition(seed % (1 << boundaries)))
    covered = set().union(*(policies_in(one, boundaries) for one in gone))
    drawn = fixed_bits(pruned_of(boundaries, gone), frontier, np.random.default_rng(seed), never)
    if drawn is None:
        assert len(covered) == 1 << boundaries
    else:
        inside = policies_in(drawn, boundaries)
        assert inside
        assert not inside & covered
        assert inside == {p for p in range(1 << boundaries) if Partition(p) in drawn}


@unhurried
@given(st.integers(3, 10), st.integers(0, 99))
def test_the_last_policy_left_is_found_and_then_nothing(boundaries: int, seed: int) -> None:
    """With every other policy pruned by itself, one after another."""
    pruned = Pruned(domains_of(boundaries))
    random = np.random.default_rng(seed)
    last = int(random.integers(1 << boundaries))
    for kept in range(1 << boundaries):
        if kept != last:
            pruned.add(PartitionRange(Partition(kept), Partition(kept)))
    assert pruned.avoiding(random) == PartitionRange(Partition(last), Partition(last))
    pruned.add(PartitionRange(Partition(last), Partition(last)))
    assert pruned.avoiding(random) is None


@thorough
@given(prunings(), st.integers(0, 63), st.integers(0, 99))
def test_a_policy_that_is_wanted_is_in_the_sublattice_unless_it_was_pruned(
    pruning: tuple[int, list[PartitionRange]], wanted: int, seed: int
) -> None:
    """Its own bits are tried first, so there is no going back."""
    boundaries, gone = pruning
    policy = Partition(wanted % (1 << boundaries))
    if any(policy in one for one in gone):
        return
    found = pruned_of(boundaries, gone).avoiding(np.random.default_rng(seed), policy)
    assert found is not None
    assert policy in found


def draws(boundaries: int, number: int) -> Counter[PartitionRange]:
    """Draw many, with nothing pruned and one member of the frontier."""
    frontier: Frontier[Partition] = Frontier()
    frontier.insert(0.5, 0.5, Partition(0b0101))
    random, pruned = np.random.default_rng(1), Pruned(domains_of(boundaries))
    found = (fixed_bits(pruned, frontier, random, never) for _ in range(number))
    return Counter(one for one in found if one is not None)


def test_a_number_of_bits_drawn_evenly_is_fixed_by_coin_tosses() -> None:
    """With two boundaries: none, one, or both, a third each; in the last four, equal ones."""
    found = draws(2, 3_600)
    assert len(found) == 9
    assert found[fixing(2, (), ())] == pytest.approx(1_200, abs=110)
    assert found[fixing(2, (1,), ())] == pytest.approx(300, abs=70)
    assert found[fixing(2, (0,), (1,))] == pytest.approx(300, abs=70)


def test_a_long_search_can_be_given_up() -> None:
    """It asks now and then whether to stop."""
    pruned = Pruned(domains_of(10))
    for kept in range(1 << 10):
        pruned.add(PartitionRange(Partition(kept), Partition(kept)))
    asked: list[int] = []

    def third_time() -> bool:
        asked.append(1)
        return len(asked) == 3

    assert pruned.avoiding(np.random.default_rng(0), stopped=third_time) is None
    assert len(asked) == 3


def test_no_two_of_many_pruned_sublattices_of_a_long_lattice_overlap() -> None:
    """738 boundaries; two overlap unless one fixes a boundary otherwise than the other."""
    pruned, random = Pruned(domains_of(738)), np.random.default_rng(2)
    drawn = []
    for _ in range(200):
        found = fixed_bits(pruned, Frontier(), random, never)
        assert found is not None
        pruned.add(found)
        drawn.append(found)
    for one, other in combinations(drawn, 2):
        differ = one.general.kept & ~other.specific.kept | other.general.kept & ~one.specific.kept
        assert differ
