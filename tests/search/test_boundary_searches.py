from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from math import ceil, log2

import numpy as np
import pytest
from effort import sparing, thorough, unhurried
from frontier_cells import classes_by_definition, every_policy, risk_by_definition, tiny_cells
from frontier_cells import worked_cells as worked
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition, is_below
from roadstead.search.frontiers.boundary import (
    Bisecting,
    BoundaryOutcome,
    BoundaryProblem,
    BoundarySearch,
    Directed,
    RiskBelow,
    bisect,
    diverse,
    even,
    halfway,
)
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control

SEARCHES: list[BoundarySearch] = [
    Directed(seed=1),
    Directed(seed=2),
    Bisecting(seed=1),
    Bisecting(seed=2, weighing=even),
]


@dataclass(frozen=True)
class MoreGeneral:
    """A made-up rule: acceptable is what is more general than one of these policies."""

    domains: OrderedDomains
    edges: tuple[int, ...]

    def __call__(self, policy: Partition) -> bool:
        """Whether it is."""
        return any(policy.kept & ~edge == 0 for edge in self.edges)

    @property
    def problem(self) -> BoundaryProblem:
        """The same for a search."""
        return BoundaryProblem(self.domains, self)


@st.composite
def rules(draw: st.DrawFn) -> MoreGeneral:
    """Draw up to six of up to ten boundaries; no edge accepts nothing, the bottom everything."""
    sizes = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=2)))
    domains = OrderedDomains(("a", "b")[: len(sizes)], sizes)
    edge = st.integers(0, (1 << domains.boundaries) - 1)
    return MoreGeneral(domains, tuple(draw(st.lists(edge, max_size=6))))


def boundary_policies(problem: BoundaryProblem) -> set[Partition]:
    """Give the acceptable policies with an unacceptable child, or the bottom; by the definition."""
    found = set()
    for policy in every_policy(problem.domains):
        children = (
            Partition(policy.kept | 1 << boundary)
            for boundary in range(problem.domains.boundaries)
            if boundary not in policy
        )
        bottom = policy == problem.domains.most_specific
        if problem.accepts(policy) and (bottom or not all(map(problem.accepts, children))):
            found.add(policy)
    return found


def non_dominated(policies: list[Partition]) -> set[Partition]:
    """Those that are not more general than another one."""
    return {
        one
        for one in policies
        if not any(other != one and is_below(other, one) for other in policies)
    }


def check(problem: BoundaryProblem, search: BoundarySearch, iterations: int) -> BoundaryOutcome:
    """Compare all reports of a search with the definitions."""
    asked: list[Partition] = []

    def accepts(policy: Partition) -> bool:
        asked.append(policy)
        return problem.accepts(policy)

    outcome = search.run(BoundaryProblem(problem.domains, accepts), Control(iterations=iterations))
    policies = [one.policy for one in outcome.found]
    assert set(policies) <= boundary_policies(problem)
    assert len(asked) == len(set(asked)) == outcome.evaluated
    assert all(one.evaluated <= one.searched for one in outcome.found)
    for number, one in enumerate(outcome.found):
        assert one.non_dominated == len(non_dominated(policies[: number + 1]))
    assert set(outcome.non_dominated) == non_dominated(policies)
    assert len(outcome.non_dominated) == len(set(outcome.non_dominated))
    if not problem.accepts(problem.domains.most_general):
        assert (outcome.ending, policies, outcome.evaluated) == ("complete", [], 1)
    elif problem.accepts(problem.domains.most_specific):
        assert (outcome.ending, policies) == ("complete", [problem.domains.most_specific])
        assert outcome.searched == 0
    else:
        assert outcome.ending == "iterations"
        assert len(policies) == iterations
        assert outcome.ends_evaluated == 2
    return outcome


@thorough
@given(rules(), st.sampled_from(SEARCHES))
def test_what_is_found_is_acceptable_and_something_directly_below_is_not(
    rule: MoreGeneral, search: BoundarySearch
) -> None:
    """Under any rule that is monotone; counts and non-dominated policies by the definition."""
    outcome = check(rule.problem, search, iterations=12)
    if isinstance(search, Bisecting):
        most = ceil(log2(max(rule.domains.boundaries, 1)))
        assert all(one.searched <= most for one in outcome.found)
    else:
        assert all(one.searched <= rule.domains.boundaries + 1 for one in outcome.found)


