"""Rows without records, of people who are not in the table, change nothing for other models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import assume, given
from hypothesis import strategies as st
from lattices import Case, chains
from measures import problem, tried_with_all
from peopled import Peopled, peopled
from toy_models import DistinctValues, Histogram, histograms

from roadstead.kernels import grouping
from roadstead.policies.classes import Classes, classes_at, keep, refine
from roadstead.quality.by_class import BoundByClass
from roadstead.search.evaluation import evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control


def without_empty(case: Case, histogram: Histogram) -> tuple[Case, Histogram]:
    """Leave the rows without records out."""
    some = [row for row, count in enumerate(case.counts) if count]
    kept = tuple(case.rows[row] for row in some)
    return replace(case, rows=kept, counts=tuple(case.counts[row] for row in some)), histogram[some]


def knows_the_missing_value(case: Case) -> list[bool]:
    """For each attribute, whether its hierarchy has to cover a missing value."""
    columns = zip(*case.rows, strict=True)
    pairs = zip(case.attributes, columns, strict=True)
    return ["" in {*attribute.values, *column} for attribute, column in pairs]


@pytest.mark.parametrize("name", tried_with_all())
@sparing
@given(peopled(), st.data())
def test_every_policy_is_worth_the_same_without_them(
    name: str, town: Peopled, data: st.DataObject
) -> None:
    """By these measures, under a model of sizes or of a column; and so is the optimum."""
    histogram = data.draw(histograms(town.case), label="histogram")
    case, rest = without_empty(town.case, histogram)
    assume(knows_the_missing_value(case) == knows_the_missing_value(town.case))
    distinct = data.draw(st.booleans(), label="distinct")
    full = problem(town.case, name, histogram, DistinctValues(2, histogram) if distinct else None)
    bare = problem(case, name, rest, DistinctValues(2, rest) if distinct else None)
    for levels in full.space:
        found = evaluate(full, levels, start(full))
        expected = evaluate(bare, levels, start(bare))
        assert found.suppressed == expected.suppressed
        assert found.candidate == expected.candidate
    first, second = Exact().run(full, Control()), Exact().run(bare, Control())
    assert first.best == second.best
    if not isinstance(full.quality, BoundByClass):
        # Measures by class group rows again for a bound if few are left; the rows decide how often.
        assert first.evaluated == second.evaluated


def partition(classes: Classes) -> dict[frozenset[int], int]:
    """Rows that are together, with the size of their class."""
    together: dict[int, set[int]] = {}
    for row, number in zip(classes.rows.tolist(), classes.ids.tolist(), strict=True):
        together.setdefault(number, set()).add(row)
    assert sorted(together) == list(range(classes.sizes.size))
    return {frozenset(rows): int(classes.sizes[number]) for number, rows in together.items()}


@pytest.mark.parametrize("dense", [True, False])
@unhurried
@given(peopled(), st.data())
def test_classes_of_such_rows_alone_are_left_out(
    dense: bool,  # noqa: FBT001 - a parameter of the test
    town: Peopled,
    data: st.DataObject,
) -> None:
    """Whichever way pairs are numbered, in one step or in two, and people are added up."""
    specific, between, _ = data.draw(chains(town.case))
    encoding = town.encoding
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "fits_dense", lambda *_: dense)
        classes = classes_at(encoding, specific)
        halfway = classes_at(encoding, between)
        halfway, _ = keep(halfway, np.ones(halfway.sizes.size, dtype=np.bool_))
        in_two = refine(encoding, halfway, between, specific)
    together: dict[tuple[str, ...], set[int]] = {}
    for row, values in enumerate(town.case.rows):
        labels = tuple(
            h.levels[level].labels[h.codes_of([value])[level][0]]
            for h, level, value in zip(encoding.hierarchies, specific, values, strict=True)
        )
        together.setdefault(labels, set()).add(row)
    expected = {
        frozenset(rows): town.records_of(sorted(rows))
        for rows in together.values()
        if town.records_of(sorted(rows))
    }
    assert partition(classes) == expected
    assert partition(in_two) == expected
    people = classes.totals(np.array(town.people, dtype=np.int64)).tolist()
    for rows, number in zip(_rows_of(classes), people, strict=True):
        assert number == town.people_of(rows)


def _rows_of(classes: Classes) -> list[list[int]]:
    return [classes.rows[classes.ids == c].tolist() for c in range(classes.sizes.size)]
