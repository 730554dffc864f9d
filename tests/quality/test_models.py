"""Every quality model against its definition, and its bounds on random lattices."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import definition
import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, chains, crowded
from measures import LOOSE, MEASURES, OF_CLASSES, OF_PART, problem, tried
from toy_models import Histogram, histograms

from roadstead.policies.classes import classes_at, keep, one_class
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.evaluator import Evaluation

EVERY_MODEL = pytest.mark.parametrize("name", tried())
CLASS_BY_CLASS = pytest.mark.parametrize("name", OF_CLASSES)


def drawn(data: st.DataObject, case: Case, name: str) -> FullDomainProblem:
    """A case's problem with a target drawn and without a limit, so that every policy has a loss."""
    return unlimited(case, name, data.draw(histograms(case), label="histogram"))


def unlimited(case: Case, name: str, histogram: Histogram) -> FullDomainProblem:
    """A case's problem in which everything may be suppressed."""
    return replace(problem(case, name, histogram), limit=case.records)


def loss(problem: FullDomainProblem, found: Evaluation) -> float:
    """Loss of a policy evaluated."""
    return problem.quality.loss(found.levels, found.tally, found.kept)


@EVERY_MODEL
@examples(10)
@given(cases(), st.data())
def test_a_policy_loses_what_the_definition_says(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Suppressed records included; between 0 and 1."""
    histogram = data.draw(histograms(case), label="histogram")
    levels, _, _ = data.draw(chains(case))
    known = unlimited(case, name, histogram)
    found = loss(known, evaluate(known, levels, start(known)))
    judged = definition.judge(case, levels, definition.large_enough(case))
    off = max(MEASURES[name].off, 1e-12)
    assert found == pytest.approx(MEASURES[name].loss(case, judged, histogram), rel=0, abs=off)
    assert 0.0 <= found <= 1.0 + 1e-15


@EVERY_MODEL
@examples(10)
@given(cases(), st.data())
def test_a_policy_loses_the_same_whatever_way_led_to_it(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Evaluated from any more general policy, losses are equal, not just close."""
    known = drawn(data, case, name)
    specific, between, general = data.draw(chains(case))
    afresh = evaluate(known, specific, start(known))
    in_steps = evaluate(known, between, evaluate(known, general, start(known)))
    in_steps = evaluate(known, specific, in_steps)
    assert loss(known, in_steps) == loss(known, afresh)


@EVERY_MODEL
@examples(10)
@given(cases(), st.data())
def test_no_policy_of_a_sublattice_loses_less_than_its_bound(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Had from the lower end and from what the upper end suppresses."""
    known = drawn(data, case, name)
    lower, between, upper = data.draw(chains(case))
    top = evaluate(known, upper, start(known))
    bound = known.quality.lower_bound(lower, upper, top.tally, top.kept)
    inside = evaluate(known, between, top)
    assert bound <= loss(known, inside) + MEASURES[name].off
    here = known.quality.lower_bound(upper, upper, top.tally, top.kept)
    assert here <= loss(known, top) + MEASURES[name].off
    if name not in LOOSE:
        assert here == loss(known, top)


@EVERY_MODEL
@examples(10)
@given(cases(), st.data())
def test_what_generalization_alone_loses_bounds_every_policy_above(
    name: str, case: Case, data: st.DataObject
) -> None:
    """It does not fall upwards, and no loss further up falls below it."""
    known = drawn(data, case, name)
    specific, between, general = data.draw(chains(case))

    def alone(levels: tuple[int, ...]) -> float:
        classes = classes_at(known.encoding, levels)
        nothing = known.quality.nothing_suppressed()
        return known.quality.lower_bound(levels, levels, nothing, classes)

    off = MEASURES[name].off
    assert alone(specific) <= alone(between) + off
    assert alone(between) <= alone(general) + off
    for levels in (specific, between, general):
        assert alone(specific) <= loss(known, evaluate(known, levels, start(known))) + off


@EVERY_MODEL
@examples(10)
@given(cases(), st.data())
def test_no_policy_above_a_raised_component_loses_less_than_its_bound(
    name: str, case: Case, data: st.DataObject
) -> None:
    """One bound for each level up to the upper end, not falling with the level."""
    known = drawn(data, case, name)
    lower, _, upper = data.draw(chains(case))
    top = evaluate(known, upper, start(known))
    raised = known.quality.raised_bounds(lower, upper, top.tally, top.kept)
    least = known.quality.lower_bound(lower, upper, top.tally, top.kept)
    steps = [range(low, high + 1) for low, high in zip(lower, upper, strict=True)]
    losses = {levels: loss(known, evaluate(known, levels, top)) for levels in product(*steps)}
    assert [len(own) for own in raised] == [len(own) - 1 for own in steps]
    for i, own in enumerate(raised):
        assert own == sorted(own)
        for level, bound in enumerate(own, start=lower[i] + 1):
            above = min(one for levels, one in losses.items() if levels[i] >= level)
            assert least - 1e-12 <= bound <= above + MEASURES[name].off + 1e-12


@EVERY_MODEL
@examples(10)
@given(cases(), st.data())
def test_a_table_suppressed_whole_has_lost_everything(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Except for detail that did not exist: a table of one value, or one spread evenly."""
    known = drawn(data, case, name)
    quality = known.quality
    rows = np.arange(len(case.rows), dtype=np.uint32)
    tally = quality.suppress(quality.nothing_suppressed(), rows)
    none, _ = keep(one_class(known.encoding), np.zeros(1, dtype=np.bool_))
    found = quality.loss(case.top, tally, none)
    judged = definition.judge(case, case.top, lambda _: False)
    histogram = np.zeros((len(case.rows), 1), dtype=np.int64)
    assert found == pytest.approx(MEASURES[name].loss(case, judged, histogram), rel=0, abs=1e-12)
    varied = all(len({row[i] for row in case.rows}) > 1 for i in range(len(case.attributes)))
    if name not in ("entropy", "divergence", *OF_PART) or (name == "entropy" and varied):
        assert found == pytest.approx(1.0, rel=0, abs=1e-12)


@CLASS_BY_CLASS
@examples(10)
@given(cases(), st.data())
def test_a_bound_is_the_same_asked_afresh_or_after_others(
    name: str, case: Case, data: st.DataObject
) -> None:
    """Stored facts in a tally, and consequences for fewer rows, equal a new computation."""
    known = drawn(data, case, name)
    quality = known.quality
    lower, between, upper = data.draw(chains(case))
    top = evaluate(known, upper, start(known))
    for levels in (lower, between, lower):
        quality.lower_bound(levels, upper, top.tally, top.kept)
    further_down = evaluate(known, between, top)
    found = quality.lower_bound(lower, between, further_down.tally, further_down.kept)
    afresh = evaluate(known, between, start(known))
    expected = quality.lower_bound(lower, between, afresh.tally, afresh.kept)
    assert found == pytest.approx(expected, rel=0, abs=MEASURES[name].off)
    assert len(top.tally.prices) <= 2


@CLASS_BY_CLASS
@examples(10)
@given(cases(), st.data())
def test_classes_computed_for_bounds_are_counted(
    name: str, case: Case, data: st.DataObject
) -> None:
    """One for a bound between two policies; none for that of a policy, or asked again."""
    known = drawn(data, case, name)
    quality = known.quality
    lower, _, upper = data.draw(chains(case))
    top = evaluate(known, upper, start(known))
    for _ in range(2):
        quality.lower_bound(lower, upper, top.tally, top.kept)
        assert quality.groupings == (lower != upper)
        quality.raised_bounds(lower, upper, top.tally, top.kept)
        quality.lower_bound(upper, upper, top.tally, top.kept)
        assert quality.groupings == (lower != upper)


@CLASS_BY_CLASS
def test_no_attribute_is_blamed_for_a_class(name: str) -> None:
    """A class is priced as a whole."""
    case = crowded(1)
    known = problem(case, name, np.array([[n, 0] for n in case.counts]))
    nothing = known.quality.nothing_suppressed()
    whole = one_class(known.encoding)
    assert known.quality.loss_by_attribute(case.top, nothing, whole) is None
