"""The readings of a random sublattice that only the paper's experiments use."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from effort import thorough
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

from roadstead.errors import SettingError
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead_reproductions.searches.sublattice_heuristic import PartitionRange, Pruned, Sampler
from roadstead_reproductions.xia2013.samplers import (
    apart,
    around_members,
    literals_alone,
    two_of_a_chain,
)

SAMPLERS: list[Sampler] = [literals_alone, two_of_a_chain, apart(2), around_members(reach=2)]


@thorough
@given(prunings(), st.integers(0, 99), st.sampled_from(SAMPLERS))
def test_a_sublattice_drawn_overlaps_none_that_was_pruned_and_is_found_if_there_is_one(
    pruning: tuple[int, list[PartitionRange]], seed: int, sampler: Sampler
) -> None:
    """None is drawn if and only if the pruned ones cover the lattice."""
    boundaries, gone = pruning
    frontier: Frontier[Partition] = Frontier()
    frontier.insert(0.5, 0.5, Partition(seed % (1 << boundaries)))
    covered = set().union(*(policies_in(one, boundaries) for one in gone))
    drawn = sampler(pruned_of(boundaries, gone), frontier, np.random.default_rng(seed), never)
    if drawn is None:
        assert len(covered) == 1 << boundaries
    else:
        inside = policies_in(drawn, boundaries)
        assert inside
        assert not inside & covered
        assert inside == {p for p in range(1 << boundaries) if Partition(p) in drawn}


def draws(sampler: Sampler, boundaries: int, number: int) -> Counter[PartitionRange]:
    """Draw many, with nothing pruned and one member of the frontier."""
    frontier: Frontier[Partition] = Frontier()
    frontier.insert(0.5, 0.5, Partition(0b0101))
    random, pruned = np.random.default_rng(1), Pruned(domains_of(boundaries))
    found = (sampler(pruned, frontier, random, never) for _ in range(number))
    return Counter(one for one in found if one is not None)


def test_without_anything_pruned_the_literals_alone_give_the_whole_lattice() -> None:
    """That is the gap the other readings fill."""
    assert list(draws(literals_alone, 4, 20)) == [fixing(4, (), ())]


def test_two_policies_of_a_chain_are_any_two() -> None:
    """In a chain of three policies: both ends, two neighbors, or one policy twice."""
    found = draws(two_of_a_chain, 2, 3_600)
    assert len(found) == 9
    assert found[fixing(2, (), ())] == pytest.approx(2 / 9 * 3_600, abs=95)
    assert found[fixing(2, (), (0, 1))] == pytest.approx(1 / 9 * 3_600, abs=70)
    assert found[fixing(2, (1,), (0,))] == pytest.approx(1 / 18 * 3_600, abs=55)


def test_policies_that_are_two_levels_apart_are_any_such_two() -> None:
    """In a chain of four policies: the first and the third, or the second and the last."""
    found = draws(apart(2), 3, 3_600)
    assert len(found) == 6
    assert all(one.free.bit_count() == 2 for one in found)
    for number in found.values():
        assert number == pytest.approx(3_600 / 6, abs=90)


def test_policies_cannot_be_further_apart_than_the_lattice_is_high() -> None:
    """Then they are its ends; and no level apart they would be one policy."""
    assert list(draws(apart(9), 4, 20)) == [fixing(4, (), ())]
    with pytest.raises(SettingError, match="0 levels apart"):
        apart(0)


def test_around_a_member_lie_a_few_boundaries_more_and_a_few_less() -> None:
    """At most as many as it reaches, on each side, and all numbers occur."""
    sizes: Counter[tuple[int, int]] = Counter()
    for one in draws(around_members(reach=2), 6, 600):
        assert Partition(0b0101) in one
        sizes[
            (0b0101 & ~one.general.kept).bit_count(), (one.specific.kept & ~0b0101).bit_count()
        ] += 1
    assert set(sizes) == {(less, more) for less in range(3) for more in range(3)}


def test_a_sublattice_around_nothing_is_refused() -> None:
    """It would be the member again and again."""
    with pytest.raises(SettingError, match="reach 0 boundaries"):
        around_members(reach=0)
