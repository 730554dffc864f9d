"""The exact frontier of a full-domain lattice against the enumeration of every policy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import definition
import numpy as np
import pytest
from effort import examples, sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import AGGREGATES, Attribute, Case, cases, chains, crowded_cases
from measures import MEASURES
from measures import problem as measured
from peopled import Peopled, peopled
from published_tables import published
from toy_models import Histogram, histograms

from roadstead.policies.classes import classes_at, no_class
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.loss import Loss
from roadstead.quality.models.payout import Payout
from roadstead.quality.protocol import QualityModel
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, SummedRisk
from roadstead.search.frontiers import full_domain
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.frontiers.full_domain_problem import FullDomainFrontierProblem, without_gaps
from roadstead.search.frontiers.protocol import FrontierOutcome
from roadstead.search.protocol import Control, Progress

CLOSE = 1e-12


@dataclass(frozen=True)
class Weighing:
    """A risk and, in plain Python, what a record weighs among so many people."""

    risk: SummedRisk
    weight: Callable[[int], Fraction | float]


RISKS = {
    "one in g": Weighing(PopulationRisk(), lambda g: Fraction(1, g)),
    "square": Weighing(PopulationRisk(2.0), lambda g: Fraction(1, g * g)),
    "root": Weighing(PopulationRisk(0.5), lambda g: float(g**-0.5)),
    "fewer than 3": Weighing(RecordsAtRisk(3), lambda g: Fraction(g < 3)),
    "fewer than 9": Weighing(RecordsAtRisk(9), lambda g: Fraction(g < 9)),
}
EXACT = [name for name in RISKS if name != "root"]
MODELS = [name for name in MEASURES if name != "class-size of k"]


def everybody(case: Case, levels: Levels) -> definition.Judged:
    """Work out a policy that keeps every record."""
    return definition.judge(case, levels, bool)


def risk_by_hand(
    case: Case, people: Sequence[int], judged: definition.Judged, weighing: Weighing
) -> Fraction | float:
    """Sum what the records of each class weigh among its people."""
    total: Fraction | float = Fraction(0)
    for rows in judged.classes:
        records = sum(case.counts[row] for row in rows)
        if records:
            total += records * weighing.weight(sum(people[row] for row in rows))
    return total


def problem_of(
    case: Case, encoding: Encoding, model: QualityModel, weighing: Weighing
) -> FullDomainFrontierProblem:
    """Make the engine's problem."""
    space = FullDomain(encoding.attributes, case.bottom, case.top)
    return FullDomainFrontierProblem(encoding, space, model.bind(encoding), weighing.risk)


def search(problem: FullDomainFrontierProblem, **control: object) -> FrontierOutcome[Levels]:
    """Run the search, by default the whole one."""
    return FullDomainFrontier().run(problem, Control(**control))  # type: ignore[arg-type] # settings by name


def after(calls: int) -> Callable[[], bool]:
    """Say no so many times, then yes."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


def expected_frontier(
    points: dict[Levels, tuple[Fraction, int]],
) -> list[tuple[Levels, int]]:
    """Preferred policy and number of policies of every point that no other one dominates."""
    sharing: defaultdict[tuple[Fraction, int], list[Levels]] = defaultdict(list)
    for levels, point in points.items():
        sharing[point].append(levels)
    best = [
        (risk, loss)
        for risk, loss in sharing
        if not any(r <= risk and x <= loss and (r, x) != (risk, loss) for r, x in sharing)
    ]
    return [
        (min(sharing[point], key=lambda levels: (sum(levels), levels)), len(sharing[point]))
        for point in sorted(best)
    ]


def check_exactly(case: Case, people: Sequence[int], encoding: Encoding, name: str) -> None:
    """Same policies in the same order, and as many of each point; Iyengar's loss."""
    weighing = RISKS[name]
    judged = {levels: everybody(case, levels) for levels in definition.policies(case)}
    points = {
        levels: (Fraction(risk_by_hand(case, people, one, weighing)), one.order)
        for levels, one in judged.items()
    }
    problem = problem_of(case, encoding, case_loss(case), weighing)
    outcome = search(problem)
    expected = expected_frontier(points)
    assert [member.policy for member in outcome.frontier] == [levels for levels, _ in expected]
    assert outcome.tied == tuple(number for _, number in expected)
    greatest = points[case.bottom][0]
    for member in outcome.frontier:
        risk = points[member.policy][0] / greatest if greatest else 0
        assert member.risk == pytest.approx(float(risk), rel=0, abs=CLOSE)
        assert member.loss == pytest.approx(judged[member.policy].loss, rel=0, abs=CLOSE)
    assert outcome.proven
    assert outcome.ending == "complete"
    assert outcome.gap == 0.0
    assert outcome.evaluated <= len(points)


