"""When no policy is allowed, what the diagnosis names as the way out is one, and the nearest."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from effort import unhurried
from hypothesis import assume, given
from lattices import Case, cases, crowded
from toy_models import EvenClasses

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.search.diagnosis import Infeasibility, diagnose
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Candidate, Control


def best(problem: FullDomainProblem) -> Candidate[Levels] | None:
    """Search to the end."""
    return Exact().run(problem, Control()).best


def hopeless(case: Case) -> FullDomainProblem:
    """Make a problem without an admissible policy; other cases are passed over."""
    problem = replace(case.problem(), limit=case.limit // 4)
    assume(best(problem) is None)
    return problem


@unhurried
@given(cases())
def test_the_limit_it_names_does_and_a_smaller_one_does_not(case: Case) -> None:
    """In records, and as the share that is printed."""
    problem = hopeless(case)
    found = diagnose(problem)
    assert found.suppressed > found.limit == problem.limit
    assert best(replace(problem, limit=found.suppressed)) is not None
    assert best(replace(problem, limit=found.suppressed - 1)) is None
    if found.suppressed == case.records < case.k:
        assert "no suppression limit would do" in "; ".join(found.sentences)
        return
    share = float(printed(found, r"a suppression limit of (\S+) would do"))
    assert 0 < share <= 1
    assert best(replace(problem, limit=int(share * case.records + 1e-9))) is not None
    assert (share - 1e-4) * case.records < found.suppressed


@unhurried
@given(cases())
def test_the_k_it_names_does_and_a_larger_one_does_not(case: Case) -> None:
    """It is smaller than the one asked for; where none is named, even 2 is too large."""
    problem = hopeless(case)
    found = diagnose(problem).largest_k
    if found is None:
        assert best(replace(problem, privacy=KAnonymity(2))) is None
        return
    assert 2 <= found < case.k
    assert best(replace(problem, privacy=KAnonymity(found))) is not None
    assert best(replace(problem, privacy=KAnonymity(found + 1))) is None
    assert f"k = {found} would do" in diagnose(problem).sentences


@unhurried
@given(cases())
def test_the_attributes_it_names_stand_in_the_way_as_much_as_it_says(case: Case) -> None:
    """Without the limit on one of them, so many records are suppressed and no fewer."""
    problem = hopeless(case)
    found = diagnose(problem)
    held = {
        name: highest - 1
        for name, allowed, highest in zip(
            problem.space.attributes, problem.space.top, problem.encoding.heights, strict=True
        )
        if allowed < highest - 1
    }
    assert {o.attribute: o.highest for o in found.obstacles} == held
    assert [o.suppressed for o in found.obstacles] == sorted(o.suppressed for o in found.obstacles)
    for obstacle in found.obstacles:
        lifted = replace(problem, space=without_limit(problem.space, obstacle.attribute, held))
        assert best(replace(lifted, limit=obstacle.suppressed)) is not None
        assert best(replace(lifted, limit=obstacle.suppressed - 1)) is None
        told = f"{obstacle.attribute!r} is held at level {obstacle.allowed}"
        said = any(told in sentence for sentence in found.sentences)
        assert said == (obstacle.suppressed < found.suppressed)


def without_limit(space: FullDomain, name: str, highest: dict[str, int]) -> FullDomain:
    """Let one attribute go to its top."""
    top = tuple(
        highest[name] if attribute == name else level
        for attribute, level in zip(space.attributes, space.top, strict=True)
    )
    return replace(space, top=top)


def printed(found: Infeasibility, pattern: str) -> str:
    """Find what a sentence says."""
    (number,) = re.findall(pattern, "; ".join(found.sentences))
    return str(number)


@pytest.mark.parametrize(
    ("suppressed", "records", "says"),
    [
        (1, 3, "0.3334"),
        (729, 10_000, "0.0729"),
        (7_290_001, 100_000_000, "0.073"),
        (1, 1_000_000, "0.0001"),
        (5, 5, "1"),
    ],
)
def test_a_share_is_rounded_up_to_what_can_be_typed(
    suppressed: int, records: int, says: str
) -> None:
    """Four decimals, never too few records."""
    found = Infeasibility(suppressed, 0, records, (), None, masks=True)
    assert printed(found, r"a suppression limit of (\S+) would do") == says
    assert int(float(says) * records) >= suppressed


def test_no_limit_is_named_where_nobody_would_be_left() -> None:
    """Fault class: "a suppression limit of 1 would do", and then there is nothing to release."""
    (_, told) = Infeasibility(9, 0, 9, (), None, masks=False, unit="persons").sentences
    assert told == "no suppression limit would do, for nobody would be left"
    some = Infeasibility(8, 0, 9, (), None, masks=False, unit="persons")
    assert "limit of 0.8889" in some.sentences[-1]


@unhurried
@given(cases())
def test_no_k_is_named_for_another_model(case: Case) -> None:
    """It has none."""
    problem = case.problem(EvenClasses())
    assert diagnose(problem).largest_k is None


def test_what_the_whole_model_suppresses_is_told() -> None:
    """A mean is judged over all classes, and its monotone part says nothing."""
    problem = crowded(5).problem(AverageRisk(1e-6))
    told = diagnose(problem)
    assert told.suppressed == problem.encoding.records
    assert "no suppression limit would do, for nothing would be left" in told.sentences


def test_a_limit_of_all_records_is_named_only_where_they_are_kept_with_stars() -> None:
    """All of them as one class satisfy k-anonymity; left out, they are no release."""
    case = crowded(5)
    free = case.problem(KAnonymity(2))
    held = replace(free, space=replace(free.space, top=free.space.bottom), limit=0)
    records = held.encoding.records
    alone = replace(held, privacy=KAnonymity(records))
    assert diagnose(alone).suppressed == records
    assert "a suppression limit of 1 would do" in diagnose(alone).sentences
    for nothing in (
        diagnose(alone, masks=False),
        diagnose(replace(held, privacy=KAnonymity(records + 1))),
    ):
        assert "no suppression limit would do, for nothing would be left" in nothing.sentences
