"""Every search with every privacy model and every quality model: the optimum, or a refusal.

Models are judged by their definitions elsewhere; here all policies are evaluated one by one, and
the best of them is what each search must return if it claims a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from math import inf

import pytest
from asked_models import asked
from diving import diving, short_of_memory, taking_turns
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, crowded_cases
from measures import problem, tried_with_all
from toy_models import histograms

from roadstead.policies.full_domain import Levels
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Candidate, Control
from roadstead.search.registry import LevelSearch
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.lattice_based import lattice_based
from roadstead_reproductions.searches.minimal import incognito, ola

SEARCHES: tuple[LevelSearch, ...] = (
    Exact(),
    best_first(),
    flash(),
    lattice_based(),
    ola(),
    incognito(),
)


def enumerated(known: FullDomainProblem) -> Candidate[Levels] | None:
    """The best candidate of all policies, each evaluated afresh."""
    found = [evaluate(known, levels, start(known)).candidate for levels in known.space]
    return min((one for one in found if one), key=lambda one: one.preference, default=None)


def drawn(case: Case, measure: str, data: st.DataObject) -> FullDomainProblem:
    """Request one or two models of a case, alone or with k-anonymity."""
    histogram = data.draw(histograms(case), label="histogram")
    wanted = data.draw(st.lists(asked(), min_size=1, max_size=2), label="models")
    limit = data.draw(st.sampled_from([0, case.limit]), label="limit")
    alone = data.draw(st.booleans(), label="without k-anonymity")
    own = [] if alone else [KAnonymity(case.k)]
    models: list[PrivacyModel] = [*own, *(model_from(one, where="test") for one in wanted)]
    plain = problem(case, measure, histogram)
    return replace(plain, privacy=bind_all(models, plain.encoding.table), limit=limit)


@pytest.mark.quick(7)
@pytest.mark.parametrize("measure", tried_with_all("class-size of k"))
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
@examples(20)
@given(cases(most_attributes=3), st.data())
def test_a_proof_is_of_the_optimum_whatever_is_asked_for(
    search: LevelSearch, measure: str, case: Case, data: st.DataObject
) -> None:
    """With one or two models, alone or with k-anonymity; a heuristic answer is never better."""
    known = drawn(case, measure, data)
    best = enumerated(known)
    if search.refusal(known) is not None:
        assert search.name in {"ola", "incognito"}
        return
    outcome = search.run(known, Control())
    if outcome.proven:
        assert outcome.best == best
    else:
        assert search.name in {"ola", "incognito"}
        assert best is None or outcome.lower_bound <= best.loss
        assert outcome.best is None or best is not None
        if outcome.best is not None and best is not None:
            assert outcome.best.preference >= best.preference


ROUNDED = 1e-12
WAYS: Mapping[str, Sequence[Callable[[], AbstractContextManager[None]]]] = {
    "one dive": [],
    "two dives": [partial(diving, 2)],
    "turns": [taking_turns, partial(diving, 2)],
    "without memory": [short_of_memory],
    "turns without memory": [taking_turns, partial(diving, 1), short_of_memory],
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("measure", tried_with_all("class-size of k"))
@examples(20)
@given(cases(most_attributes=3) | crowded_cases(), st.sampled_from(list(WAYS)), st.data())
def test_stopped_anywhere_no_bound_is_above_the_optimum_whatever_is_asked_for(
    measure: str, case: Case, way: str, data: st.DataObject
) -> None:
    """On every way that exact search takes on large problems; and at its end it is the optimum."""
    known = drawn(case, measure, data)
    best = enumerated(known)
    optimum = inf if best is None else best.loss
    with ExitStack() as stack:
        for one in WAYS[way]:
            stack.enter_context(one())
        whole = Exact().run(known, Control())
        assert whole.proven
        assert whole.best == best
        for budget in range(1, whole.evaluated, max(whole.evaluated // 3, 1)):
            outcome = Exact().run(known, Control(budget=budget))
            assert outcome.lower_bound <= optimum + ROUNDED
            assert outcome.best is None or outcome.best.loss >= optimum - ROUNDED
            assert outcome.gap <= 1.0
