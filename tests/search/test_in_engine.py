"""Exact search by queries against the same search in memory, and against the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import definition
import ibis
import numpy as np
import pyarrow as pa
import pytest
from engine_cases import bench, few, in_engine, queries, records
from hypothesis import assume, given
from hypothesis import strategies as st
from lattices import Attribute, Case, cases, chains, crowded
from published_tables import TABLES, published

from roadstead.errors import SettingError, SourceError
from roadstead.policies.classes import classes_at, no_class
from roadstead.quality.aggregates import GeometricMean
from roadstead.search.diagnosis import diagnose, diagnosed
from roadstead.search.evaluation import evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.in_engine import reading
from roadstead.search.in_engine.problem import classes_of_policy, prepare
from roadstead.search.in_engine.reading import Queries, make_base, read_domains
from roadstead.search.protocol import Control, Progress
from roadstead.tables.reading import read
from roadstead.tables.stores.access import workbench


@contextmanager
def eager() -> Iterator[None]:
    """Look for a roll-up after every other evaluation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_LOOKED_BACK", 2)
        yield


@few
@given(cases(most_attributes=3))
def test_the_optimum_is_that_of_memory_and_of_enumeration(case: Case) -> None:
    """Same policy, figures and evaluations, by any way through the roll-ups."""
    expected = definition.best(case)
    memory = Exact().run(case.problem(), Control())
    with eager(), in_engine(case) as tables:
        found = Exact().run(tables.evaluator, Control())
    assert found.best == memory.best
    assert found.lower_bound == memory.lower_bound
    assert found.proven
    assert (found.evaluated, found.pruned) == (memory.evaluated, memory.pruned)
    if expected is None:
        assert found.best is None
    else:
        assert found.best is not None
        assert (found.best.policy, found.best.suppressed) == (expected.levels, expected.suppressed)


@few
@given(st.data(), cases(most_attributes=3))
def test_the_bounds_of_a_sublattice_are_those_of_memory(data: st.DataObject, case: Case) -> None:
    """One evaluation gives exactly what every lower end between needs."""
    problem = case.problem()
    low, middle, high = data.draw(chains(case))
    lower, between, upper = (
        tuple(max(own, bottom) for own, bottom in zip(levels, case.bottom, strict=True))
        for levels in (low, middle, high)
    )
    known = evaluate(problem, upper, start(problem))
    with eager(), in_engine(case) as tables:
        for _ in range(3):  # from the base, from a roll-up if there is one
            found = tables.evaluator.evaluate(upper, tables.evaluator.start(), lower)
            assert found.suppressed == known.suppressed
            assert found.candidate == known.candidate
            if known.candidate is None:
                continue
            for levels in (lower, between, upper):
                ours = tables.evaluator.bounds.lower_bound(levels, upper, found.tally, found.kept)
                bound = problem.quality.lower_bound(levels, upper, known.tally, known.kept)
                assert ours == bound


@few
@given(st.data(), cases(most_attributes=3))
def test_what_was_not_asked_for_is_bounded_still(data: st.DataObject, case: Case) -> None:
    """Below the lower end, a tally bounds the loss by what all records lose there."""
    problem = case.problem()
    low, middle, high = data.draw(chains(case))
    below, lower, upper = (
        tuple(max(own, bottom) for own, bottom in zip(levels, case.bottom, strict=True))
        for levels in (low, middle, high)
    )
    known = evaluate(problem, upper, start(problem))
    assume(known.candidate is not None)
    with in_engine(case) as tables:
        found = tables.evaluator.evaluate(upper, tables.evaluator.start(), lower)
        ours = tables.evaluator.bounds.lower_bound(below, upper, found.tally, found.kept)
    assert ours <= problem.quality.lower_bound(below, upper, known.tally, known.kept)


@few
@given(st.data(), cases(most_attributes=3))
def test_the_classes_brought_over_are_those_of_the_policy(data: st.DataObject, case: Case) -> None:
    """Their sizes, the sizes of the combinations, and one value for each label."""
    encoding = case.encoding()
    heights = zip(case.bottom, encoding.heights, strict=True)
    levels = data.draw(st.tuples(*[st.integers(low, high - 1) for low, high in heights]))
    with in_engine(case) as tables:
        found = classes_of_policy(tables, levels, 100)
        sizes, numbers = tables.evaluator.sizes(levels)
    expected = sorted(classes_at(encoding, levels).sizes.tolist())
    assert sorted(found.counts.tolist()) == expected
    assert np.repeat(sizes, numbers).tolist() == expected
    assert found.records == case.records
    assert found.domains == encoding.table.domains
    assert np.repeat(found.sizes.sizes, found.sizes.numbers).tolist() == sorted(case.counts)
    labels = [
        own[level][column]
        for own, level, column in zip(encoding.lookups, levels, found.codes, strict=True)
    ]
    assert len(set(zip(*(each.tolist() for each in labels), strict=True))) == found.distinct


