"""Neighborhoods of the best policy, against trying every policy in them."""

from __future__ import annotations

from math import inf

import numpy as np
from effort import sparing
from hypothesis import example, given, reject
from hypothesis import strategies as st
from lattices import Case, crowded, crowded_cases

from roadstead.policies.full_domain import FullDomain, is_below
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.neighborhoods import Neighborhoods, Surroundings
from roadstead.search.protocol import Candidate

PLENTY = 10**6


def anywhere(problem: FullDomainProblem, seed: int) -> Candidate[tuple[int, ...]]:
    """Draw an admissible policy."""
    found = [one for levels in problem.space if (one := problem.judge(levels)) is not None]
    if not found:
        reject()
    return found[int(np.random.default_rng(seed).integers(len(found)))]


@sparing
@given(crowded_cases(), st.integers(0, 99), st.integers(1, 30))
@example(crowded(46), 1, PLENTY)
@example(crowded(46), 2, 3)
def test_a_settled_neighborhood_holds_nothing_better(case: Case, seed: int, most: int) -> None:
    """Nor does one that is not settled give anything worse, or anything outside."""
    problem = case.problem()
    best = anywhere(problem, seed)
    chance = np.random.default_rng(seed)
    free = chance.random(4) < 0.6
    ends = zip(free, best.policy, problem.space.bottom, problem.space.top, strict=True)
    lower, top = zip(*[(a, b) if own else (at, at) for own, at, a, b in ends], strict=True)
    look = Surroundings(problem, best, lower, top, most).run()
    inside = FullDomain(problem.space.attributes, lower, top)
    known = [one for levels in inside if (one := problem.judge(levels)) is not None]
    truly = min([one.preference for one in known], default=(inf, 0, ()))
    assert look.best.policy in inside
    assert truly <= look.best.preference <= best.preference
    assert (look.first_met > 0) == (look.best is not best)
    if look.settled:
        assert look.best.preference == truly
    if most == PLENTY:
        assert look.settled


@sparing
@given(crowded_cases(), st.integers(0, 99))
def test_neighborhoods_hold_the_best_and_are_drawn_alike_every_time(case: Case, seed: int) -> None:
    """From a fixed seed: two searches draw the same."""
    problem = case.problem()
    best = anywhere(problem, seed)
    drawn = []
    for _ in range(2):
        around = Neighborhoods(problem, 20)
        looks = [around.draw(best) for _ in range(5)]
        drawn.append([(look.lower, look.top) for look in looks])
        for look in looks:
            assert is_below(look.lower, best.policy)
            assert is_below(best.policy, look.top)
            assert look.lower in problem.space
            assert look.top in problem.space
    assert drawn[0] == drawn[1]


def test_more_attributes_are_let_go_after_a_search_in_vain_and_fewer_after_one_cut_short() -> None:
    """A successful search keeps the size; failures in a row count."""
    problem = crowded(46).problem()
    best = anywhere(problem, 0)
    around = Neighborhoods(problem, 20, _size=9000.0)
    look = around.draw(best)
    look.settled = True
    around.learn(look)
    assert (around._size, around.failures) == (13500.0, 1)
    look.settled = False
    around.learn(look)
    assert (around._size, around.failures) == (9000.0, 2)
    look.settled, look.first_met = True, 3
    around.learn(look)
    assert (around._size, around.failures) == (9000.0, 0)
