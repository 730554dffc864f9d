"""All searches through single policies against the enumeration of every policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TypeAlias

import definition
import pytest
from definition import Judged
from effort import sparing, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from lattices import Admits, Attribute, Case, cases, crowded, crowded_cases
from toy_models import Balanced, DistinctValues, EvenClasses, balanced, distinct, even, histograms

from roadstead.policies.classes import Classes
from roadstead.policies.full_domain import Levels, is_below
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.models.payout import Payout
from roadstead.search.evaluation import FullDomainProblem, judge
from roadstead.search.evaluator import Evaluation
from roadstead.search.protocol import Control, Outcome, Progress
from roadstead.search.registry import LevelSearch
from roadstead_reproductions.searches import ledger
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.heuristics import datafly, genetic, igreedy
from roadstead_reproductions.searches.lattice_based import lattice_based
from roadstead_reproductions.searches.ledger import Ledger
from roadstead_reproductions.searches.minimal import incognito, ola

PROVING: tuple[LevelSearch, ...] = (best_first(), flash(), lattice_based())
MINIMAL: tuple[LevelSearch, ...] = (ola(), incognito())
HEURISTIC: tuple[LevelSearch, ...] = (igreedy(), datafly(), genetic())
ALL = (*PROVING, *MINIMAL, *HEURISTIC)
OF_ANY_SIZE: tuple[LevelSearch, ...] = (
    best_first(),
    lattice_based(),
    igreedy(),
    datafly(),
    genetic(),
)

Model: TypeAlias = tuple[BoundPrivacy | None, Admits | None]


def each(searches: tuple[LevelSearch, ...]) -> pytest.MarkDecorator:
    """Run a test with each of some searches."""
    return pytest.mark.parametrize("search", searches, ids=lambda search: search.name)


def after(calls: int) -> Callable[[], bool]:
    """Say no so many times, then yes."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


def models(data: st.DataObject, case: Case) -> Model:
    """Draw k-anonymity or one of the models the engine does not know, with its condition."""
    histogram = data.draw(histograms(case), label="histogram")
    known: list[Model] = [
        (None, None),
        (EvenClasses(), even(case)),
        (DistinctValues(2, histogram), distinct(2, histogram)),
        (DistinctValues(3, histogram), distinct(3, histogram)),
        (Balanced(histogram), balanced(histogram)),
    ]
    return data.draw(st.sampled_from(known), label="model")


def check_optimal(case: Case, outcome: Outcome[Levels], expected: Judged | None) -> None:
    """The same policy with the same figures, proven, or none, proven too."""
    assert outcome.ending == "complete"
    assert outcome.proven
    assert outcome.evaluated + outcome.pruned == len(list(definition.policies(case)))
    assert outcome.evaluated >= 1
    assert outcome.pruned >= 0
    if expected is None:
        assert outcome.best is None
        assert outcome.lower_bound == inf
        assert outcome.first_met == 0
        return
    assert outcome.best is not None
    assert outcome.best.policy == expected.levels
    assert outcome.best.suppressed == expected.suppressed
    assert outcome.best.loss == pytest.approx(expected.loss, rel=0, abs=1e-12)
    assert outcome.lower_bound == outcome.best.loss
    assert 1 <= outcome.first_met <= outcome.evaluated


def check_honest(
    case: Case, outcome: Outcome[Levels], expected: Judged | None, admits: Admits | None = None
) -> None:
    """The returned policy is admissible, the bound is correct, and only the optimum is proven."""
    if outcome.proven:
        check_optimal(case, outcome, expected)
        return
    optimum = inf if expected is None else expected.loss
    assert outcome.lower_bound <= optimum + 1e-12
    assert outcome.pruned == 0
    if outcome.best is None:
        assert outcome.first_met == 0
        return
    assert outcome.lower_bound <= outcome.best.loss
    assert 1 <= outcome.first_met <= outcome.evaluated
    judged = definition.judge(case, outcome.best.policy, admits or definition.large_enough(case))
    assert judged.suppressed == outcome.best.suppressed <= case.limit
    assert outcome.best.loss == pytest.approx(judged.loss, rel=0, abs=1e-12)
    assert outcome.best.loss >= optimum - 1e-12


