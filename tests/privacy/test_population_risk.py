"""Population risk compared with its definition in fractions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import definition
import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import chains
from peopled import Peopled, peopled

from roadstead.errors import PolicyError
from roadstead.policies.classes import Classes, classes_at, keep
from roadstead.policies.full_domain import Levels
from roadstead.privacy.combination import bind_all, needs_population, takes_population
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.population_risk import AveragePopulationRisk, least_maximum
from roadstead.privacy.protocol import OneFigure, PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import FrequencyTable

Counted = tuple[int, int]
"""Records and people."""

BOUNDS = ["1", "0.5", "0.3333333333333333", "0.25", "0.2", "0.1", "0.125", "0.07", "0.03"]
maxima = st.sampled_from(BOUNDS)
gammas = st.sampled_from([1, 1, 2, 3])


def by_hand(classes: Sequence[Counted], maximum: str, gamma: int) -> list[bool]:
    """Leave out the classes of fewest people again and again until the mean is low enough."""
    left = list(classes)

    def mean() -> Fraction:
        records = sum(n for n, _ in left)
        return sum((Fraction(n, g**gamma) for n, g in left), Fraction(0)) / records

    while left and mean() > Fraction(maximum):
        fewest = min(g for _, g in left)
        left = [(n, g) for n, g in left if g > fewest]
    least = min((g for _, g in left), default=None)
    return [least is not None and g >= least for _, g in classes]


def town_of(*rows: Counted) -> FrequencyTable:
    """Make a table of one attribute, with records and people for each value."""
    return FrequencyTable(
        attributes=("a",),
        domains=(tuple(f"{i:05d}" for i in range(len(rows))),),
        codes=(np.arange(len(rows), dtype=np.int32),),
        counts=np.array([records for records, _ in rows], dtype=np.int64),
        population=np.array([people for _, people in rows], dtype=np.int64),
    )


def every(table: FrequencyTable) -> Classes:
    """Make every row a class."""
    number = np.arange(table.distinct, dtype=np.uint32)
    members = (number.astype(np.uint64) << np.uint64(32)) | number
    return Classes(members, number, table.counts)


def kept(rows: Sequence[Counted], maximum: float, gamma: float = 1.0) -> list[bool]:
    """Ask the model of classes of one row each."""
    table = town_of(*rows)
    model = AveragePopulationRisk(maximum, gamma)
    return [bool(one) for one in model.bind(table).satisfied(every(table))]


@unhurried
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 40)), min_size=1, max_size=12),
    maxima,
    gammas,
)
def test_classes_of_fewest_people_go_until_the_mean_is_low(
    classes: list[Counted], maximum: str, gamma: int
) -> None:
    """Records count, not classes; a mean exactly at the number written passes, above it none."""
    counted = [(records, records + others) for records, others in classes]
    assert kept(counted, float(maximum), gamma) == by_hand(counted, maximum, gamma)


@unhurried
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 40)), min_size=1, max_size=12),
    maxima,
    st.sampled_from(["0.5", "1.5", "0.1"]),
)
def test_with_any_gamma_no_mean_above_the_bound_passes(
    classes: list[Counted], maximum: str, gamma: str
) -> None:
    """In fifty digits; and more is left out only where it is in doubt."""
    counted = [(records, records + others) for records, others in classes]
    found = kept(counted, float(maximum), float(gamma))
    with localcontext() as context:
        context.prec = 50

        def mean(least: int) -> Decimal:
            left = [(n, g) for n, g in counted if g >= least]
            total = sum((n / Decimal(g) ** Decimal(gamma) for n, g in left), Decimal(0))
            return total / sum(n for n, _ in left)

        released = [g for (_, g), one in zip(counted, found, strict=True) if one]
        gone = [g for (_, g), one in zip(counted, found, strict=True) if not one]
        assert not released or mean(min(released)) <= Decimal(maximum)
        assert not gone or mean(max(gone)) > Decimal(maximum) * (1 - Decimal("1e-8"))
        assert not released or not gone or max(gone) < min(released)


def test_the_sum_is_exact_where_floating_point_is_not() -> None:
    """A third is above what its sixteen digits say, and below those rounded up."""
    thirds = [(1, 3)] * 7 + [(5, 15), (11, 33)]
    assert kept(thirds[:7], 0.3333333333333333) == [False] * 7
    assert kept(thirds[:7], 0.3333333333333334) == [True] * 7
    tenths = [(1, 10), (3, 10), (7, 10)]
    assert kept(tenths, 0.1) == [True] * 3
    # 1/2 + 1/3 + 1/6 of four records is a quarter, which no partial sum shows.
    assert kept([(1, 2), (1, 3), (1, 6), (1, 10**18)], 0.25) == [False, True, True, True]
    assert kept([(1, 2), (1, 3), (1, 6)], 0.3333333333333333) == [False, True, True]
    assert kept([(1, 2), (1, 4), (1, 4)], 0.3333333333333333) == [False, True, True]
    assert kept([(1, 2), (1, 4), (1, 4), (1, 2**60)], 0.25) == [False, True, True, True]


def test_many_different_numbers_of_people_are_added_up_exactly() -> None:
    """Two thousand fractions telescope: the sum of 1/(g (g + 1)) is 1/2 - 1/2002."""
    people = [(1, g * (g + 1)) for g in range(2, 2002)]
    exact = (Fraction(1, 2) - Fraction(1, 2002)) / 2000
    share = float(exact)
    near = [share * (1 + step * 2**-52) for step in (-2, -1, 0, 1, 2)]
    for maximum in near:
        assert all(kept(people, maximum)) == (exact <= Fraction(repr(maximum)))
    assert {all(kept(people, maximum)) for maximum in near} == {True, False}


def test_worked_numbers() -> None:
    """The table of the four ages: expected re-identifications of the data and of its top."""
    data = [(2, 5), (1, 3), (1, 2), (0, 4), (1, 6), (1, 2), (0, 1), (1, 2)]
    some = [(n, g) for n, g in data if n]
    table = town_of(*some)
    bound = AveragePopulationRisk(0.5).bind(table)
    risk = bound.risk(every(table))
    assert risk * 7 == pytest.approx(2.4, abs=1e-12)
    assert AveragePopulationRisk(1.0, 0.5).bind(table).risk(every(table)) * 7 == pytest.approx(
        4.001346, abs=1e-6
    )
    assert AveragePopulationRisk(1.0, 2.0).bind(table).risk(every(table)) * 7 == pytest.approx(
        0.968889, abs=1e-6
    )
    assert all(kept(some, 0.34286))
    assert not all(kept(some, 0.34285))
    assert isinstance(bound, OneFigure)
    assert bound.stated(every(table)) == (
        "2.4 of 7 records (0.342857) are expected to be re-identified by guesses among the people "
        "in the population; at most 0.5 is allowed"
    )


@unhurried
@given(peopled(), maxima, st.data())
def test_people_outside_the_table_protect_its_records(
    town: Peopled, maximum: str, data: st.DataObject
) -> None:
    """People who match no record are in no class; people who match one are counted."""
    levels, _, _ = data.draw(chains(town.case))
    classes = classes_at(town.encoding, levels)
    rows = rows_by_class(classes)
    counted = [(town.records_of(own), town.people_of(own)) for own in rows]
    bound = AveragePopulationRisk(float(maximum)).bind(town.table)
    assert bound.satisfied(classes).tolist() == by_hand(counted, maximum, 1)
    released = keep(classes, bound.satisfied(classes))[0]
    assert bound.satisfied(released).all()
    exact = sum(Fraction(n, g) for n, g in counted) / town.case.records
    assert bound.risk(classes) == pytest.approx(float(exact), rel=1e-12)


def rows_by_class(classes: Classes) -> list[list[int]]:
    """List the rows of each class."""
    rows: list[list[int]] = [[] for _ in range(classes.sizes.size)]
    for row, number in zip(classes.rows.tolist(), classes.ids.tolist(), strict=True):
        rows[number].append(row)
    return rows


@unhurried
@given(peopled(), maxima, st.sampled_from([1.0, 2.0, 0.5]), st.data())
def test_what_suppresses_nothing_does_so_when_more_general(
    town: Peopled, maximum: str, gamma: float, data: st.DataObject
) -> None:
    """The risk never rises; so a model that says it merges keeps its word."""
    specific, _, general = data.draw(chains(town.case))
    bound = AveragePopulationRisk(float(maximum), gamma).bind(town.table)
    fine, coarse = classes_at(town.encoding, specific), classes_at(town.encoding, general)
    assert (bound.merges, bound.per_class) == (True, False)
    assert bound.risk(coarse) <= bound.risk(fine) * (1 + 1e-12)
    if bound.satisfied(fine).all():
        assert bound.satisfied(coarse).all()
    assert bound.monotone_part.satisfied(fine).all()


@unhurried
@given(peopled(), st.sampled_from(["1", "0.5", "0.2", "0.1"]), st.data())
def test_without_a_population_it_is_average_risk(
    town: Peopled, maximum: str, data: st.DataObject
) -> None:
    """For a record in a class of f records, 1/f; a population only lowers that."""
    levels, _, _ = data.draw(chains(town.case))
    classes = classes_at(town.encoding, levels)
    model, bare = AveragePopulationRisk(float(maximum)), replace(town.table, population=None)
    found = model.bind(bare).satisfied(classes)
    assert found.tolist() == AverageRisk(float(maximum)).satisfied(classes).tolist()
    assert model.bind(town.table).risk(classes) <= model.bind(bare).risk(classes) * (1 + 1e-12)
    assert "no population is given" in model.bind(bare).stated(classes)


def best(
    town: Peopled, k: int | None, maximum: str, gamma: int, limit: int
) -> definition.Judged | None:
    """Enumerate the policies, and judge each by its definition."""
    judged = []
    for levels in definition.policies(town.case):
        released = released_by_hand(town, levels, k, maximum, gamma)
        judged.append(definition.judge(town.case, levels, released.issuperset))
    fitting = [one for one in judged if one.suppressed <= limit]
    return min(fitting, key=lambda one: (one.order, sum(one.levels), one.levels), default=None)


def released_by_hand(
    town: Peopled, levels: Levels, k: int | None, maximum: str, gamma: int
) -> set[int]:
    """Rows of the classes that a policy releases."""
    every_class = definition.judge(town.case, levels, lambda _: True).classes
    some = [rows for rows in every_class if town.records_of(rows) >= (k or 1)]
    counted = [(town.records_of(rows), town.people_of(rows)) for rows in some]
    answers = by_hand(counted, maximum, gamma)
    return {row for rows, one in zip(some, answers, strict=True) if one for row in rows}


@sparing
@given(peopled(), maxima, gammas, st.booleans(), st.booleans())
def test_the_optimum_is_that_of_enumeration(
    town: Peopled,
    maximum: str,
    gamma: int,
    nothing: bool,  # noqa: FBT001 - a parameter of the test
    sized: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Exact search, alone and with k-anonymity, with and without suppressed records."""
    k = town.case.k if sized else None
    models: list[PrivacyModel] = [AveragePopulationRisk(float(maximum), gamma)]
    models += [KAnonymity(k)] if k is not None else []
    limit = 0 if nothing else town.case.limit
    problem = replace(town.case.problem(bind_all(models, town.table)), limit=limit)
    outcome = Exact().run(problem, Control())
    expected = best(town, k, maximum, gamma, limit)
    assert outcome.ending == "complete"
    if expected is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert outcome.optimal
    assert outcome.best.policy == expected.levels
    assert outcome.best.suppressed == expected.suppressed
    assert outcome.best.loss == pytest.approx(expected.loss, rel=0, abs=1e-12)


