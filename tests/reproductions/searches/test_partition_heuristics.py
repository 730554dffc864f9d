"""Bottom-up merging, descent and the genetic algorithm: valid always, optimal by luck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from cut_tables import AGES, Bits, CutTable, bits_of, cut_tables
from effort import sparing, unhurried
from hypothesis import given

from roadstead.errors import SettingError
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.models.classification import Classification
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Control, Outcome, Progress
from roadstead_reproductions.searches.partition_heuristics import (
    PartitionGenetic,
    PartitionGreedy,
    descend,
)
from roadstead_reproductions.searches.partition_tracker import PartitionTracker

GENETIC = PartitionGenetic(population=6, evaluations=60)
Run = Callable[[PartitionProblem, Control], Outcome[Partition]]
BOTH = pytest.mark.parametrize(
    "run", [PartitionGreedy().run, GENETIC.run], ids=["greedy", "genetic"]
)


def check(table: CutTable, outcome: Outcome[Partition]) -> None:
    """Reports about the best policy are true, it is allowed, without claims about others."""
    assert not outcome.proven
    assert outcome.lower_bound == 0.0
    if outcome.best is not None:
        judged = table.judged[bits_of(table, outcome.best.policy)]
        assert (outcome.best.loss, outcome.best.suppressed) == (judged.cost, judged.suppressed)
        assert table.limit is None or judged.suppressed <= table.limit
        assert 1 <= outcome.first_met <= outcome.evaluated


@BOTH
@unhurried
@given(table=cut_tables())
def test_something_valid_is_found_whenever_there_is_something(run: Run, table: CutTable) -> None:
    """Neither better than the optimum nor worse than what it claims."""
    outcome = run(table.problem(), Control())
    check(table, outcome)
    least = table.least()
    assert (outcome.best is None) == (least is None)
    if outcome.best is not None:
        assert least is not None
        assert outcome.best.loss >= least


@BOTH
@sparing
@given(table=cut_tables())
def test_stopped_at_once_what_is_returned_is_valid(run: Run, table: CutTable) -> None:
    """One evaluation has been made."""
    outcome = run(table.problem(), Control(time_limit=0.0))
    check(table, outcome)
    assert outcome.evaluated == 1


@BOTH
def test_progress_is_told(run: Run) -> None:
    """The best so far."""
    reports: list[Progress] = []
    problem = AGES.problem()
    run(problem, Control(report=reports.append, interval=0.0))
    assert reports
    for report in reports:
        assert report.best is not None
        bits = tuple(map(int, problem.domains.bits(report.best.policy)))
        assert AGES.judged[bits].cost == report.best.loss


def merged(table: CutTable) -> tuple[int, int]:
    """Bottom-up merging by the definition: the best cost on the way, and the steps."""
    bits: Bits = (1,) * table.length
    best, steps = inf, 1
    while True:
        judged = table.judged[bits]
        if table.limit is None or judged.suppressed <= table.limit:
            best = min(best, judged.cost)
        if not judged.suppressed or not any(bits):
            return int(best), steps
        fewer = [(*bits[:b], 0, *bits[b + 1 :]) for b, bit in enumerate(bits) if bit]
        bits = min(fewer, key=lambda other: table.judged[other].cost)
        steps += 1


@unhurried
@given(cut_tables())
def test_merging_goes_where_the_definition_goes(table: CutTable) -> None:
    """Of equals the first, as far as no class is too small."""
    free = replace(table, limit=None)
    outcome = PartitionGreedy().run(free.problem(), Control())
    assert outcome.best is not None
    assert (outcome.best.loss, outcome.evaluated) == merged(free)


@unhurried
@given(cut_tables())
def test_descent_ends_where_no_change_and_no_exchange_helps(table: CutTable) -> None:
    """A local optimum, checked against every neighbor."""
    problem = table.problem()
    control = Control()
    control.begin()
    track = PartitionTracker(problem, control)
    track.best = problem.judge(Partition(0))
    descend(track)
    if track.best is None:
        return
    here = bits_of(table, track.best.policy)
    assert table.judged[here].cost == track.best.loss
    costs = dict(table.admissible())
    assert here in costs
    for bits, cost in costs.items():
        added = sum(b > h for b, h in zip(bits, here, strict=True))
        removed = sum(b < h for b, h in zip(bits, here, strict=True))
        if added <= 1 and removed <= 1:
            assert cost >= track.best.loss


def test_the_same_seed_gives_the_same_run() -> None:
    """Another seed another."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 12, (2, 300)).astype(np.uint32)
    domains = OrderedDomains(("a", "b"), (12, 12))
    problem = PartitionProblem(domains, codes, np.ones(300, dtype=np.int64), 4)
    one, two, other = (
        PartitionGenetic(seed=seed, population=20, evaluations=400).run(problem, Control())
        for seed in (1, 1, 2)
    )
    assert (one.best, one.first_met) == (two.best, two.first_met)
    assert (one.best, one.first_met) != (other.best, other.first_met)
    assert one.evaluated == 400


def test_evolution_improves_on_chance() -> None:
    """As many evaluations of random partitions alone find less."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 15, (2, 400)).astype(np.uint32)
    domains = OrderedDomains(("a", "b"), (15, 15))
    problem = PartitionProblem(domains, codes, np.ones(400, dtype=np.int64), 5)
    bred = PartitionGenetic(population=40, evaluations=1500).run(problem, Control()).best
    drawn = PartitionGenetic(population=1500, evaluations=1500).run(problem, Control()).best
    assert bred is not None
    assert drawn is not None
    assert bred.loss < drawn.loss


def test_parameters_out_of_range_are_refused() -> None:
    """Each says what may be given."""
    with pytest.raises(SettingError, match="2 or more"):
        PartitionGenetic(population=1)


def test_a_problem_that_does_not_fit_is_refused() -> None:
    """Shapes, codes, k, the limit, counts and targets."""
    problem = AGES.problem()
    with pytest.raises(SettingError, match="4 rows are required"):
        replace(problem, codes=problem.codes[:, :3])
    with pytest.raises(SettingError, match="no attribute is given"):
        replace(problem, domains=OrderedDomains((), ()), codes=problem.codes[:0])
    with pytest.raises(SettingError, match="not in its domain of 3"):
        replace(problem, domains=OrderedDomains(("a",), (3,)))
    with pytest.raises(SettingError, match="at least 1"):
        replace(problem, k=0)
    with pytest.raises(SettingError, match="suppression limit is -1"):
        replace(problem, limit=-1)
    with pytest.raises(SettingError, match="no records"):
        replace(problem, counts=problem.counts * 0)
    with pytest.raises(SettingError, match="do not add up"):
        replace(problem, targets=problem.counts[:, None] + 1)
    with pytest.raises(SettingError, match="requires the number of records per target class"):
        _ = replace(problem, cost=Classification("target")).prices