@unhurried
@given(cases(), st.data())
def test_the_optimum_is_that_of_enumeration_under_every_model(
    case: Case, data: st.DataObject
) -> None:
    """Monotone or not, by sizes or by another column; both means, ties, inner ranges of levels."""
    model, admits = models(data, case)
    problem = case.problem(model)
    expected = definition.best(case, admits)
    for search in PROVING:
        assert search.refusal(problem) is None
        check_optimal(case, search.run(problem, Control()), expected)


@sparing
@given(crowded_cases())
@example(crowded(850))  # two policies lose 7/12 and differ only by rounding
def test_the_optimum_is_that_of_enumeration_on_larger_lattices(case: Case) -> None:
    """Four attributes of three or four levels each."""
    problem, expected = case.problem(), definition.best(case)
    for search in PROVING:
        check_optimal(case, search.run(problem, Control()), expected)


@sparing
@given(cases(), st.data())
def test_when_nothing_may_be_suppressed_the_best_minimal_policy_is_proven(
    case: Case, data: st.DataObject
) -> None:
    """Then losses do not fall upwards; a model that merges is enough, monotone or not."""
    strict = replace(case, limit=0)
    model, admits = models(data, strict)
    problem = strict.problem(model)
    expected = definition.best(strict, admits)
    for search in MINIMAL:
        assert search.refusal(problem) is None
        check_optimal(strict, search.run(problem, Control()), expected)


@sparing
@given(cases() | crowded_cases())
def test_no_minimal_admissible_policy_is_better_than_what_is_returned(case: Case) -> None:
    """Nor is the bound above the optimum."""
    rule = definition.large_enough(case)
    judged = [definition.judge(case, levels, rule) for levels in definition.policies(case)]
    admissible = [one for one in judged if one.suppressed <= case.limit]
    minimal = [
        one
        for one in admissible
        if not any(o.levels != one.levels and is_below(o.levels, one.levels) for o in admissible)
    ]
    for search in MINIMAL:
        outcome = search.run(case.problem(), Control())
        check_honest(case, outcome, definition.best(case))
        assert (outcome.best is None) == (not admissible)
        if outcome.best is not None:
            assert all(outcome.best.loss <= one.loss + 1e-12 for one in minimal)


@sparing
@given(cases(), st.data())
def test_a_heuristic_returns_an_admissible_policy_and_claims_no_more(
    case: Case, data: st.DataObject
) -> None:
    """Under every model; under k-anonymity it finds a policy whenever there is one."""
    model, admits = models(data, case)
    problem = case.problem(model)
    expected = definition.best(case, admits)
    for search in HEURISTIC:
        outcome = search.run(problem, Control())
        assert outcome.ending == "complete"
        check_honest(case, outcome, expected, admits)
        if model is None:
            assert (outcome.best is None) == (expected is None)
            assert outcome.best is not None or outcome.proven


@sparing
@given(cases() | crowded_cases(), st.integers(0, 60))
def test_stopped_at_any_look_the_optimum_lies_between_bound_and_best(
    case: Case, calls: int
) -> None:
    """The first look is granted; the search without a stop goes at least as far."""
    problem, expected = case.problem(), definition.best(case)
    for search in ALL:
        outcome = search.run(problem, Control(stopped=after(calls)))
        check_honest(case, outcome, expected)
        assert 1 <= outcome.evaluated <= calls + 1
        if outcome.ending == "complete":
            whole = search.run(problem, Control())
            assert replace(outcome, seconds=0.0) == replace(whole, seconds=0.0)
        else:
            assert outcome.ending == "interrupted"
            assert not outcome.proven


