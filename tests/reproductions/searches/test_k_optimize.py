"""k-Optimize against the enumeration of every partition by the definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np
from cut_tables import AGES, Bits, CutTable, bits_of, cut_tables
from effort import examples, sparing, unhurried
from hypothesis import example, given
from hypothesis import strategies as st

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Control, Outcome, Progress
from roadstead_reproductions.searches.k_optimize import (
    KOptimize,
    Order,
    TreeNode,
    View,
    by_removal,
    by_splits,
)
from roadstead_reproductions.searches.k_optimize import _Run as Run

ORDERS = st.sampled_from([by_splits, by_removal])


def check(table: CutTable, outcome: Outcome[Partition]) -> None:
    """The least cost, with the partition to show for it, proven; or none, proven too."""
    least = table.least()
    assert outcome.ending == "complete"
    assert outcome.proven
    if least is None:
        assert outcome.best is None
        assert not outcome.optimal
        assert outcome.lower_bound == inf
        assert outcome.gap == 1.0
        return
    assert outcome.best is not None
    judged = table.judged[bits_of(table, outcome.best.policy)]
    assert (outcome.best.loss, outcome.best.suppressed) == (judged.cost, judged.suppressed)
    assert table.limit is None or judged.suppressed <= table.limit
    assert outcome.best.loss == least
    assert outcome.lower_bound == least
    assert outcome.optimal
    assert outcome.gap == 0.0
    assert 1 <= outcome.first_met <= outcome.evaluated


@unhurried
@given(table=cut_tables(), order=ORDERS)
def test_the_optimum_is_that_of_enumerating_every_partition(order: Order, table: CutTable) -> None:
    """Both metrics, any k, limit, counts and domains."""
    check(table, KOptimize(order).run(table.problem(), Control()))


@examples(8)
@given(cut_tables(most_bits=9))
def test_the_optimum_is_that_of_enumeration_on_larger_tables(table: CutTable) -> None:
    """Up to 512 partitions."""
    check(table, KOptimize().run(table.problem(), Control()))


class Unseeded(Run):
    """A search that knows nothing at the start, so that more is left to the tree."""

    def seed(self) -> None:
        """Begin without a partition."""


@unhurried
@given(table=cut_tables(), order=ORDERS)
def test_without_a_seed_the_tree_finds_the_same(table: CutTable, order: Order) -> None:
    """Nothing of the proof rests on the seed."""
    check(table, Unseeded(table.problem(), Control(), order).run())


class Blind(Run):
    """A search that learns of no partition at all."""

    def __init__(self, problem: PartitionProblem) -> None:
        super().__init__(problem, Control(), by_splits)
        self.offer = lambda *_: None  # type: ignore[method-assign] # on purpose


def inside(table: CutTable, head: Bits, both: Bits) -> dict[Bits, int]:
    """Costs of the admissible partitions between two."""
    return {
        bits: cost
        for bits, cost in table.admissible()
        if all(h <= b <= a for h, b, a in zip(head, bits, both, strict=True))
    }


def seen(table: CutTable, head: Bits, tail: Bits) -> tuple[View, list[int], bool]:
    """Look at a node; return the view, its boundaries' places, and whether it may be admissible."""
    problem = table.problem()
    run = Blind(problem)
    places = np.flatnonzero(problem.cuttable)
    flags = np.zeros((2, problem.cuttable.size), dtype=np.bool_)
    flags[0, places], flags[1, places] = head, tail
    work = run.refine(run.begin(), flags[0], flags[1])
    return run.look(work, *flags), places.tolist(), work.gone <= problem.most_suppressed


@st.composite
def nodes(draw: st.DrawFn) -> tuple[CutTable, Bits, Bits]:
    """Draw a table with a head and a tail."""
    table = draw(cut_tables())
    each = draw(st.lists(st.integers(0, 2), min_size=table.length, max_size=table.length))
    return table, tuple(int(e == 1) for e in each), tuple(int(e == 2) for e in each)


ALTERNATING = CutTable((3,), ((0,), (1,), (2,)), ((10, 0), (0, 10), (10, 0)), 11, "cm", None)
"""Each of two merges puts ten records into a minority, both together put no more."""


@unhurried
@given(nodes())
@example((ALTERNATING, (0, 0), (1, 1)))
def test_no_partition_of_a_node_costs_less_than_its_bounds(
    node: tuple[CutTable, Bits, Bits],
) -> None:
    """For all partitions, for those that keep a boundary, and for those that do not."""
    table, head, tail = node
    view, places, admissible = seen(table, head, tail)
    costs = inside(table, head, tuple(h | t for h, t in zip(head, tail, strict=True)))
    assert admissible or not costs
    for bits, cost in costs.items():
        assert cost >= view.bound
        for at, place in enumerate(places):
            if tail[at]:
                assert cost >= (view.with_each if bits[at] else view.without_each)[place]


CROWD = CutTable((2,), ((0,), (1,)), ((20,), (2,)), 3, "dm", None)
"""Two records and twenty: to suppress the two costs 44 + 400, to keep all together 484."""


@unhurried
@given(nodes())
@example((CROWD, (0,), (1,)))
def test_a_useless_boundary_is_never_needed(node: tuple[CutTable, Bits, Bits]) -> None:
    """All that are useless can be left out together without losing the optimum of the node."""
    table, head, tail = node
    view, places, _ = seen(table, head, tail)
    useful = tuple(
        h | (t and not view.useless[place]) for h, t, place in zip(head, tail, places, strict=True)
    )
    every = inside(table, head, tuple(h | t for h, t in zip(head, tail, strict=True)))
    left = inside(table, head, tuple(map(int, useful)))
    assert min(left.values(), default=inf) == min(every.values(), default=inf)


