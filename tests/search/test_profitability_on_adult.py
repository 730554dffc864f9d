"""The figures of profitability's page: what exact search finds on Adult, in how many evaluations.

The optima are those of evaluating all 12,960 policies, which takes too long to be repeated here.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.models.profitability import Profitability
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

QUASI = (
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "salary-class"),
)


@pytest.fixture(scope="module")
def adult(data_dir: Path) -> Encoding:
    """Read the table and all hierarchies."""
    with read(data_dir / "adult" / "adult.csv") as source:
        table = summarize(source, QUASI)
    found = find_hierarchies(data_dir / "adult" / "hierarchies_2016_paper", QUASI)
    return encode(table, [read_hierarchy(found[name], name) for name in QUASI])


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("limit", "levels", "suppressed", "evaluations"),
    [
        ("0", (0, 4, 1, 1, 3, 2, 2, 1, 0), 0, 97),
        ("0.05", (0, 3, 0, 0, 3, 1, 1, 2, 0), 1508, 618),
        ("1", (0, 3, 0, 0, 2, 0, 1, 1, 0), 4406, 524),
    ],
)
def test_the_optimum_is_found_in_so_many_evaluations(
    adult: Encoding, limit: str, levels: Levels, suppressed: int, evaluations: int
) -> None:
    """Of 12,960 policies, proven."""
    problem = FullDomainProblem(
        encoding=adult,
        space=full_domain(adult.hierarchies),
        privacy=Profitability(300.0, 1200.0, 300.0, 4.0).bind(adult.table),
        quality=Loss(GeometricMean()).bind(adult),
        limit=int(Fraction(limit) * adult.records),
    )
    outcome = Exact().run(problem, Control())
    assert problem.space.size == 12_960
    assert outcome.proven
    assert outcome.best is not None
    assert (outcome.best.policy, outcome.best.suppressed) == (levels, suppressed)
    assert outcome.evaluated <= evaluations