@sparing
@given(cases())
def test_no_policy_is_looked_at_twice_and_each_look_is_counted(case: Case) -> None:
    """All of them are in the space; the whole run is the same each time."""
    problem = case.problem()
    looked_at: list[Levels] = []

    def watched(
        problem: FullDomainProblem, levels: Levels, classes: Classes, tally: object
    ) -> Evaluation:
        looked_at.append(levels)
        return judge(problem, levels, classes, tally)

    for search in ALL:
        looked_at.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ledger, "judge", watched)
            outcome = search.run(problem, Control())
        assert len(set(looked_at)) == len(looked_at) == outcome.evaluated
        assert all(levels in problem.space for levels in looked_at)
        if outcome.best is not None:
            assert looked_at[outcome.first_met - 1] == outcome.best.policy


@each(ALL)
def test_progress_is_told_and_its_bound_holds(search: LevelSearch) -> None:
    """A best so far is never better than the last, and the run is the same each time."""
    case = crowded(46)
    expected = definition.best(case)
    assert expected is not None
    told: list[Progress] = []
    outcome = search.run(case.problem(), Control(report=told.append, interval=0.0))
    assert outcome.best is not None
    assert told
    assert [progress.evaluated for progress in told] == sorted(p.evaluated for p in told)
    for progress in told:
        assert progress.lower_bound <= expected.loss + 1e-12
        assert progress.open >= 0
        if progress.best is not None:
            assert progress.best.loss >= outcome.best.loss
    again = search.run(case.problem(), Control())
    assert replace(again, seconds=0.0) == replace(outcome, seconds=0.0)


@sparing
@given(cases(), st.data())
def test_the_two_properties_that_prune_pass_on_under_every_model(
    case: Case, data: st.DataObject
) -> None:
    """A floor bounds all above it, and below too much suppressed nothing is admissible."""
    model, _ = models(data, case)
    problem = case.problem(model)
    books = Ledger(problem, Control())
    looks = [books.appraise(levels) for levels in problem.space]
    for loss, low in looks:
        assert low.candidate is None or loss == low.candidate.loss
        for other, high in looks:
            if is_below(low.levels, high.levels):
                assert low.floor <= high.floor + 1e-12
                assert low.floor <= other + 1e-12
                assert low.suppressed >= high.suppressed
                if books.hopeless(high):
                    assert low.candidate is None


TWINS = tuple(
    Attribute(name, ("u", "v"), (("u", "v"), ("*", "*")), (1, 1)) for name in ("a", "b", "c")
)


def pairs(limit: int) -> Case:
    """Ten records of one kind, and six kinds of two records that differ in the last attribute."""
    rows = {
        ("u", "u", "u"): 10,
        ("u", "v", "u"): 2,
        ("u", "v", "v"): 2,
        ("v", "u", "u"): 2,
        ("v", "u", "v"): 2,
        ("v", "v", "u"): 2,
        ("v", "v", "v"): 2,
    }
    return Case(
        attributes=TWINS,
        rows=tuple(sorted(rows)),
        counts=tuple(rows[row] for row in sorted(rows)),
        k=3,
        limit=limit,
        aggregate="arithmetic",
        weights=None,
        bottom=(0, 0, 0),
        top=(1, 1, 1),
    )


def test_admissible_does_not_mean_that_nothing_above_is_better() -> None:
    """Why that prunes nothing: twelve records suppressed lose more than a column removed."""
    books = Ledger(pairs(12).problem(), Control())
    (loss, bottom), (less, above) = books.appraise((0, 0, 0)), books.appraise((0, 0, 1))
    assert bottom.candidate is not None
    assert loss == pytest.approx(12 / 22)
    assert less == pytest.approx(1 / 3)
    assert bottom.floor == 0.0
    assert not books.insufficient(bottom)
    assert (bottom.smallest, above.smallest) == (2, 4)


@each(MINIMAL)
def test_where_suppression_is_allowed_the_best_minimal_policy_is_not_taken_for_proven(
    search: LevelSearch,
) -> None:
    """The bottom is the only minimal policy here, and its floor leaves room."""
    outcome = search.run(pairs(12).problem(), Control())
    assert outcome.best is not None
    assert not outcome.proven
    assert outcome.lower_bound == 0.0
    assert not outcome.optimal