@pytest.mark.parametrize("population", [True, False])
def test_no_classes_get_no_answers(population: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A policy may suppress everything."""
    table = town_of((1, 2)) if population else replace(town_of((1, 2)), population=None)
    bound = AveragePopulationRisk(0.5).bind(table)
    empty = Classes(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.int64))
    assert bound.satisfied(empty).dtype == np.bool_
    assert bound.satisfied(empty).tolist() == []
    assert bound.risk(empty) == 0.0
    assert bound.monotone_part.satisfied(empty).tolist() == []


def test_a_population_is_taken_and_not_needed() -> None:
    """Without one the records are counted, which is on the safe side."""
    assert takes_population([KAnonymity(2), AveragePopulationRisk(0.5)])
    assert not needs_population([KAnonymity(2), AveragePopulationRisk(0.5)])
    assert not takes_population([KAnonymity(2), AverageRisk(0.5)])


@unhurried
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 400)), min_size=1, max_size=12),
    st.sampled_from([1.0, 2.0]),
)
def test_a_maximum_rounded_up_from_a_risk_is_kept(classes: list[Counted], gamma: float) -> None:
    """However the risk was rounded when it was measured; and it is hardly more."""
    counted = [(records, records + others) for records, others in classes]
    table = town_of(*counted)
    risk = AveragePopulationRisk(1.0, gamma).bind(table).risk(every(table))
    maximum = least_maximum(risk)
    assert risk * (1 - 1e-12) <= maximum <= risk * 1.001 + 1e-15
    assert all(kept(counted, maximum, gamma))


def test_a_maximum_has_few_digits() -> None:
    """So that it can be read, and never more than 1."""
    assert least_maximum(0.0123456) == 0.01235
    assert least_maximum(0.1) == 0.1
    assert least_maximum(1.0) == 1.0
    assert least_maximum(0.99999) == 1.0
    assert least_maximum(1.00001e-7, digits=2) == 1.1e-7


@pytest.mark.parametrize("model", [AveragePopulationRisk(0.01), AveragePopulationRisk(1e-05, 0.5)])
def test_settings_come_back_from_a_file_as_the_same_model(model: AveragePopulationRisk) -> None:
    """Through JSON; and it says what it is, with all digits of the bound."""
    assert model_from(json.loads(json.dumps(model.settings())), where="here") == model
    assert model.columns == ()
    assert model.threshold == 1.0
    assert f"at most {model.maximum!r} " in model.promise
    assert model.promise.endswith(".")
    assert f"{model.maximum!r}" in model.name
    assert ("gamma" in model.name) == (model.gamma != 1.0)
    assert ("expected" in model.promise) == (model.gamma == 1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"maximum": 0}, "maximum is 0.0, but must be from 1e-12 to 1"),
        ({"maximum": 1e-13}, "maximum is 1e-13"),
        ({"maximum": 2}, "maximum is 2.0"),
        ({"maximum": float("nan")}, "maximum is nan"),
        ({"maximum": 0.1, "gamma": 0}, "gamma is 0.0, but must be above 0"),
        ({"maximum": 0.1, "gamma": float("inf")}, "gamma is inf"),
        ({"maximum": 0.1, "gamma": float("nan")}, "gamma is nan"),
        ({"gamma": 1}, "parameter 'maximum'"),
        ({"maximum": 0.1, "average": 0.1}, "parameter 'average'"),
    ],
)
def test_bounds_that_are_none_are_refused(settings: dict[str, Any], message: str) -> None:
    """A percentage is not treated as a share."""
    with pytest.raises(PolicyError, match=message):
        model_from({"kind": "population-risk", **settings}, where="here")
