"""Looking around a policy: what its neighbors are, which are evaluated, and where it ends."""

from __future__ import annotations

from effort import unhurried
from hypothesis import assume, example, given
from lattices import Case, crowded, crowded_cases

from roadstead.policies.full_domain import FullDomain
from roadstead.search.evaluation import evaluate, start
from roadstead.search.polish import neighbors, polish
from roadstead.search.protocol import Candidate, preference


def test_neighbors_are_a_step_or_an_exchange_away() -> None:
    """Steps first; all within the space."""
    space = FullDomain(("a", "b"), (0, 0), (2, 1))
    assert list(neighbors(space, (1, 0))) == [(0, 0), (2, 0), (1, 1), (0, 1)]
    assert list(neighbors(space, (2, 0))) == [(1, 0), (2, 1), (1, 1), (0, 1)]


@unhurried
@given(crowded_cases())
@example(crowded(46))
def test_it_ends_where_no_neighbor_is_better_and_evaluates_none_that_cannot_be(case: Case) -> None:
    """From the most general policy, if that is admissible."""
    problem = case.problem()
    top = evaluate(problem, problem.space.top, start(problem))
    assume(top.candidate is not None)
    first = top.candidate
    assert first is not None
    best: Candidate = first
    steps = 0
    for found in polish(problem, top, best):
        steps += 1
        if found is not None:
            assert found.preference < best.preference
            assert found.levels in set(neighbors(problem.space, best.levels))
            best = found
    around = list(neighbors(problem.space, best.levels))
    for levels in around:
        other = evaluate(problem, levels, top).candidate
        assert other is None or other.preference >= best.preference
    refuted = [
        levels
        for levels in problem.space
        if preference(
            problem.quality.lower_bound(levels, problem.space.top, top.tally, top.kept), levels
        )
        >= first.preference
    ]
    assert steps <= problem.space.size - len(set(refuted) | {problem.space.top})