@each(MINIMAL)
def test_a_model_under_which_admissibility_does_not_pass_up_is_refused(search: LevelSearch) -> None:
    """In one sentence that says why."""
    refusal = search.refusal(pairs(12).problem(EvenClasses()))
    assert refusal is not None
    assert "a finer policy meets them" in refusal
    assert refusal.endswith("when records may be suppressed")
    assert search.refusal(pairs(0).problem(EvenClasses())) is None
    refusal = search.refusal(pairs(0).problem(EvenClasses(merges=False)))
    assert refusal is not None
    assert refusal.endswith("does not guarantee this")


def vast() -> Case:
    """Forty attributes of three levels: 12 billion billion policies."""
    attributes = tuple(
        Attribute(
            f"a{i:02}",
            ("u", "v", "w"),
            (("u", "v", "w"), ("x", "x", "w"), ("*", "*", "*")),
            (1, 1, 1),
        )
        for i in range(40)
    )
    rows = tuple(sorted(tuple("uvw"[(i * j + j) % 3] for i in range(40)) for j in range(1, 4)))
    return Case(
        attributes=attributes,
        rows=rows,
        counts=(3, 4, 5),
        k=6,
        limit=0,
        aggregate="geometric",
        weights=None,
        bottom=(0,) * 40,
        top=(2,) * 40,
    )


@each(OF_ANY_SIZE)
def test_a_lattice_of_any_size_is_begun_at_once(search: LevelSearch) -> None:
    """And stopped with a valid bound."""
    problem = vast().problem()
    assert search.refusal(problem) is None
    outcome = search.run(problem, Control(stopped=after(300)))
    assert 1 <= outcome.evaluated <= 301
    assert 0.0 <= outcome.lower_bound <= 1.0


@each((flash(), ola(), incognito()))
def test_a_lattice_too_large_to_be_marked_is_refused(search: LevelSearch) -> None:
    """Before anything is allocated."""
    refusal = search.refusal(vast().problem())
    assert refusal is not None
    assert "4,194,304" in refusal


def test_another_seed_is_another_search() -> None:
    """And the same seed the same."""
    problem = vast().problem()

    def evaluated(seed: int) -> list[Levels | None]:
        runs = (genetic(seed=seed).run(problem, Control(stopped=after(n))) for n in (60, 200))
        return [run.best.policy if run.best else None for run in runs]

    assert evaluated(1) == evaluated(1)
    assert evaluated(1) != evaluated(2)


def test_names_are_those_of_the_command_line() -> None:
    """And each says what it promises."""
    names = "best-first flash lattice-based ola incognito igreedy datafly genetic"
    assert [search.name for search in ALL] == names.split()
    assert all(search.guarantee for search in ALL)


@each(PROVING)
@unhurried
@given(cases(), st.sampled_from([Payout(1.0, 3.0, 3.0, 1.0), Payout(5.0, 40.0, 7.0, 1.5)]))
@example(
    Case(
        (Attribute("a", tuple("abcd"), (tuple("abcd"), tuple("eeff"), ("*",) * 4), (1,) * 4),),
        tuple((value,) for value in "abcd"),
        (2,) * 4,
        2,
        0,
        "arithmetic",
        None,
        (0,),
        (2,),
    ),
    Payout(1.0, 3.0, 3.0, 1.0),
)
def test_what_larger_classes_bring_is_not_ruled_out(
    search: LevelSearch, case: Case, model: Payout
) -> None:
    """Attacks pay on small classes, and classes above them may bring more."""
    problem = case.problem()
    problem = replace(problem, quality=model.bind(problem.encoding))
    judged = [one for policy in problem.policies() if (one := problem.judge(policy)) is not None]
    best = min(judged, key=lambda one: one.preference, default=None)
    outcome = search.run(problem, Control())
    assert outcome.proven
    assert (outcome.best and outcome.best.preference) == (best and best.preference)