def case_loss(case: Case) -> QualityModel:
    """Iyengar's loss under the mean of a case."""
    weights = None if case.weights is None else tuple(float(w) for w in case.weights)
    return Loss(AGGREGATES[case.aggregate](weights))


@unhurried
@given(cases(), st.sampled_from(EXACT))
def test_the_frontier_is_that_of_enumerating_every_policy(case: Case, name: str) -> None:
    """People are the records; members, preferred policies and ties, worked out with fractions."""
    check_exactly(case, case.counts, case.encoding(), name)


@unhurried
@given(peopled(), st.sampled_from(EXACT))
def test_with_a_population_people_are_those_of_the_class_in_it(one: Peopled, name: str) -> None:
    """Rows of people who are not in the table have no record, and protect those that have."""
    check_exactly(one.case, one.people, one.encoding, name)


@sparing
@given(crowded_cases(), st.sampled_from(EXACT))
def test_the_frontier_is_that_of_enumeration_on_larger_lattices(case: Case, name: str) -> None:
    """Four attributes of three or four levels each."""
    check_exactly(case, case.counts, case.encoding(), name)


def points_of(
    case: Case, name: str, weighing: Weighing, histogram: Histogram
) -> dict[Levels, tuple[float, float]]:
    """Point of every policy by the definitions."""
    found = {}
    for levels in definition.policies(case):
        judged = everybody(case, levels)
        risk = risk_by_hand(case, case.counts, judged, weighing)
        found[levels] = (float(risk), MEASURES[name].loss(case, judged, histogram))
    greatest = found[case.bottom][0]
    return {
        levels: (risk / greatest if greatest else 0.0, loss)
        for levels, (risk, loss) in found.items()
    }


def reaches(stairs: Frontier[Levels] | Frontier[Levels | None], risk: float, loss: float) -> bool:
    """Whether a staircase is as good as a point."""
    return any(member.risk <= risk and member.loss <= loss for member in stairs)


@unhurried
@given(cases(3), st.data(), st.sampled_from(MODELS), st.sampled_from(list(RISKS)))
def test_every_quality_model_and_risk_has_its_frontier(
    case: Case, data: st.DataObject, name: str, risk: str
) -> None:
    """Nothing is missed, and nothing dominated is kept, except for the models' rounding."""
    histogram = data.draw(histograms(case), label="histogram")
    encoding = measured(case, name, histogram).encoding
    problem = problem_of(case, encoding, MEASURES[name].model(case), RISKS[risk])
    outcome = search(problem)
    assert outcome.proven
    points = points_of(case, name, RISKS[risk], histogram)
    off = MEASURES[name].off + 2 * CLOSE
    for one in points.values():
        assert reaches(outcome.frontier, one[0] + off, one[1] + off)
    for member in outcome.frontier:
        assert (member.risk, member.loss) == pytest.approx(points[member.policy], rel=0, abs=off)
        assert not any(r < member.risk - off and x < member.loss - off for r, x in points.values())
    for left, right in pairwise(outcome.frontier):
        assert left.risk < right.risk
        assert left.loss > right.loss


def test_what_is_lost_at_the_bottom_bounds_no_payout() -> None:
    """Attacks pay on classes of two, which bring nothing then; larger ones bring most."""
    values = tuple("abcdefgh")
    pairs = tuple(f"pair {at // 2}" for at in range(8))
    fours = tuple(f"four {at // 4}" for at in range(8))
    attribute = Attribute("a", values, (values, pairs, fours, ("*",) * 8), (1,) * 8)
    rows = tuple((value,) for value in values)
    case = Case((attribute,), rows, (2,) * 8, 2, 0, "arithmetic", None, (0,), (2,))
    model = Payout(1.0, 3.0, 3.0, 1.0)
    outcome = search(problem_of(case, case.encoding(), model, RISKS["one in g"]))
    assert outcome.proven
    assert [one.policy for one in outcome.frontier] == [(2,), (1,)]
    assert [one.loss for one in outcome.frontier] == pytest.approx([2 / 3, 1 / 3], abs=1e-9)


