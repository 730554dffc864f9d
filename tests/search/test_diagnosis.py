"""When no policy is allowed, what the diagnosis names as the way out is one, and the nearest."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from effort import unhurried
from hypothesis import assume, given
from lattices import Case, cases, crowded

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
def test_it_says_how_much_would_be_removed_and_offers_no_weaker_promise(case: Case) -> None:
    """So many records and no fewer; no limit and no smaller k is recommended."""
    problem = hopeless(case)
    found = diagnose(problem)
    assert found.suppressed > found.limit == problem.limit
    assert best(replace(problem, limit=found.suppressed)) is not None
    assert best(replace(problem, limit=found.suppressed - 1)) is None
    said = "; ".join(found.sentences)
    assert "would do" not in said
    assert "suppression limit" not in said
    assert "k =" not in said
    share = float(printed(found, r"records \((\S+)%\) would be removed"))
    assert share == pytest.approx(100 * found.suppressed / found.records, rel=5e-3)


@unhurried
@given(cases())
def test_what_it_advises_helps(case: Case) -> None:
    """Lifting the limit of an attribute that it names suppresses less."""
    problem = hopeless(case)
    found = diagnose(problem)
    named = re.findall(r"'([^']+)'", found.advice)
    less = {o.attribute: o.suppressed < found.suppressed for o in found.obstacles}
    assert all(less[name] for name in named)
    assert bool(named) == any(less.values())


@unhurried
@given(cases())
def test_the_limits_that_it_names_cost_as_much_as_it_says(case: Case) -> None:
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
        assert (obstacle.enough is None) == (obstacle.left is None)


@unhurried
@given(cases())
def test_the_level_that_it_advises_is_enough_and_the_lowest(case: Case) -> None:
    """With the attribute up to this level, what is left can be released; no lower one is better."""
    problem = hopeless(case)
    found = diagnose(problem)
    for one in found.obstacles:
        reached = [_left_at(problem, one.attribute, n) for n in range(one.highest + 1)]
        if one.enough is None:
            named = one in found.obstacles[:3]
            assert not named or min(reached[one.allowed + 1 :]) > found.limit
            continue
        assert one.left == reached[one.enough] <= found.limit
        below = reached[one.allowed + 1 : one.enough]
        assert all(left > (0 if one.left == 0 else found.limit) for left in below)
        assert f"{one.attribute!r} up to level {one.enough} " in found.advice
        least = f"at least {one.left:,} record" if one.left else "no record"
        assert f"instead of {one.allowed} (then {least}" in found.advice
        lifted = without_limit(problem.space, one.attribute, {one.attribute: one.enough})
        if one.left:  # no policy with this level removes fewer
            assert best(replace(problem, space=lifted, limit=one.left - 1)) is None


def _left_at(problem: FullDomainProblem, name: str, level: int) -> int:
    """Count what the most general policy suppresses with another limit on an attribute."""
    top = tuple(
        level if attribute == name else own
        for attribute, own in zip(problem.space.attributes, problem.space.top, strict=True)
    )
    everything = problem.leaves_out.units
    judged = replace(problem, limit=everything).judge(top)
    return everything if judged is None else judged.suppressed


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


def test_nobody_left_is_said() -> None:
    """If people are counted and all would be left out, and if some are kept."""
    told, _ = Infeasibility(9, 0, 9, (), masks=False, unit="persons").sentences
    assert "9 of 9 people (100%) would be removed and nothing would be left" in told
    told, _ = Infeasibility(8, 0, 9, (), masks=False, unit="persons").sentences
    assert told.endswith("8 of 9 people (88.9%) would be removed, but at most 0 may be removed")


def test_what_the_whole_model_suppresses_is_told() -> None:
    """A mean is judged over all classes, and its monotone part says nothing."""
    problem = crowded(5).problem(AverageRisk(1e-6))
    told = diagnose(problem)
    assert told.suppressed == problem.encoding.records
    assert "would be removed and nothing would be left" in told.sentences[0]


def test_a_limit_of_all_records_is_named_only_where_they_are_kept_with_stars() -> None:
    """All of them as one class satisfy k-anonymity; without them, there is no release."""
    case = crowded(5)
    free = case.problem(KAnonymity(2))
    held = replace(free, space=replace(free.space, top=free.space.bottom), limit=0)
    records = held.encoding.records
    alone = replace(held, privacy=KAnonymity(records))
    assert diagnose(alone).suppressed == records
    assert "(100%) would be removed, but" in diagnose(alone).sentences[0]
    for nothing in (
        diagnose(alone, masks=False),
        diagnose(replace(held, privacy=KAnonymity(records + 1))),
    ):
        assert "would be removed and nothing would be left" in nothing.sentences[0]
