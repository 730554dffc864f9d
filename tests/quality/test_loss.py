"""Iyengar's loss on one table, against its definition."""

from __future__ import annotations

import definition
import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, chains

from roadstead.hierarchies.hierarchy import from_columns
from roadstead.hierarchies.numbers import intervals
from roadstead.policies.classes import one_class
from roadstead.policies.encoding import Encoding, encode
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import evaluate, start
from roadstead.search.evaluator import Evaluation
from roadstead.tables.frequency import FrequencyTable


@unhurried
@given(cases(), st.data())
def test_each_attribute_loses_what_the_definition_says(case: Case, data: st.DataObject) -> None:
    """To the last of the ten decimals, with the suppressed records counted in full."""
    problem = case.unlimited()
    levels, _, _ = data.draw(chains(case))
    found = evaluate(problem, levels, start(problem))
    expected = definition.judge(case, levels, definition.large_enough(case))
    assert found.suppressed == expected.suppressed
    losses = problem.quality.loss_by_attribute(levels, found.tally, found.kept)
    assert losses == [units / definition.UNIT for units in expected.losses]
    loss = problem.quality.loss(levels, found.tally, found.kept)
    assert loss == pytest.approx(expected.loss, rel=0, abs=1e-12)


@unhurried
@given(cases(), st.data())
def test_a_policy_loses_the_same_whatever_way_led_to_it(case: Case, data: st.DataObject) -> None:
    """Evaluated from any more general policy, the sums are equal, not just close."""
    problem = case.unlimited()
    specific, between, general = data.draw(chains(case))
    afresh = evaluate(problem, specific, start(problem))
    on_top = evaluate(problem, general, start(problem))
    in_steps = evaluate(problem, specific, evaluate(problem, between, on_top))

    def worth(evaluation: Evaluation) -> tuple[object, ...]:
        tally = evaluation.tally
        return evaluation.candidate, evaluation.suppressed, tally.sums.tolist(), tally.losses

    assert worth(in_steps) == worth(afresh)


@unhurried
@given(cases())
def test_the_tally_of_no_rows_is_kept_as_it_is(case: Case) -> None:
    """Suppressing nothing costs nothing and computes nothing."""
    quality = case.problem().quality
    tally = quality.nothing_suppressed()
    assert quality.suppress(tally, np.zeros(0, dtype=np.uint32)) is tally


def two_values(first: int, second: int) -> Encoding:
    """An attribute of two values, which so many records have."""
    hierarchy = from_columns("x", [("a", "b"), ("*", "*")], origin="test")
    codes = (np.array([0, 1], dtype=np.int32),)
    counts = np.array([first, second], dtype=np.int64)
    return encode(FrequencyTable(("x",), (("a", "b"),), codes, counts), [hierarchy])


@pytest.mark.parametrize(
    ("suppressed", "records"),
    [(1, 3), (2, 3), (41, 50), (57, 100), (69, 100), (87, 125), (29, 100)],
)
def test_a_loss_is_cut_not_rounded_and_exactly(suppressed: int, records: int) -> None:
    """Two thirds end in a six, and 41 of 50 are 0.82 and not a unit less."""
    encoding = two_values(suppressed, records - suppressed)
    quality = Loss().bind(encoding)
    tally = quality.suppress(quality.nothing_suppressed(), np.zeros(1, dtype=np.uint32))
    assert quality.loss_by_attribute((0,), tally, one_class(encoding)) == [
        (suppressed * 10**10 // records) / 10**10
    ]


@pytest.mark.parametrize(
    ("widest", "records"), [(10**7, 3 * 10**7), (10**9, 10**6), (10**10, 10**5)]
)
def test_a_wide_range_of_many_records_is_cut_as_exactly(widest: int, records: int) -> None:
    """Charges to ten million in a table of thirty million records, or long codes in a small one."""
    hierarchy = intervals("charge", ["0", str(widest)], [100])
    codes = (np.array([0, 1], dtype=np.int32),)
    counts = np.array([records // 3, records - records // 3], dtype=np.int64)
    table = FrequencyTable(("charge",), (("0", str(widest)),), codes, counts)
    encoding = encode(table, [hierarchy])
    quality = Loss().bind(encoding)
    tally = quality.suppress(quality.nothing_suppressed(), np.zeros(1, dtype=np.uint32))
    expected = [(records // 3 * 10**10 // records) / 10**10]
    assert quality.loss_by_attribute((0,), tally, one_class(encoding)) == expected


def test_a_domain_of_one_value_has_nothing_to_lose() -> None:
    """Also when all of its records are suppressed."""
    hierarchy = from_columns("x", [("a",), ("*",)], origin="test")
    codes, counts = (np.zeros(1, dtype=np.int32),), np.array([7], dtype=np.int64)
    encoding = encode(FrequencyTable(("x",), (("a",),), codes, counts), [hierarchy])
    quality = Loss().bind(encoding)
    tally = quality.suppress(quality.nothing_suppressed(), np.zeros(1, dtype=np.uint32))
    assert quality.loss_by_attribute((1,), tally, one_class(encoding)) == [0.0]


def test_the_settings_say_how_the_loss_was_measured() -> None:
    """For the certificate, as JSON can hold it."""
    assert Loss().settings() == {"kind": "loss", "aggregate": "geometric", "weights": None}
    assert Loss(ArithmeticMean((1.0, 3.0))).settings() == {
        "kind": "loss",
        "aggregate": "arithmetic",
        "weights": [1.0, 3.0],
    }
    assert Loss() == Loss(GeometricMean())