@sparing
@given(tiny_cells(boundaries=6), st.floats(0.0, 1.2), st.sampled_from(SEARCHES))
def test_policies_at_a_threshold_of_risk_are_found(
    cells: Cells, share: float, search: BoundarySearch
) -> None:
    """The threshold is in the measure's units."""
    threshold = share * risk_by_definition(cells, cells.domains.most_specific)
    rule = RiskBelow(FrontierProblem(cells), threshold)
    known = {policy: rule(policy) for policy in every_policy(cells.domains)}
    for policy, accepted in known.items():
        risk = risk_by_definition(cells, policy)
        assert accepted == (risk <= threshold) or risk == pytest.approx(threshold)
    check(BoundaryProblem(cells.domains, known.__getitem__), search, iterations=5)


@unhurried
@given(tiny_cells(boundaries=6), st.integers(1, 6), st.sampled_from(SEARCHES))
def test_other_monotone_rules_do_as_well(cells: Cells, k: int, search: BoundarySearch) -> None:
    """Here k-anonymity without suppression."""

    def accepts(policy: Partition) -> bool:
        return all(records >= k for records, _, _ in classes_by_definition(cells, policy))

    check(BoundaryProblem(cells.domains, accepts), search, iterations=4)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_risk_that_equals_the_threshold_is_acceptable(search: BoundarySearch) -> None:
    """At the risk of 010|1, the worked 1.214286.

    It and 100|1 (1.205556), 001|1 (1.029915) and 111|0 (1.125) are then all that is not dominated.
    """
    problem = FrontierProblem(worked())
    rule = RiskBelow(problem, RiskBelow(problem, 0.0).risk(Partition(0b1010)))
    assert rule.threshold == pytest.approx(1.214286, abs=5e-7)
    outcome = check(BoundaryProblem(problem.domains, rule), search, iterations=60)
    assert {one.kept for one in outcome.non_dominated} == {0b1010, 0b1001, 0b1100, 0b0111}


def of(bits: str) -> Partition:
    """Partition of five boundaries, written as in the paper."""
    return OrderedDomains(("a",), (6,)).of_bits([int(bit) for bit in bits])


def test_an_iteration_of_bisecting_goes_as_in_the_paper() -> None:
    """Table 1: 10010 is acceptable, 10110 is not, 10010 is reported."""
    script = iter([("00000", "11111", "10010"), ("10010", "11111", "10110")])

    def middle(general: Partition, specific: Partition) -> Partition:
        upper, lower, current = next(script)
        assert (general, specific) == (of(upper), of(lower))
        return of(current)

    iteration = bisect(OrderedDomains(("a",), (6,)), middle)
    assert next(iteration) == of("10010")
    assert iteration.send(True) == of("10110")
    with pytest.raises(StopIteration) as done:
        iteration.send(False)
    assert done.value.value == of("10010")
    assert not list(script)


@thorough
@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 9))
def test_halfway_lies_between_and_removes_half(general: int, more: int, seed: int) -> None:
    """Of five boundaries three and of three two, the sizes of the paper's table 1."""
    domains = OrderedDomains(("a", "b"), (7, 3))
    specific = general | more
    found = halfway(
        Partition(general), Partition(specific), np.ones(8), domains, np.random.default_rng(seed)
    )
    assert general & ~found.kept == 0
    assert found.kept & ~specific == 0
    assert (specific & ~found.kept).bit_count() == ceil((specific & ~general).bit_count() / 2)