@unhurried
@given(cases(), st.data(), st.sampled_from(MODELS), st.sampled_from(list(RISKS)))
def test_no_policy_of_a_sublattice_is_below_its_corner(
    case: Case, data: st.DataObject, name: str, risk: str
) -> None:
    """Whatever is between a and b has at least the risk of b, and loses what a loses at least."""
    lower, between, upper = data.draw(chains(case), label="chain")
    histogram = data.draw(histograms(case), label="histogram")
    encoding = measured(case, name, histogram).encoding
    problem = problem_of(case, encoding, MEASURES[name].model(case), RISKS[risk])
    quality = problem.quality
    classes = without_gaps(classes_at(encoding, upper))
    bound = quality.lower_bound(lower, upper, quality.nothing_suppressed(), classes)
    found = problem.look(between).point
    assert found.loss >= bound - MEASURES[name].off
    assert found.risk >= problem.look(upper).point.risk - CLOSE
    judged = everybody(case, between)
    assert found.loss == pytest.approx(
        MEASURES[name].loss(case, judged, histogram), rel=0, abs=MEASURES[name].off + CLOSE
    )
    greatest = risk_by_hand(case, case.counts, everybody(case, case.bottom), RISKS[risk])
    own = risk_by_hand(case, case.counts, judged, RISKS[risk])
    share = float(own / greatest) if greatest else 0.0
    assert found.risk == pytest.approx(share, rel=1e-12, abs=CLOSE)


def interruptions(problem: FullDomainFrontierProblem) -> Iterator[FrontierOutcome[Levels]]:
    """Stop a search at every place where it can be stopped; the last outcome is complete."""
    calls = 0
    while True:
        outcome = search(problem, stopped=after(calls))
        yield outcome
        if outcome.proven:
            return
        calls += 1


@examples(10)
@given(cases(3) | crowded_cases(), st.data(), st.sampled_from(["one in g", "fewer than 9"]))
def test_stopped_anywhere_no_policy_is_below_the_lower_staircase(
    case: Case, data: st.DataObject, risk: str
) -> None:
    """The staircases close in on the frontier from both sides."""
    model = data.draw(st.sampled_from([case_loss(case), Discernibility()]), label="model")
    problem = problem_of(case, case.encoding(), model, RISKS[risk])
    points = [problem.look(levels).point for levels in problem.space]
    stopped = list(interruptions(problem))
    whole = stopped[-1].frontier
    for outcome in stopped[:-1]:
        assert outcome.ending == "interrupted"
        assert outcome.lower is not None
        assert outcome.gap is not None
        for point in points:
            assert reaches(outcome.lower, point.risk + 2 * CLOSE, point.loss + 2 * CLOSE)
        assert outcome.frontier.area - whole.area <= outcome.gap + 1e-9
        assert outcome.lower.area <= whole.area + 1e-9
    for earlier, later in pairwise(stopped):
        assert earlier.evaluated <= later.evaluated
        assert later.frontier.area <= earlier.frontier.area + 1e-9
        assert earlier.lower is not None
        assert later.lower is not None
        assert earlier.lower.area <= later.lower.area + 1e-9


TWINS = tuple(Attribute(name, ("u", "v"), (("u", "v"), ("*", "*")), (1, 1)) for name in ("a", "b"))


def twins(rows: dict[tuple[str, str], int]) -> Case:
    """Two attributes of two values, arithmetic mean."""
    counts = tuple(rows[row] for row in sorted(rows))
    return Case(TWINS, tuple(sorted(rows)), counts, 2, 0, "arithmetic", None, (0, 0), (1, 1))


ONE_EACH = twins({("u", "u"): 1, ("u", "v"): 1, ("v", "u"): 1, ("v", "v"): 1})


def test_of_one_point_the_first_in_lexicographic_order_is_shown_and_all_are_counted() -> None:
    """Four records, all different: removing one attribute makes pairs, both make one class."""
    problem = problem_of(ONE_EACH, ONE_EACH.encoding(), case_loss(ONE_EACH), RISKS["one in g"])
    outcome = search(problem)
    found = [tuple(member) for member in outcome.frontier]
    assert found == [(0.25, 1.0, (1, 1)), (0.5, 0.5, (0, 1)), (1.0, 0.0, (0, 0))]
    assert outcome.tied == (1, 2, 1)
    assert outcome.evaluated == 4


def test_where_nobody_is_at_risk_the_data_as_they_are_is_the_frontier() -> None:
    """Risks are shares of nothing, and reported as 0."""
    case = twins({("u", "u"): 9, ("v", "v"): 9})
    outcome = search(problem_of(case, case.encoding(), case_loss(case), RISKS["fewer than 9"]))
    assert [tuple(member) for member in outcome.frontier] == [(0.0, 0.0, (0, 0))]
    assert outcome.proven


