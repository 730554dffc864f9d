"""A loss that its user writes: the optimum by enumeration, and what is refused while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any, ClassVar

import definition
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, crowded

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.quality.width_formula import BoundOfWidths, LossOfWidths, WidthFunction, Widths
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.testing.quality_models import check_quality_model


def far(widths: Widths) -> float:
    """The length of the vector of widths."""
    return float(sum(w * w for w in widths) ** 0.5)


GROWING: list[WidthFunction] = [sum, max, prod, far]


def problem(case: Case, function: WidthFunction) -> FullDomainProblem:
    """Make the engine's problem of a case."""
    plain = case.problem()
    return replace(plain, quality=LossOfWidths(function).bind(plain.encoding))


@pytest.mark.parametrize("function", GROWING)
def test_a_function_that_grows_keeps_the_contract(function: WidthFunction) -> None:
    """Bounds below every policy, losses between 0 and 1."""
    check_quality_model(LossOfWidths(function), tables=15)


@pytest.mark.parametrize("number", range(len(GROWING)))
@examples(10)
@given(cases(most_attributes=3))
def test_the_optimum_is_that_of_enumeration_by_the_definition(number: int, case: Case) -> None:
    """Widths from the labels themselves, with dictionaries."""
    function = GROWING[number]
    outcome = Exact().run(problem(case, function), Control())
    tops = [attribute.height - 1 for attribute in case.attributes]
    everything = tuple(
        definition.covered(case, i, top, case.rows[0][i]) for i, top in enumerate(tops)
    )
    low, high = function((1,) * len(tops)), function(everything)

    def loss(one: definition.Judged) -> float:
        total = high * one.suppressed
        for rows in one.classes:
            row = case.rows[rows[0]]
            widths = [
                definition.covered(case, i, level, row[i]) for i, level in enumerate(one.levels)
            ]
            total += sum(case.counts[at] for at in rows) * function(tuple(widths))
        return (total / case.records - low) / (high - low) if high > low else 0.0

    rule = definition.large_enough(case)
    judged = [definition.judge(case, levels, rule) for levels in definition.policies(case)]
    losses = [loss(one) for one in judged if one.suppressed <= case.limit]
    assert outcome.proven
    assert (outcome.best is None) == (not losses)
    if outcome.best is not None:
        assert outcome.best.loss == pytest.approx(min(losses), rel=0, abs=1e-9)


def table() -> dict[str, list[str]]:
    """Ages and towns of 60 people."""
    pairs = list(product(range(20, 40, 2), range(6)))
    return {"age": [str(age) for age, _ in pairs], "town": [f"t{town}" for _, town in pairs]}


def falling(widths: Widths) -> float:
    """Wide ages are good."""
    return 100.0 - widths[0]


def dipping(widths: Widths) -> float:
    """It grows from end to end, and falls between."""
    return 50.0 if 1 < widths[0] < 9 else float(widths[0])


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (falling, "falls"),
        (dipping, "falls from 50"),
        (lambda _: float("nan"), "is nan"),
    ],
)
def test_a_function_that_falls_is_refused_with_the_widths(
    function: Any,  # noqa: ANN401 - where a name is declared
    said: str,
) -> None:
    """The message names no cell of the table."""
    import pandas as pd  # noqa: PLC0415 - heavy

    with pytest.raises(SettingError, match=said) as refused:
        rs.anonymize(pd.DataFrame(table()), quasi=["age", "town"], quality=function, k=3)
    assert "t1" not in str(refused.value)


@examples(5)
@given(cases(most_attributes=2), st.data())
def test_a_bound_that_was_told_and_does_not_hold_is_refused(
    case: Case, data: st.DataObject
) -> None:
    """Should no combination of widths give the function away, a policy does."""
    known = problem(case, lambda widths: float(sum(widths)))
    quality = known.quality
    assert isinstance(quality, BoundOfWidths)
    top = evaluate(known, known.space.top, start(known))
    levels = data.draw(st.sampled_from(list(known.space)))
    bound = quality.lower_bound(known.space.bottom, known.space.top, top.tally, top.kept)
    assert bound <= quality.loss(levels, top.tally, evaluate(known, levels, top).kept) + 1e-9
    quality._told.append((bound + 2.0, known.space.bottom, known.space.top))
    with pytest.raises(SettingError, match="but its lower bound is"):
        quality.loss(levels, top.tally, evaluate(known, levels, top).kept)


class Asking(tuple[int, ...]):
    """Levels; each look at them lets another dive report a bound."""

    __slots__ = ()
    tell: ClassVar[Callable[[], object]]

    def __iter__(self) -> Iterator[int]:
        Asking.tell()
        return super().__iter__()


def test_bounds_may_be_told_while_others_are_looked_at() -> None:
    """As two dives side by side do on a large table."""
    known = problem(crowded(46), sum)
    bottom, top = known.space.bottom, known.space.top
    whole = evaluate(known, top, start(known))

    def tell() -> float:
        return known.quality.lower_bound(bottom, top, whole.tally, whole.kept)

    tell()
    tell()
    Asking.tell = tell
    assert known.quality.loss(Asking(top), whole.tally, whole.kept) >= tell()