def test_boundaries_are_drawn_one_by_one_by_their_shares_of_the_weights() -> None:
    """Two of three with weights 1, 2, 3: the last two in 2/6 * 3/4 + 3/6 * 2/3 of the draws."""
    domains, random = OrderedDomains(("a",), (4,)), np.random.default_rng(0)
    ends, weights = (domains.most_general, domains.most_specific), np.array([1.0, 2.0, 3.0])
    found = Counter(halfway(*ends, weights, domains, random).kept for _ in range(6_000))
    assert found[0b001] == pytest.approx(6_000 * (1 / 4 + 1 / 3), abs=150)
    assert found[0b010] == pytest.approx(6_000 * (1 / 6 * 3 / 5 + 3 / 6 * 1 / 3), abs=130)
    assert sum(found[one] for one in (0b001, 0b010, 0b100)) == 6_000


def test_small_domains_and_boundaries_often_removed_weigh_less() -> None:
    """The weights are sums of two shares."""
    domains = OrderedDomains(("age", "sex", "none"), (4, 2, 1))
    assert diverse(domains, np.zeros(4)).tolist() == [1.0, 1.0, 1.0, 0.5]
    assert diverse(domains, np.ones(4)).tolist() == [2.0, 2.0, 2.0, 1.5]
    assert diverse(domains, np.array([0.0, 0.25, 1.0, 0.0])).tolist() == [1.0, 1.25, 2.0, 0.5]
    assert even(domains, np.array([0.0, 0.25, 1.0, 0.0])).tolist() == [1.0, 1.0, 1.0, 1.0]


def few(policy: Partition) -> bool:
    """Accept policies that keep at most 60 boundaries."""
    return policy.rank <= 60


def removals(search: Bisecting) -> tuple[float, float]:
    """Share of the solutions that lack the boundary of sex, and how unevenly others are removed."""
    domains = OrderedDomains(("age", "sex"), (121, 2))
    outcome = search.run(BoundaryProblem(domains, few), Control(iterations=200))
    kept = np.array([domains.bits(one.policy) for one in outcome.found])
    assert (kept.sum(axis=1) == 60).all()
    return 1.0 - float(kept[:, -1].mean()), float(kept[:, :-1].mean(axis=0).std())


def test_the_weights_keep_small_domains_and_spread_the_removals() -> None:
    """Against even chances as the control, which remove every boundary half the time."""
    lacking, spread = removals(Bisecting(seed=0))
    lacking_evenly, spread_evenly = removals(Bisecting(seed=0, weighing=even))
    assert lacking < 0.9 * lacking_evenly
    assert spread < 0.9 * spread_evenly


def test_every_boundary_policy_can_be_found() -> None:
    """By either search, with even chances, in a small lattice."""
    rule = MoreGeneral(OrderedDomains(("a", "b"), (4, 2)), (0b0011, 0b1100, 0b1001))
    everything = boundary_policies(rule.problem)
    steering = Control(iterations=300)
    directed = Directed().run(rule.problem, steering)
    assert {one.policy for one in directed.found} == everything
    bisected = Bisecting(weighing=even).run(rule.problem, steering)
    assert set(bisected.non_dominated) == non_dominated(list(everything))


@pytest.mark.parametrize("make", [Directed, Bisecting])
def test_a_seed_repeats_a_run_and_another_does_not(
    make: type[Directed | Bisecting],
) -> None:
    """Chance comes from the seed alone."""
    problem = BoundaryProblem(OrderedDomains(("age", "sex"), (121, 2)), few)
    runs = [make(seed).run(problem, Control(iterations=5)) for seed in (3, 3, 4)]
    found = [[one.policy for one in run.found] for run in runs]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("patience", [0, 1, 5, 40])
def test_it_stops_when_told_to_with_what_it_has(search: BoundarySearch, patience: int) -> None:
    """Also within an iteration, whose questions are then in vain."""
    problem = BoundaryProblem(OrderedDomains(("age", "sex"), (121, 2)), few)
    control = Control(stopped=partial(next, repeat(False, patience), True))
    outcome = search.run(problem, control)
    assert outcome.ending == "interrupted"
    assert len(outcome.found) < 100
    assert outcome.searched <= patience
    late = search.run(problem, Control(time_limit=0.0))
    assert (late.ending, late.found, late.evaluated) == ("time limit", (), 2)


def test_no_boundary_policy_at_all_cannot_be_asked_for() -> None:
    """One or more."""
    with pytest.raises(SettingError, match="0 boundary policies"):
        Control(iterations=0)