def test_a_lattice_of_one_policy_is_its_own_frontier() -> None:
    """One evaluation."""
    encoding = ONE_EACH.encoding()
    space = FullDomain(encoding.attributes, (0, 1), (0, 1))
    quality = case_loss(ONE_EACH).bind(encoding)
    outcome = search(FullDomainFrontierProblem(encoding, space, quality, PopulationRisk()))
    assert [member.policy for member in outcome.frontier] == [(0, 1)]
    assert (outcome.evaluated, outcome.tied, outcome.proven) == (1, (1,), True)


@sparing
@given(crowded_cases(), st.sampled_from(["loss", "discernibility"]))
def test_short_of_memory_the_same_is_found(case: Case, name: str) -> None:
    """Classes are forgotten and computed again; nothing is counted twice among the ties."""
    model = case_loss(case) if name == "loss" else Discernibility()
    problem = problem_of(case, case.encoding(), model, RISKS["one in g"])
    usual = search(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(full_domain, "_MOST_BYTES_WAITING", -1)
        scarce = search(problem)
    assert list(scarce.frontier) == list(usual.frontier)
    assert scarce.tied == usual.tied
    assert scarce.evaluated >= usual.evaluated


def dominated_by_none(points: dict[Levels, tuple[float, float]]) -> Frontier[Levels]:
    """Put all points in a frontier."""
    found: Frontier[Levels] = Frontier()
    for levels, (risk, loss) in points.items():
        found.insert(risk, loss, levels)
    return found


def frontier_problem(data_dir: Path, name: str, number: int) -> FullDomainFrontierProblem:
    """Iyengar's loss, and the expected number of re-identified records."""
    known = published(data_dir, name, number)
    return FullDomainFrontierProblem(known.encoding, known.space, known.quality, PopulationRisk())


def check_by_sorting(problem: FullDomainFrontierProblem) -> FrontierOutcome[Levels]:
    """Enumerate with classes found by sorting keys, not by the engine's."""
    encoding, quality = problem.encoding, problem.quality
    points: dict[Levels, tuple[float, float]] = {}
    for levels in problem.space:
        key = np.zeros(encoding.counts.size, dtype=np.int64)
        for i, level in enumerate(levels):
            key = key * encoding.labels[i][level] + encoding.lookups[i][level][encoding.codes[i]]
        # Without a population the expected number of re-identified records is that of classes.
        number = np.unique(key).size
        loss = quality.loss(levels, quality.nothing_suppressed(), no_class())
        points[levels] = (float(number), loss)
    greatest = points[problem.space.bottom][0]
    expected = dominated_by_none({y: (r / greatest, x) for y, (r, x) in points.items()})
    outcome = search(problem)
    assert outcome.proven
    assert outcome.frontier.risks == pytest.approx(expected.risks, rel=0, abs=CLOSE)
    assert outcome.frontier.losses == pytest.approx(expected.losses, rel=0, abs=CLOSE)
    return outcome


@pytest.mark.parametrize(("number", "members", "most"), [(3, 19, 45), (4, 29, 115), (5, 42, 185)])
def test_the_frontier_of_adult_is_that_of_enumeration(
    data_dir: Path, number: int, members: int, most: int
) -> None:
    """Three to five attributes, and no more evaluations than so many."""
    outcome = check_by_sorting(frontier_problem(data_dir, "adult", number))
    assert len(outcome.frontier) == members
    assert outcome.evaluated <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number", "share"),
    [("adult", 8, 0.2), ("adult", 9, 0.16), ("cup", 8, 0.03), ("fars", 8, 0.11)],
)
def test_a_small_share_of_a_large_lattice_is_evaluated(
    data_dir: Path, name: str, number: int, share: float
) -> None:
    """Cup, Fars and Adult with eight and nine attributes, all policies enumerated."""
    problem = frontier_problem(data_dir, name, number)
    outcome = check_by_sorting(problem)
    assert outcome.evaluated <= share * problem.space.size


def test_a_budget_a_time_limit_and_a_watcher_are_heeded() -> None:
    """The search ends soon after, with what it has."""
    problem = problem_of(ONE_EACH, ONE_EACH.encoding(), case_loss(ONE_EACH), RISKS["one in g"])
    told: list[Progress] = []
    FullDomainFrontier().run(problem, Control(interval=0.0, report=told.append))
    assert told[-1].members == 3
    short = FullDomainFrontier().run(problem, Control(budget=2))
    assert (short.ending, short.proven, short.evaluated) == ("budget", False, 2)
    assert search(problem, time_limit=0.0).ending == "time limit"
