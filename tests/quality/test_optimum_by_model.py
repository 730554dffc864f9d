"""Exact search finds the best policy of every quality model, under known and unknown privacy."""

from __future__ import annotations

from dataclasses import replace

import definition
import numpy as np
import pytest
from diving import diving
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lattices import Admits, Attribute, Case, cases, crowded_cases
from measures import MEASURES, problem, tried
from toy_models import Balanced, Histogram, balanced, histograms

from roadstead.policies.full_domain import Levels
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.models.payout import Payout
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Candidate, Control

# The known smallest class is k, which only k-anonymity promises.
UNDER_ANY_PRIVACY = tried("class-size of k")


def enumerated(known: FullDomainProblem) -> Candidate[Levels] | None:
    """The best candidate of all policies, each evaluated afresh."""
    found = [evaluate(known, levels, start(known)).candidate for levels in known.space]
    return min((one for one in found if one), key=lambda one: one.preference, default=None)


def check(
    case: Case,
    name: str,
    histogram: Histogram,
    privacy: BoundPrivacy | None = None,
    admits: Admits | None = None,
) -> None:
    """The same policy as by enumeration, which loses what the definition's best does."""
    known = problem(case, name, histogram, privacy)
    outcome = Exact().run(known, Control())
    again = Exact().run(known, Control())
    assert outcome.proven
    assert outcome.best == enumerated(known)
    assert (again.best, again.evaluated) == (outcome.best, outcome.evaluated)
    rule = admits or definition.large_enough(case)
    judged = [definition.judge(case, levels, rule) for levels in definition.policies(case)]
    losses = [
        MEASURES[name].loss(case, one, histogram) for one in judged if one.suppressed <= case.limit
    ]
    if outcome.best is None:
        assert not losses
    else:
        off = max(MEASURES[name].off, 1e-12)
        assert outcome.best.loss == pytest.approx(min(losses), rel=0, abs=off)


@pytest.mark.parametrize("name", tried())
@examples(12)
@given(cases(most_attributes=3), st.data())
def test_the_optimum_under_k_anonymity_is_that_of_enumeration(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Twice with the same number of evaluations, whatever the first search left behind."""
    check(case, name, data.draw(histograms(case), label="histogram"))


@pytest.mark.parametrize("name", UNDER_ANY_PRIVACY)
@examples(12)
@given(cases(most_attributes=3), st.data())
def test_the_optimum_under_a_model_that_is_not_monotone_is_that_of_enumeration(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Records that its monotone part keeps need not be released."""
    histogram = data.draw(histograms(case), label="histogram")
    sensitive = data.draw(histograms(case), label="sensitive")
    check(case, name, histogram, Balanced(sensitive), balanced(sensitive))


@pytest.mark.parametrize("name", tried())
@examples(10)
@given(crowded_cases())
def test_two_dives_side_by_side_count_the_same_every_time(name: str, case: Case) -> None:
    """Larger lattices: the optimum, and as many evaluations in a second search."""
    histogram = np.array(
        [(n // 2, n - n // 2) if at % 3 else (n, 0) for at, n in enumerate(case.counts)]
    )
    with diving(2):
        known = problem(case, name, histogram)
        outcome, again = Exact().run(known, Control()), Exact().run(known, Control())
    assert outcome.best == enumerated(known)
    assert (again.best, again.evaluated) == (outcome.best, outcome.evaluated)


def test_of_equal_payouts_the_less_general_policy_wins() -> None:
    """Six equal records cost 3 / 6 of 7 at every level, a fraction without a finite decimal."""
    attribute = Attribute("a", ("p",), (("p",), ("P",), ("*",)), (1,))
    case = Case((attribute,), (("p",),), (6,), 5, 0, "arithmetic", None, (0,), (2,))
    plain = case.problem()
    known = replace(plain, quality=Payout(7.0, 3.0, 3.0, 0.3).bind(plain.encoding))
    best = Exact().run(known, Control()).best
    assert best is not None
    assert best.policy == (0,)
    assert best.loss == pytest.approx(1 / 14, rel=0, abs=1e-10)
