"""Which of several identical classes stay: the same ones in every place."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases
from sensitive import Sample

from roadstead.policies.classes import Classes, keep
from roadstead.policies.full_domain import Levels
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.population_uniqueness import PopulationUniqueness
from roadstead.privacy.models.records_at_risk import FewRecordsAtRisk
from roadstead.privacy.models.sample_uniqueness import SampleUniqueness
from roadstead.release.generalization import under_labels
from roadstead.search.evaluation import evaluate, released_of, start

Model: TypeAlias = SampleUniqueness | AverageRisk | FewRecordsAtRisk | PopulationUniqueness
MODELS: st.SearchStrategy[Model] = st.sampled_from(
    [
        SampleUniqueness(0.2),
        SampleUniqueness(0.4),
        AverageRisk(0.4),
        AverageRisk(0.25),
        FewRecordsAtRisk(0.25, 0.4),
        PopulationUniqueness(0.003, 10_000),
        PopulationUniqueness(0.03, 10_000, "zayatz"),
    ]
)


def test_those_that_stay_are_at_equal_distances() -> None:
    """Of ten records alone three may stay with twelve others."""
    sample = Sample(("x",), (*[(1,)] * 10, (12,)), ())
    found = SampleUniqueness(0.2).satisfied(sample.classes([(row,) for row in range(11)]))
    assert np.flatnonzero(found).tolist() == [1, 5, 8, 10]


@unhurried
@given(cases(), MODELS, st.data())
def test_a_search_and_a_release_let_the_same_rows_stay(
    case: Case, model: Model, data: st.DataObject
) -> None:
    """Whichever policies a search came by, and from the labels alone."""
    known = replace(case.problem(model), limit=case.records)
    encoding = known.encoding
    levels = tuple(data.draw(st.integers(0, height - 1)) for height in encoding.heights)
    above = tuple(
        data.draw(st.integers(level, height - 1))
        for level, height in zip(levels, encoding.heights, strict=True)
    )
    by_way = evaluate(known, levels, evaluate(known, above, start(known)))
    straight = evaluate(known, levels, start(known))
    found = rows_of(released_of(known, straight)[0])
    assert rows_of(released_of(known, by_way)[0]) == found
    assert rows_in_release(case, model, levels) == found


def rows_of(classes: Classes) -> list[int]:
    """Rows of some classes, ascending."""
    return sorted(classes.rows.tolist())


def rows_in_release(case: Case, model: Model, levels: Levels) -> list[int]:
    """Rows of the table that are released when its values are replaced by labels."""
    encoding = case.encoding()
    table = encoding.table
    labels = tuple(
        tuple(hierarchy.rule(level).label(value) or "" for value in domain)
        for hierarchy, level, domain in zip(
            encoding.hierarchies, levels, table.domains, strict=True
        )
    )
    made = under_labels(table, labels, (0,) * len(labels), [model])
    merged = {
        tuple(domain[code] for domain, code in zip(made.merged.domains, codes, strict=True))
        for codes in np.array(made.merged.codes)[:, made.kept].T.tolist()
    }
    columns = [
        [own[code] for code in codes] for own, codes in zip(labels, table.codes, strict=True)
    ]
    return [row for row, shown in enumerate(zip(*columns, strict=True)) if shown in merged]


@pytest.mark.parametrize("model", [SampleUniqueness(0.3), AverageRisk(0.5)])
def test_the_numbers_of_classes_do_not_matter(model: Model) -> None:
    """The order of rows does not matter either: a class is known by its first row."""
    sample = Sample(("x",), ((1,), (2,), (1,), (1,), (5,), (1,), (2,)), ())
    groups = [(row,) for row in range(7)]
    table = sample.table()
    expected = rows_of(kept(model, sample.classes(groups)))
    assert len(expected) < table.distinct
    assert rows_of(kept(model, sample.classes(groups[::-1]))) == expected
    assert rows_of(kept(model, sample.classes(groups[3:] + groups[:3]))) == expected


def kept(model: Model, classes: Classes) -> Classes:
    """Classes that stay."""
    return keep(classes, model.satisfied(classes))[0]
