"""Optima under estimated k-map that another tool finds on a real table.

The table is Adult with nine quasi-identifiers, as a tenth of its population, with 5% suppressed at
most. That tool's zero-truncated Poisson is d4. Its plain Poisson requires one record more than the
definition of d3 does, so there the classes are given by their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.policies.classes import classes_at
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.loss import Loss
from roadstead.risk.minimal_size import Estimator, minimal_size
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

COLUMNS = (
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "salary-class"),
)
FRACTION = 0.1
TRUNCATED = [
    (5, 0.01, 4, 0.7671522102675974, (0, 3, 0, 1, 2, 1, 1, 1, 0), 1431),
    (5, 0.05, 3, 0.7854696845855458, (0, 3, 0, 0, 2, 1, 0, 2, 0), 1496),
    (5, 0.1, 3, 0.7854696845855458, (0, 3, 0, 0, 2, 1, 0, 2, 0), 1496),
    (20, 0.01, 7, 0.7189196180992756, (0, 3, 0, 1, 3, 1, 1, 1, 0), 1361),
]
PLAIN = [
    (5, 0.01, 5, 0.7570844289429579, (0, 3, 0, 0, 2, 1, 1, 2, 0), 1383),
    (5, 0.05, 4, 0.7671522102675974, (0, 3, 0, 1, 2, 1, 1, 1, 0), 1431),
    (5, 0.1, 3, 0.7854696845855458, (0, 3, 0, 0, 2, 1, 0, 2, 0), 1496),
    (20, 0.01, 8, 0.7150691247243257, (0, 3, 0, 1, 3, 1, 1, 1, 0), 1508),
]


@cache
def adult(folder: Path) -> Encoding:
    """Read the table and the hierarchies of the published figures once."""
    with read(folder / "adult.csv") as source:
        table = summarize(source, COLUMNS)
    files = find_hierarchies(folder / "hierarchies_2016_paper", COLUMNS)
    return encode(table, [read_hierarchy(files[name], name) for name in COLUMNS])


@pytest.fixture
def encoding(data_dir: Path) -> Encoding:
    """Adult."""
    return adult(data_dir / "adult")


def problem(encoding: Encoding, privacy: BoundPrivacy) -> FullDomainProblem:
    """Geometric mean of the losses."""
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=privacy,
        quality=Loss(GeometricMean()).bind(encoding),
        limit=5 * encoding.records // 100,
    )


def check(
    encoding: Encoding,
    privacy: BoundPrivacy,
    quality: float,
    levels: Sequence[int],
    suppressed: int,
) -> None:
    """Same policy, same records, same quality to the last digits, and proven."""
    outcome = Exact().run(problem(encoding, privacy), Control())
    assert outcome.best is not None
    assert outcome.best.policy == tuple(levels)
    assert outcome.best.suppressed == suppressed
    assert 1.0 - outcome.best.loss == pytest.approx(quality, rel=0, abs=1e-14)
    assert outcome.optimal


@pytest.mark.parametrize(
    ("k", "significance", "size", "quality", "levels", "suppressed"), TRUNCATED
)
def test_d4_finds_what_the_zero_truncated_estimator_finds(
    encoding: Encoding,
    k: int,
    significance: float,
    size: int,
    quality: float,
    levels: Sequence[int],
    suppressed: int,
) -> None:
    """To the last digit."""
    model = EstimatedKMap(k, FRACTION, "d4", significance)
    assert model.smallest == size
    check(encoding, model.bind(encoding.table), quality, levels, suppressed)


@pytest.mark.parametrize(("k", "significance", "size", "quality", "levels", "suppressed"), PLAIN)
def test_one_more_than_d3_finds_what_the_plain_estimator_finds(
    encoding: Encoding,
    k: int,
    significance: float,
    size: int,
    quality: float,
    levels: Sequence[int],
    suppressed: int,
) -> None:
    """The smallest class by its definition, and one, but never more than k."""
    assert min(minimal_size(k, FRACTION, "d3", significance) + 1, k) == size
    check(encoding, KAnonymity(size), quality, levels, suppressed)


@pytest.mark.parametrize(("estimator", "size"), [("d2", 2), ("d3", 3), ("d4", 4)])
def test_the_adapted_cost_is_discernibility_with_other_classes_suppressed(
    encoding: Encoding, estimator: Estimator, size: int
) -> None:
    """Paper 001's: squares of the classes kept, and all records for each record of the others."""
    levels, records = (0, 3, 0, 0, 2, 1, 1, 1, 0), encoding.records
    model = EstimatedKMap(10, FRACTION, estimator)
    assert model.smallest == size
    known = replace(
        problem(encoding, model.bind(encoding.table)),
        quality=Discernibility().bind(encoding),
        limit=records,
    )
    found = evaluate(known, levels, start(known)).candidate
    sizes = classes_at(encoding, levels).sizes.tolist()
    cost = sum(n * n if n >= size else records * n for n in sizes)
    assert found is not None
    assert found.suppressed == sum(n for n in sizes if n < size)
    assert found.loss == pytest.approx(cost / records**2, rel=1e-12)