@few
@given(cases(most_attributes=3))
def test_why_there_is_no_policy_is_told_as_from_memory(case: Case) -> None:
    """The amount of suppression, and the levels that prevent a policy."""
    problem = case.problem()
    assume(Exact().run(problem, Control()).best is None)
    with in_engine(case) as tables:
        evaluator = tables.evaluator
        told = diagnosed(
            evaluator,
            evaluator.records,
            evaluator.suppressed,
            masks=case.records >= case.k,
        )
    assert told == diagnose(problem)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "number"),
    [
        *(("adult", number) for number in range(3, 7)),
        *(
            pytest.param(name, number, marks=pytest.mark.nightly)
            for name, number in (("adult", 7), ("adult", 8), ("cup", 8))
        ),
    ],
)
def test_the_published_optima_are_found_with_hundreds_of_queries_at_most(
    data_dir: Path, name: str, number: int, record_property: Callable[[str, object], None]
) -> None:
    """As in memory, at about a query an evaluation."""
    problem = published(data_dir, name, number)
    memory = Exact().run(problem, Control())
    table = TABLES[name]
    with read(data_dir / table.file) as source, workbench(source) as place:
        asked = Queries(place, source.name)
        tables = prepare(
            asked,
            read_domains(asked, table.first(number), 100_000),
            problem.encoding.hierarchies,
            aggregate=GeometricMean(),
            smallest=5,
            limit=problem.limit,
            short=1_000,
        )
        found = Exact().run(tables.evaluator, Control())
    record_property("queries", found.queries)
    record_property("roll-ups", tables.rollups.made)
    assert found.best == memory.best
    assert found.optimal
    assert found.evaluated == memory.evaluated
    # A count and a roll-up for eight evaluations, and what comes before the search.
    assert found.queries <= found.evaluated * 1.25 + number + 10


def test_roll_ups_are_looked_through_in_the_place_of_the_base() -> None:
    """With them far fewer rows are asked of; they are never more rows than the base together."""
    case = crowded(7)
    with eager(), in_engine(case) as tables:
        found = Exact().run(tables.evaluator, Control())
        base = tables.base.kept.rows
        assert tables.rollups.made > 0
        assert tables.rollups.scanned < found.evaluated * base
    with in_engine(case, short=base + 1) as tables:
        without = Exact().run(tables.evaluator, Control())
        assert tables.rollups.made == 0
    assert without.best == found.best


def test_roll_ups_that_are_too_many_go_with_the_one_not_used_for_longest() -> None:
    """And what is gone is not asked any more."""
    values = tuple(f"v{i}" for i in range(6))
    halves = ("l", "l", "l", "h", "h", "h")
    names = ("a", "b", "c")
    attributes = tuple(
        Attribute(name, values, (values, halves, ("*",) * 6), (1,) * 6) for name in names
    )
    rows = tuple((x, y, z) for x in values for y in values for z in values)
    zeros, top = (0, 0, 0), (2, 2, 2)
    case = Case(attributes, rows, (1,) * 216, 2, 216, "arithmetic", None, zeros, top)
    with eager(), in_engine(case) as tables:
        for needed in [(1, 0, 0), (0, 1, 0), (0, 0, 1)]:
            for _ in range(2):
                kept = tables.rollups.table_for(needed)
            assert (kept.lower, kept.rows) == (needed, 72)
        held = [tables.rollups.table_for(needed).lower for needed in [(1, 0, 0), (0, 0, 1)]]
        assert held == [(1, 0, 0), (0, 0, 1)]
        for _ in range(3):  # 24 rows more, where 216 are held
            tables.rollups.table_for((1, 0, 1))
        assert tables.rollups.table_for((1, 0, 1)).rows == 24
        assert tables.rollups.table_for((0, 1, 0)).lower == zeros
        assert tables.rollups.made == 4


def test_the_search_ends_when_it_is_told_to() -> None:
    """Between queries, with the best so far and what is proven of the others."""
    asked = iter([False, False, True])
    with in_engine(crowded(7)) as tables:
        found = Exact().run(tables.evaluator, Control(stopped=lambda: next(asked)))
    optimum = Exact().run(crowded(7).problem(), Control()).best
    assert found.ending == "interrupted"
    assert optimum is not None
    assert found.lower_bound <= optimum.loss


def test_progress_tells_queries() -> None:
    """More and more of them."""
    told: list[Progress] = []
    with in_engine(crowded(7)) as tables:
        control = Control(report=told.append, interval=0.0)
        found = Exact().run(tables.evaluator, control)
    queries = [progress.queries for progress in told]
    assert queries == sorted(queries)
    assert 0 < queries[0] < queries[-1] < found.queries


def test_an_attribute_with_too_many_values_is_refused() -> None:
    """It is named, and no value of it."""
    with pytest.raises(SettingError, match=r"column 'a': it has more than 1 distinct values"):
        read_domains(queries(crowded(7)), ("a", "b"), 1)


def test_classes_too_many_to_be_held_are_refused() -> None:
    """The option is named."""
    with (
        in_engine(crowded(7)) as tables,
        pytest.raises(SettingError, match="combinations: the best policy has more than 3"),
    ):
        classes_of_policy(tables, (0, 0, 0, 0), 3)


def test_a_table_without_records_is_refused() -> None:
    """As it is in memory."""
    empty = Queries(bench(records(crowded(7)).slice(0, 0)), "records")
    with pytest.raises(SourceError, match="there are no records"):
        read_domains(empty, ("a", "b"), 10)


def test_a_table_that_changed_while_it_was_read_is_refused() -> None:
    """Other records than those counted cannot be evaluated."""
    with in_engine(crowded(7)) as tables:
        records_counted = tables.evaluator.records
        with pytest.raises(SourceError, match="changed while it was read"):
            make_base(tables.queries, tables.columns, (0, 0, 0, 0), records_counted + 1)


def test_nothing_but_one_row_comes_over_for_an_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many classes are suppressed."""
    rows = []
    answer = Queries.answer

    def watched(self: Queries, expression: ibis.Table) -> pa.Table:
        found = answer(self, expression)
        rows.append(found.num_rows)
        return found

    with in_engine(crowded(7)) as tables:
        monkeypatch.setattr(Queries, "answer", watched)
        found = tables.evaluator.evaluate((0, 0, 0, 0), tables.evaluator.start(), (0, 0, 0, 0))
    assert found.suppressed > 0
    assert found.kept.sizes.size == no_class().sizes.size
    assert rows == [1]
