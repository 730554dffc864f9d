"""Similar policies come together, and the most typical one represents them."""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.frontiers import clusters as module
from roadstead.search.frontiers.clusters import (
    clusters,
    distances,
    distances_to,
)
from roadstead.search.frontiers.frontier import Member


@st.composite
def _policies(draw: st.DrawFn) -> tuple[OrderedDomains, list[Partition]]:
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    domains = OrderedDomains(tuple("abc"[: len(sizes)]), tuple(sizes))
    kept = st.integers(0, (1 << domains.boundaries) - 1)
    return domains, list(map(Partition, draw(st.lists(kept, min_size=1, max_size=12))))


def _members(policies: list[Partition]) -> list[Member[Partition]]:
    count = len(policies)
    return [Member(i / count, 1 - i / count, policy) for i, policy in enumerate(policies)]


def _apart(domains: OrderedDomains, one: Partition, two: Partition) -> float:
    """Variation of information from the intervals, as conditional entropies of a random value."""
    shares = []
    for size, a, b in zip(domains.sizes, domains.labels(one), domains.labels(two), strict=True):
        if size == 1:
            continue
        pairs = list(zip(a.tolist(), b.tolist(), strict=True))
        total = 0.0
        for first, second in set(pairs):
            both = pairs.count((first, second)) / size
            of_one = sum(x == first for x, _ in pairs) / size
            of_two = sum(y == second for _, y in pairs) / size
            total -= both * (log(both / of_one) + log(both / of_two))
        shares.append(total / log(size))
    return sum(shares) / len(shares) if shares else 0.0


@unhurried
@given(_policies())
def test_the_distance_is_the_variation_of_information(
    drawn: tuple[OrderedDomains, list[Partition]],
) -> None:
    """By counting values, attribute by attribute; all attributes have the same weight."""
    domains, policies = drawn
    found = distances(domains, policies)
    witness = [[_apart(domains, one, two) for two in policies] for one in policies]
    assert found == pytest.approx(np.array(witness), abs=1e-12)
    assert distances_to(domains, policies, policies[0]) == pytest.approx(found[0], abs=1e-12)
    assert found.max() <= 1 + 1e-12
    same = np.array([[one == two for two in policies] for one in policies])
    assert np.array_equal(found == 0, same)


def test_one_interval_is_as_far_from_single_values_as_can_be() -> None:
    """Whatever the domain; and an attribute of two values weighs what one of hundreds does."""
    domains = OrderedDomains(("sex", "zip"), (2, 612))
    whole, none = domains.most_specific, domains.most_general
    no_sex = domains.of_boundaries(range(1, 612))
    found = distances(domains, [whole, none, no_sex])
    assert found[0] == pytest.approx([0, 1, 0.5])
    assert found[1] == pytest.approx([1, 0, 0.5])


def _families(count: int, seed: int = 3) -> tuple[OrderedDomains, list[Partition], list[int]]:
    """Three families: no sex; ages in two bands; no places. Each with small deviations."""
    domains = OrderedDomains(("sex", "age", "place"), (2, 40, 30))
    draw = np.random.default_rng(seed)
    policies, families = [], []
    for number in range(count):
        family = number * 7 % 3
        bits = np.ones(domains.boundaries, np.bool_)
        if family == 0:
            bits[0] = False
        elif family == 1:
            bits[1:40] = False
            bits[20] = True
        else:
            bits[40:] = False
        flipped = draw.integers(0, domains.boundaries, 2)
        bits[flipped] ^= flipped > 0
        policies.append(domains.of_bits(bits))
        families.append(family)
    return domains, policies, families


def test_families_of_policies_are_found() -> None:
    """Three of them, in the order of their first members, whatever the greatest number is."""
    domains, policies, families = _families(40)
    members = _members(policies)
    expected = [
        tuple(place for place, family in enumerate(families) if family == wanted)
        for wanted in dict.fromkeys(families)
    ]
    for most in (3, 6, 20):
        found = clusters(domains, members, most)
        assert [cluster.members for cluster in found] == expected
    assert len(clusters(domains, members, 2)) == 2
    assert len(clusters(domains, members, 1)) == 1


def test_a_medoid_is_nearest_to_the_others() -> None:
    """By summing distances."""
    domains, policies, _ = _families(30)
    members = _members(policies)
    for cluster in clusters(domains, members):
        sums = {
            place: sum(_apart(domains, policies[place], policies[at]) for at in cluster.members)
            for place in cluster.members
        }
        assert sums[cluster.medoid] == pytest.approx(min(sums.values()))


@sparing
@given(_policies(), st.integers(1, 6))
def test_each_policy_is_in_exactly_one_cluster(
    drawn: tuple[OrderedDomains, list[Partition]], most: int
) -> None:
    """Of at most so many; its medoid is one of its own; and the same comes out again."""
    domains, policies = drawn
    members = _members(policies)
    found = clusters(domains, members, most)
    assert sorted(place for cluster in found for place in cluster.members) == list(
        range(len(policies))
    )
    assert 1 <= len(found) <= most
    assert all(cluster.medoid in cluster.members for cluster in found)
    assert all(a.members[0] < b.members[0] for a, b in pairwise(found))
    assert clusters(domains, members, most) == found


@sparing
@given(_policies(), st.data())
def test_the_silhouette_is_that_of_its_definition(
    drawn: tuple[OrderedDomains, list[Partition]], data: st.DataObject
) -> None:
    """Mean of (b - a) / max(a, b) over the policies."""
    domains, policies = drawn
    apart = distances(domains, policies)
    count = len(policies)
    raw = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    labels = np.array([list(dict.fromkeys(raw)).index(label) for label in raw])
    scores = []
    for place, label in enumerate(labels):
        by_label = {
            other: [apart[place, at] for at in range(count) if labels[at] == other and at != place]
            for other in set(labels.tolist())
        }
        own = by_label.pop(int(label))
        if not own or not by_label:
            scores.append(0.0)
            continue
        a, b = np.mean(own), min(np.mean(rest) for rest in by_label.values())
        scores.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    assert module._silhouette(apart, labels) == pytest.approx(np.mean(scores), abs=1e-9)


def test_policies_without_structure_are_one_cluster() -> None:
    """Equal ones, a pair, one, or each equally far from any other; no policies, no cluster."""
    domains, policies, _ = _families(6)
    assert clusters(domains, []) == ()
    assert len(clusters(domains, _members(policies[:1]))) == 1
    assert len(clusters(domains, _members(policies[:2]))) == 1
    assert len(clusters(domains, _members([policies[0]] * 9))) == 1
    even = OrderedDomains(tuple("abcde"), (2,) * 5)
    apart = [Partition(1 << place) for place in range(5)]
    assert len(clusters(even, _members(apart))) == 1


def test_many_policies_are_thinned_and_then_assigned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The families are the same as when all are compared, and the medoids compared ones."""
    domains, policies, _ = _families(120)
    members = _members(policies)
    compared = clusters(domains, members)
    monkeypatch.setattr(module, "_THINNED", 40)
    thinned = clusters(domains, members)
    assert [cluster.members for cluster in thinned] == [cluster.members for cluster in compared]
    chosen = set(np.linspace(0, 119, 40).round().astype(int).tolist())
    assert all(cluster.medoid in chosen for cluster in thinned)
