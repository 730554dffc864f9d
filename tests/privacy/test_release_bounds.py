"""Bounds on release and loss of lower policies, compared with all policies of random intervals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from asked_models import asked
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Attribute, Case, cases, chains, crowded_cases
from measures import MEASURES, problem
from peopled import bounds, model_of, peopled
from toy_models import Histogram, histograms

from roadstead.policies.classes import Classes, classes_at, keep
from roadstead.policies.full_domain import Levels
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.delta_presence import DeltaPresence
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.releasable import Releasable
from roadstead.privacy.settings import model_from
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.protocol import SurelyLost
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control

CLOSE = 1e-9
LARGER = ["loss", "discernibility", "class-size", "entropy", "divergence", "ambiguity", "payout"]
RISKS = st.sampled_from([0.04, 0.1, 0.2, 0.4])
LOSSES = ["loss", *(name for name in MEASURES if name != "class-size of k")]


def made(case: Case, measure: str, histogram: Histogram) -> FullDomainProblem:
    """Make the problem of a case under a quality model, with a target column."""
    if measure == "loss":
        return replace(problem(case, "precision", histogram), quality=case.problem().quality)
    return problem(case, measure, histogram)


@st.composite
def problems(draw: st.DrawFn, measures: list[str]) -> tuple[FullDomainProblem, Levels, Levels]:
    """Problems under one model or two, alone or with k-anonymity, and the ends of an interval."""
    case: Case = draw(cases(most_attributes=3))
    plain = made(case, draw(st.sampled_from(measures)), draw(histograms(case)))
    models = [
        model_from(one, where="test") for one in draw(st.lists(asked(), min_size=1, max_size=2))
    ]
    alone = draw(st.booleans())
    bound = bind_all(models if alone else [KAnonymity(case.k), *models], plain.encoding.table)
    lower, _, upper = draw(chains(case))
    limit = draw(st.sampled_from([case.records, case.limit]))
    return replace(plain, privacy=bound, limit=limit), lower, upper


@st.composite
def peopled_problems(
    draw: st.DrawFn, measures: list[str]
) -> tuple[FullDomainProblem, Levels, Levels]:
    """The same under a model of a population, some of which may be like no record."""
    town = draw(peopled())
    least, most = draw(bounds())
    models: list[PrivacyModel] = [
        draw(
            st.sampled_from(
                [
                    model_of((least, most)),
                    DeltaPresence(float(most), float(least), everybody=least > 0),
                    *(AveragePopulationRisk(draw(RISKS), gamma) for gamma in (0.5, 1.0, 2.0)),
                ]
            )
        )
    ]
    models += draw(st.sampled_from([[], [KAnonymity(2)], [AverageRisk(0.3)]]))
    name = draw(st.sampled_from(measures))
    plain = town.case.problem(bind_all(models, town.table))
    if name != "loss":
        plain = replace(plain, quality=MEASURES[name].model(town.case).bind(plain.encoding))
    lower, _, upper = draw(chains(town.case))
    limit = draw(st.sampled_from([town.case.records, town.case.limit]))
    return replace(plain, encoding=town.encoding, limit=limit), lower, upper


def between(lower: Levels, upper: Levels) -> list[Levels]:
    """All policies of an interval."""
    return list(product(*[range(a, b + 1) for a, b in zip(lower, upper, strict=True)]))


def released(known: FullDomainProblem, levels: Levels) -> Classes:
    """Give the released records of a policy, by the models alone."""
    classes = classes_at(known.encoding, levels)
    return keep(classes, known.privacy.satisfied(classes))[0]


def check(known: FullDomainProblem, room: Releasable, policies: list[Levels]) -> None:
    """No policy releases more than the room there is said to be."""
    for levels in policies:
        kept = released(known, levels)
        assert kept.records <= room.records
        assert room.classes is None or kept.sizes.size <= room.classes
        assert not np.isin(kept.rows, room.barred).any()


@thorough
@given(problems(["loss"]) | peopled_problems(["loss"]))
def test_no_policy_of_an_interval_releases_more_than_is_said(
    case: tuple[FullDomainProblem, Levels, Levels],
) -> None:
    """Records, classes and rows: from the upper end alone, and from both."""
    known, lower, upper = case
    encoding = known.encoding
    whole = classes_at(encoding, upper)
    kept, dropped = keep(whole, known.privacy.monotone_part.satisfied(whole))
    failing = ~known.privacy.satisfied(kept)
    bounds = known.release_bounds
    if not bounds:  # a model that says nothing
        return
    policies = between(lower, upper)
    room = bounds.below(kept, failing, encoding.counts)
    check(known, room, policies)
    check(known, replace(room, barred=dropped), policies)
    fine = classes_at(encoding, lower)
    inside = np.isin(fine.rows, kept.rows)
    kept_fine = np.zeros(fine.sizes.size, dtype=np.bool_)
    kept_fine[fine.ids[inside]] = True
    blocks = keep(fine, kept_fine)[0]
    sharper = bounds.between(kept, failing, blocks)
    check(known, sharper, policies)
    check(known, bounds.fewer(room, kept, blocks), policies)
    check(known, bounds.fewer(sharper, kept, blocks), policies)
    assert sharper.records <= kept.records


@pytest.mark.quick(6)
@pytest.mark.parametrize("measure", LOSSES)
@thorough
@given(st.data())
def test_the_bound_is_below_every_policy_of_an_interval(measure: str, data: st.DataObject) -> None:
    """Compared with all admissible policies; if none is admissible, there is no bound."""
    peopled_too = [peopled_problems([measure])] if measure in LARGER else []
    known, lower, upper = data.draw(st.one_of(problems([measure]), *peopled_too))
    top = evaluate(known, upper, start(known))
    found = [evaluate(known, levels, start(known)).candidate for levels in between(lower, upper)]
    admissible = [one for one in found if one is not None]
    if top.suppressed > known.limit:
        assert not admissible
        return
    ends = [top]
    if below := known.look_below(lower, top):
        own, sharper, _ = below
        assert own == evaluate(known, lower, start(known)).candidate
        ends.append(sharper)
    for end in ends:
        if end.suppressed > known.limit:
            assert not admissible
            continue
        for levels, one in zip(between(lower, upper), found, strict=True):
            assert evaluate(known, levels, end).candidate == one
        bound = known.quality.lower_bound(lower, upper, end.least, top.kept)
        raised = known.quality.raised_bounds(lower, upper, end.least, top.kept)
        for one in admissible:
            assert one.suppressed >= end.suppressed
            assert one.loss >= bound - CLOSE
            for i, own_bounds in enumerate(raised):
                if step := one.policy[i] - lower[i]:
                    assert one.loss >= own_bounds[step - 1] - CLOSE


@pytest.mark.nightly
@thorough
@given(crowded_cases(), st.data())
def test_the_optimum_is_that_of_enumeration_on_larger_lattices(
    case: Case, data: st.DataObject
) -> None:
    """With bounds of both ends: the lattices are large enough for the lower one to be looked at."""
    measure = data.draw(st.sampled_from(LARGER))
    plain = made(case, measure, data.draw(histograms(case)))
    one = data.draw(asked())
    limit = data.draw(st.sampled_from([case.records, case.limit]))
    bound = bind_all([model_from(one, where="test")], plain.encoding.table)
    known = replace(plain, privacy=bound, limit=limit)
    found = [evaluate(known, levels, start(known)).candidate for levels in known.space]
    best = min((one for one in found if one), key=lambda one: one.preference, default=None)
    outcome = Exact().run(known, Control())
    assert outcome.proven
    assert outcome.best == best


@unhurried
@given(problems(["class-size", "divergence"]))
def test_classes_given_again_say_as_much_as_classes_worked_out(
    case: tuple[FullDomainProblem, Levels, Levels],
) -> None:
    """Those of the lower end, of a policy above it, for a policy between."""
    known, lower, upper = case
    top = evaluate(known, upper, start(known))
    below = known.look_below(lower, top) if top.suppressed <= known.limit else None
    if below is None:
        return
    for levels in between(lower, upper):
        one, other = evaluate(known, levels, top), evaluate(known, levels, start(known))
        if one.suppressed > known.limit:
            continue
        given_again, anew = (
            known.look_below(lower, one, below[2]),
            known.look_below(lower, other),
        )
        if given_again and anew:
            assert given_again[1].suppressed == anew[1].suppressed
            ends = [(end[1].least, end[1].kept) for end in (given_again, anew)]
            bounds = [known.quality.lower_bound(lower, levels, *end) for end in ends]
            assert bounds[0] == pytest.approx(bounds[1], abs=CLOSE)


@unhurried
@given(peopled_problems(LARGER))
def test_the_optimum_with_a_population_is_that_of_enumeration(
    case: tuple[FullDomainProblem, Levels, Levels],
) -> None:
    """All policies of the lattice, with records or people who are like none."""
    known, _, _ = case
    found = [evaluate(known, levels, start(known)).candidate for levels in known.space]
    best = min((one for one in found if one), key=lambda one: one.preference, default=None)
    outcome = Exact().run(known, Control())
    assert outcome.proven
    assert outcome.best == best


def case_of(attribute: Attribute, rows: tuple[str, ...], counts: tuple[int, ...]) -> Case:
    """One column, of all levels, and four records that may be suppressed."""
    lines = tuple((value,) for value in rows)
    ends = (0,), (attribute.height - 1,)
    return Case((attribute,), lines, counts, 5, 4, "arithmetic", None, *ends)


def test_records_of_small_classes_are_not_lost_twice() -> None:
    """Of 7 x and 3 y six can be released; below, the other four are a class of fewer than five."""
    attribute = Attribute("a", ("p", "q"), (("p", "q"), ("*", "*")), (1, 1))
    case = case_of(attribute, ("p", "q"), (6, 4))
    plain = made(case, "precision", np.array([[3, 3, 0], [4, 0, 0]]))
    even = model_from({"kind": "entropy-l-diversity", "column": "target", "l": 2}, where="test")
    bound = bind_all([KAnonymity(5), even], plain.encoding.table)
    known = replace(plain, privacy=bound)
    top = evaluate(known, (1,), start(known))
    assert top.suppressed == 4
    found = evaluate(known, (0,), top).candidate
    assert found is not None
    assert found.suppressed == 4
    assert Exact().run(known, Control()).best == found


def test_what_a_level_adds_is_not_added_to_records_that_are_lost() -> None:
    """Ten of twenty records are lost, and the divergence of those does not grow any more."""
    attribute = Attribute(
        "a",
        ("p", "p rest", "q", "q rest", "r"),
        (
            ("p", "p rest", "q", "q rest", "r"),
            ("P", "P", "Q", "Q", "R"),
            ("*",) * 5,
        ),
        (1, 9, 1, 9, 80),
    )
    encoding = case_of(attribute, ("p", "q"), (10, 10)).encoding()
    quality = Divergence().bind(encoding)
    nothing, whole = quality.nothing_suppressed(), classes_at(encoding, (2,))
    lost = SurelyLost(np.zeros(0, dtype=np.uint32), 10, np.array([10]))
    knows = quality.lose_some(nothing, lost, whole)
    raised = quality.raised_bounds((0,), (2,), knows, whole)[0][0]
    middle = classes_at(encoding, (1,))
    kept, dropped = keep(middle, np.arange(2) == 0)
    loss = quality.loss((1,), quality.suppress(nothing, dropped), kept)
    assert quality.lower_bound((0,), (2,), knows, whole) <= raised <= loss < 1.0
