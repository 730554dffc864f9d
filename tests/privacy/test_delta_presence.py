"""delta-presence compared with its definition in fractions."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import definition
import numpy as np
import pytest
from effort import sparing, thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import chains
from peopled import Peopled, bounds, model_of, peopled

from roadstead.errors import PolicyError, SettingError
from roadstead.policies.classes import Classes, classes_at, keep
from roadstead.policies.full_domain import Levels
from roadstead.privacy.combination import AllOf, bind_all, needs_population
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.delta_presence import DeltaPresence, Outsiders, Presence
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.settings import model_from
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import FrequencyTable

Limits = tuple[Fraction, Fraction]


def rows_by_class(classes: Classes) -> list[list[int]]:
    """List the rows of each class."""
    rows: list[list[int]] = [[] for _ in range(classes.sizes.size)]
    for row, number in zip(classes.rows.tolist(), classes.ids.tolist(), strict=True):
        rows[number].append(row)
    return rows


def at(peopled: Peopled, levels: Levels) -> Classes:
    """Classes of a policy that have records."""
    return classes_at(peopled.encoding, levels)


@unhurried
@given(peopled(), bounds(), st.data())
def test_a_class_is_released_if_its_presence_is_within_the_bounds(
    town: Peopled, limits: Limits, data: st.DataObject
) -> None:
    """People of the class outside the table count; classes of such people alone do not."""
    levels, _, _ = data.draw(chains(town.case))
    classes = at(town, levels)
    found = model_of(limits).bind(town.table).satisfied(classes).tolist()
    admits = town.admits(*limits)
    assert found == [admits(rows) for rows in rows_by_class(classes)]
    everything = definition.judge(town.case, levels, lambda _: True).classes
    inhabited = {rows for rows in everything if town.records_of(rows)}
    assert {tuple(sorted(rows)) for rows in rows_by_class(classes)} == inhabited
    assert classes.records == town.case.records


@unhurried
@given(peopled(), bounds(), st.data())
def test_the_monotone_part_is_weaker_and_monotone(
    town: Peopled, limits: Limits, data: st.DataObject
) -> None:
    """A row that fails it under a policy fails it, and the model, under every more specific one."""
    specific, _, general = data.draw(chains(town.case))
    model = model_of(limits).bind(town.table)
    part = model.monotone_part
    assert part.monotone_part is part
    assert part is model.monotone_part
    fine, coarse = at(town, specific), at(town, general)
    assert not (model.satisfied(fine) & ~part.satisfied(fine)).any()
    kept_below = set(keep(fine, part.satisfied(fine))[0].rows.tolist())
    assert kept_below <= set(keep(coarse, part.satisfied(coarse))[0].rows.tolist())


@unhurried
@given(bounds(), st.integers(1, 6), st.integers(0, 40))
def test_nothing_sharper_is_monotone(limits: Limits, smallest: int, outside: int) -> None:
    """A class that passes the monotone part has at least the numbers of one that satisfies all.

    Both are counted up to where the least of them must be.
    """
    part = bound(limits, smallest).monotone_part
    feasible = [
        (records, people - records)
        for records, people in product(range(smallest, 40), range(1, 400))
        if records <= people and limits[0] <= Fraction(records, people) <= limits[1]
    ]
    for records in range(smallest, 40):
        reached = any(f <= records and o <= outside for f, o in feasible)
        assert reached == (part.records <= records and part.outside <= outside)


def bound(limits: Limits, smallest: int) -> Presence:
    """Bind a model to a table of one combination."""
    nobody = np.zeros(0, dtype=np.int64)
    least, most = limits
    return Presence(nobody, least, most, smallest, complete=True)


def test_bounds_that_leave_little_room_are_searched_for_a_while() -> None:
    """Where f / F must be exactly 1234567 / 7654321, the least f is not found, and bounds all."""
    share = Fraction(1_234_567, 7_654_321)
    part = bound((share, share), 1).monotone_part
    assert (part.records, part.outside) == (1001, 5206)
    assert Fraction(1001) / share - 1001 <= part.outside < Fraction(1001) / share - 1000


@unhurried
@given(peopled(), bounds(), st.data())
def test_what_suppresses_nothing_does_so_when_more_general(
    town: Peopled, limits: Limits, data: st.DataObject
) -> None:
    """That is what a model promises that says it merges."""
    specific, _, general = data.draw(chains(town.case))
    model = model_of(limits).bind(town.table)
    assert model.merges == (limits[0] == 0 or 0 not in town.case.counts)
    assert model.monotone_part.merges
    assert model.per_class
    if model.merges and model.satisfied(at(town, specific)).all():
        assert model.satisfied(at(town, general)).all()


def town_of(*rows: tuple[int, int]) -> FrequencyTable:
    """Make a table of one attribute with records and people for each value."""
    return FrequencyTable(
        attributes=("a",),
        domains=(tuple("abcdefgh"[: len(rows)]),),
        codes=(np.arange(len(rows), dtype=np.int32),),
        counts=np.array([records for records, _ in rows], dtype=np.int64),
        population=np.array([people for _, people in rows], dtype=np.int64),
    )


def test_people_who_join_a_class_may_take_it_below_the_minimum() -> None:
    """So with a minimum the model merges only if everybody is like a record."""
    model = DeltaPresence(minimum=0.5, maximum=1.0)
    assert not model.bind(town_of((5, 10), (0, 100))).merges
    assert model.bind(town_of((5, 10), (1, 100))).merges
    assert DeltaPresence(maximum=0.5).bind(town_of((5, 10), (0, 100))).merges


@thorough
@given(peopled(), bounds())
def test_the_optimum_is_that_of_enumeration(town: Peopled, limits: Limits) -> None:
    """Exact search prunes with the monotone part alone."""
    outcome = Exact().run(town.problem(model_of(limits)), Control())
    expected = definition.best(town.case, town.admits(*limits))
    assert outcome.ending == "complete"
    if expected is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert outcome.best.policy == expected.levels
    assert outcome.best.suppressed == expected.suppressed
    assert outcome.best.loss == pytest.approx(expected.loss, rel=0, abs=1e-12)
    assert outcome.optimal


@sparing
@given(peopled(), bounds(), st.data())
def test_other_models_do_not_see_people_who_are_not_in_the_table(
    town: Peopled, limits: Limits, data: st.DataObject
) -> None:
    """An average over classes counts those with records; in a combination all hold."""
    levels, _, _ = data.draw(chains(town.case))
    classes = at(town, levels)
    average, size = AverageRisk(0.25), KAnonymity(town.case.k)
    sizes = [town.records_of(rows) for rows in rows_by_class(classes)]
    assert classes.sizes.tolist() == sizes
    assert 0 not in sizes
    both = bind_all([model_of(limits), size, average], town.table)
    assert isinstance(both, AllOf)
    released = keep(classes, both.satisfied(classes))[0]
    for rows in rows_by_class(released):
        assert town.admits(*limits)(rows)
        assert town.records_of(rows) >= town.case.k
    assert len(rows_by_class(released)) * 4 <= released.records


def test_worked_numbers() -> None:
    """Bounds are exact, also if they are not binary fractions."""
    table = town_of((1, 3), (3, 10), (2, 2), (1, 1000), (0, 7))
    classes = Classes(
        np.arange(4, dtype=np.uint64) * np.uint64(2**32 + 1),
        np.arange(4, dtype=np.uint32),
        table.counts[:4],
    )

    def found(minimum: float, maximum: float) -> list[bool]:
        model = DeltaPresence(minimum=minimum, maximum=maximum).bind(table)
        return [bool(kept) for kept in model.satisfied(classes)]

    assert found(0.0, 1.0) == [True, True, True, True]
    assert found(0.0, 1 / 3) == [True, True, False, True]
    assert found(0.0, 0.333) == [False, True, False, True]
    assert found(0.3, 1 / 3) == [True, True, False, False]
    assert found(1 / 3, 1.0) == [True, False, True, False]
    assert found(0.001, 0.001) == [False, False, False, True]
    assert found(1.0, 1.0) == [False, False, True, False]
    part = DeltaPresence(maximum=0.1).bind(table).monotone_part
    assert (part.records, part.outside) == (1, 9)
    part = DeltaPresence(minimum=0.4, maximum=0.4).bind(table).monotone_part
    assert (part.records, part.outside) == (2, 3)
    assert isinstance(part, Outsiders)


def test_numbers_of_people_may_be_as_large_as_they_can_be_counted() -> None:
    """No product of theirs is taken that needs more than 64 bits."""
    people = 2**62 + 12_345
    share = 0.123456789
    most = int(Fraction("0.123456789") * people)
    table = town_of((most, people), (most + 1, people))
    classes = Classes(
        np.arange(2, dtype=np.uint64) * np.uint64(2**32 + 1),
        np.arange(2, dtype=np.uint32),
        table.counts,
    )
    upper = DeltaPresence(maximum=share).bind(table)
    assert upper.satisfied(classes).tolist() == [True, False]
    lower = DeltaPresence(minimum=share, maximum=1.0).bind(table)
    assert lower.satisfied(classes).tolist() == [False, True]


def test_no_classes_get_no_answers() -> None:
    """A policy may suppress everything."""
    model = DeltaPresence(maximum=0.5).bind(town_of((1, 2)))
    empty = Classes(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.int64))
    for part in (model, model.monotone_part):
        assert part.satisfied(empty).dtype == np.bool_
        assert part.satisfied(empty).tolist() == []


def test_without_a_population_nothing_can_be_said() -> None:
    """The message says how to give one."""
    table = replace(town_of((1, 2)), population=None)
    with pytest.raises(SettingError, match="population=FILE"):
        DeltaPresence(maximum=0.5).bind(table)
    assert needs_population([KAnonymity(2), DeltaPresence(maximum=0.5)])
    assert not needs_population([KAnonymity(2), AverageRisk(0.5)])


@pytest.mark.parametrize(
    "model", [DeltaPresence(maximum=0.1), DeltaPresence(minimum=0.05, maximum=1 / 3)]
)
def test_settings_come_back_from_a_file_as_the_same_model(model: DeltaPresence) -> None:
    """Through JSON; and it says what it is."""
    assert model_from(json.loads(json.dumps(model.settings())), where="here") == model
    assert model_from({"kind": "delta-presence", "maximum": 1}, where="here").columns == ()
    assert f"at most {model.maximum:g}" in model.promise
    assert (f"at least {model.minimum:g}" in model.promise) == (model.minimum > 0)
    assert model.promise.endswith(".")
    assert f"{model.maximum:g}" in model.name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"maximum": 0}, "maximum is 0.0, but must be above 0"),
        ({"maximum": 1e-12}, "maximum is 1e-12"),
        ({"maximum": 10}, "maximum is 10.0"),
        ({"maximum": float("nan")}, "maximum is nan"),
        ({"maximum": 0.1, "minimum": -0.1}, "minimum is -0.1"),
        ({"maximum": 0.1, "minimum": 0.2}, "minimum is 0.2, but must be from 0 to the maximum"),
        ({"minimum": 0.2}, "parameter 'maximum'"),
        ({"maximum": 0.1, "column": "a"}, "parameter 'column'"),
    ],
)
def test_bounds_that_are_none_are_refused(settings: dict[str, object], message: str) -> None:
    """A percentage is not treated as a share."""
    with pytest.raises(PolicyError, match=message):
        model_from({"kind": "delta-presence", **settings}, where="here")


@thorough
@given(peopled(), bounds().filter(lambda limits: limits[0] > 0))
def test_with_everybody_the_optimum_is_the_best_policy_that_leaves_nobody_out(
    town: Peopled, limits: Limits
) -> None:
    """Classes of people without a record count, in plain Python; it is all or nothing."""
    within = town.admits(*limits)
    whole = [
        definition.judge(town.case, one, lambda _: True) for one in definition.policies(town.case)
    ]
    good = [one for one in whole if all(within(rows) for rows in one.classes)]
    expected = min(good, key=lambda one: (one.order, sum(one.levels), one.levels), default=None)
    least, most = (float(share) for share in limits)
    problem = town.problem(DeltaPresence(most, least, everybody=True))
    if town.case.limit >= town.case.records:  # nothing at all may be released then
        return
    outcome = Exact().run(problem, Control())
    assert outcome.proven
    assert (outcome.best is None) == (expected is None)
    if outcome.best is not None and expected is not None:
        assert outcome.best.policy == expected.levels
        assert outcome.best.suppressed == 0


def test_with_everybody_a_class_of_people_without_a_record_refuses_all() -> None:
    """The example of the page."""
    apart, together = town_of((2, 4), (0, 3)), town_of((2, 7))
    model = DeltaPresence(0.6, 0.2, everybody=True)

    def one_class(table: FrequencyTable) -> list[bool]:
        rows = np.zeros(1, dtype=np.uint64)
        classes = Classes(rows, np.zeros(1, dtype=np.uint32), table.counts[:1])
        found: list[bool] = model.bind(table).satisfied(classes).tolist()
        return found

    assert one_class(apart) == [False]
    assert one_class(together) == [True]
    assert model.promise.startswith("Every person in the population has")
    assert model_from(model.settings(), where="here") == model
    with pytest.raises(SettingError, match="everybody"):
        DeltaPresence(0.6, everybody=True)
