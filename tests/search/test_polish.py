"""Looking around a policy: what its neighbors are, which are evaluated, and where it ends."""

from __future__ import annotations

from dataclasses import fields

from effort import unhurried
from hypothesis import assume, example, given
from lattices import Case, crowded, crowded_cases

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.evaluator import Evaluation
from roadstead.search.exact import Exact, neighbors, polish
from roadstead.search.protocol import Candidate, Control, preference


def test_neighbors_are_a_step_or_an_exchange_away() -> None:
    """Steps first; all within the space."""
    space = FullDomain(("a", "b"), (0, 0), (2, 1))
    assert list(neighbors(space, (1, 0))) == [(0, 0), (2, 0), (1, 1), (0, 1)]
    assert list(neighbors(space, (2, 0))) == [(1, 0), (2, 1), (1, 1), (0, 1)]


@unhurried
@given(crowded_cases())
@example(crowded(46))
def test_it_ends_where_no_neighbor_is_better(case: Case) -> None:
    """From the most general policy, if that is admissible."""
    problem = case.problem()
    top = evaluate(problem, problem.space.top, start(problem))
    assume(top.candidate is not None)
    first = top.candidate
    assert first is not None
    best: Candidate[Levels] = first
    for found in polish(problem, top, best):
        if found is not None:
            assert found.preference < best.preference
            assert found.policy in set(neighbors(problem.space, best.policy))
            best = found
    around = list(neighbors(problem.space, best.policy))
    for levels in around:
        other = evaluate(problem, levels, top).candidate
        assert other is None or other.preference >= best.preference


@unhurried
@given(crowded_cases())
@example(crowded(46))
def test_what_a_bound_rules_out_is_not_evaluated(case: Case) -> None:
    """From the optimum nothing is better, and few neighbors have to be looked at."""
    problem = case.problem()
    best = Exact().run(problem, Control()).best
    assume(best is not None)
    assert best is not None
    top = evaluate(problem, problem.space.top, start(problem))
    looked: list[Levels] = []

    class Watched(FullDomainProblem):
        def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
            looked.append(levels)
            return super().evaluate(levels, general, lower)

    own = {field.name: getattr(problem, field.name) for field in fields(problem)}
    assert set(polish(Watched(**own), top, best)) <= {None}
    around = set(neighbors(problem.space, best.policy))
    bound = problem.quality.lower_bound
    open_ones = {
        levels
        for levels in around
        if preference(bound(levels, problem.space.top, top.tally, top.kept), levels)
        < best.preference
    }
    assert sorted(looked) == sorted(open_ones)