def test_the_small_example_by_hand() -> None:
    """Ages 1, 1, 1, 2, 2, 3, 3, 3, 3, 4 with k = 3: {1, 2} and {3, 4} cost 50."""
    outcome = KOptimize().run(AGES.problem(), Control())
    assert outcome.best is not None
    assert (outcome.best.loss, outcome.best.policy.kept) == (50, 0b010)
    assert outcome.optimal


def test_the_classical_rule_for_useless_boundaries_would_be_wrong() -> None:
    """Where most are in one class it is cheaper to suppress two records than to keep them there."""
    assert CROWD.judged[(1,)].cost < CROWD.judged[(0,)].cost
    view, places, _ = seen(CROWD, (0,), (1,))
    assert not view.useless[places[0]]
    check(CROWD, KOptimize().run(CROWD.problem(), Control()))


def test_a_limit_forbids_the_cheapest_partition() -> None:
    """The same table, with no record to be suppressed."""
    outcome = KOptimize().run(replace(CROWD, limit=0).problem(), Control())
    assert outcome.best is not None
    assert (outcome.best.loss, outcome.best.suppressed) == (484, 0)


def test_a_table_smaller_than_k_is_suppressed_whole_or_not_at_all() -> None:
    """With a limit there is no partition, without one every partition costs the same."""
    table = CutTable((3,), ((0,), (2,)), ((1,), (1,)), 3, "dm", 1)
    check(table, KOptimize().run(table.problem(), Control()))
    free = CutTable((3,), ((0,), (2,)), ((1,), (1,)), 3, "dm", None)
    check(free, KOptimize().run(free.problem(), Control()))


def test_a_table_without_rows_costs_nothing() -> None:
    """Every partition is optimal."""
    domains = OrderedDomains(("a",), (3,))
    none = np.zeros((1, 0), dtype=np.uint32), np.zeros(0, dtype=np.int64)
    outcome = KOptimize().run(PartitionProblem(domains, *none, 2), Control())
    assert outcome.optimal
    assert outcome.best is not None
    assert outcome.best.loss == 0


def after(calls: int) -> Callable[[], bool]:
    """Say no so many times, then yes."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


@sparing
@given(cut_tables())
def test_stopped_anywhere_the_optimum_lies_between_bound_and_best(table: CutTable) -> None:
    """The bound does not fall and the best does not get worse, the later it is stopped."""
    least = table.least()
    optimum = inf if least is None else least
    outcomes: list[Outcome[Partition]] = []
    while not outcomes or outcomes[-1].ending != "complete":
        outcomes.append(KOptimize().run(table.problem(), Control(stopped=after(len(outcomes)))))
    for outcome in outcomes:
        assert outcome.lower_bound <= optimum
        assert optimum <= (outcome.best.loss if outcome.best else inf)
        assert outcome.proven == (outcome.ending == "complete")
        assert 0.0 <= outcome.gap <= 1.0
    for earlier, later in pairwise(outcomes):
        if earlier.best is not None:
            assert later.best is not None
            assert later.best.loss <= earlier.best.loss


@sparing
@given(cut_tables())
def test_progress_never_promises_too_much(table: CutTable) -> None:
    """Each report holds the optimum between bound and best."""
    least = table.least()
    optimum = inf if least is None else least
    reports: list[Progress] = []
    KOptimize().run(table.problem(), Control(report=reports.append, interval=0.0))
    for report in reports:
        assert report.lower_bound <= optimum
        assert optimum <= (report.best.loss if report.best else inf)
        assert report.open >= 1


def facts(outcome: Outcome[Partition]) -> tuple[object, ...]:
    """All but the time."""
    return outcome.best, outcome.lower_bound, outcome.evaluated, outcome.pruned, outcome.first_met


@unhurried
@given(cut_tables())
def test_two_runs_do_the_same(table: CutTable) -> None:
    """No clock and no chance takes part."""
    problem = table.problem()
    first = KOptimize().run(problem, Control())
    assert facts(first) == facts(KOptimize().run(table.problem(), Control(time_limit=3600.0)))


@sparing
@given(cut_tables())
def test_a_node_that_waited_is_worked_out_anew(table: CutTable) -> None:
    """The contents of a node do not depend on the way to it."""
    problem = table.problem()
    run = Blind(problem)
    nothing = np.zeros_like(problem.cuttable)
    run.explore(TreeNode(0, nothing, problem.cuttable))
    if run.diving is None or run.diving.work is None:
        return
    node = run.diving
    by_steps = run.refine(run.diving.work, node.head, node.tail)
    anew = run.refine(run.begin(), node.head, node.tail)
    assert by_steps.gone == anew.gone
    assert by_steps.number == anew.number
    assert sorted(by_steps.counts.tolist()) == sorted(anew.counts.tolist())
    assert (
        run.look(by_steps, node.head, node.tail).bound == run.look(anew, node.head, node.tail).bound
    )


def test_thousands_of_boundaries_do_not_exhaust_the_stack() -> None:
    """A domain of 4,000 values: pairs are best."""
    size = 4000
    rows = tuple((v,) for v in range(0, size, 8))
    table = CutTable((size,), rows, tuple((1,) for _ in rows), 2, "dm", None)
    outcome = KOptimize().run(table.problem(), Control())
    assert outcome.best is not None
    assert outcome.lower_bound <= outcome.best.loss == 1000
