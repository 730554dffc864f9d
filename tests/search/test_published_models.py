"""Optima under models that use a sensitive column, as another tool finds them on Adult.

Eight quasi-identifiers, occupation sensitive, k = 5, 5% suppressed at most, geometric mean. The
other tool evaluates 428, 466, 3,043 and 3,017 policies for the four. The tests allow no more than
the numbers here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.settings import model_from
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

QUASI = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
)
SENSITIVE = "occupation"


@dataclass(frozen=True)
class Adult:
    """The table under its hierarchies, and the rows of the sensitive column's own."""

    encoding: Encoding
    rows: list[list[str]]


def rows_of(hierarchy: Hierarchy) -> list[list[str]]:
    """Each value with its labels."""
    columns = [[level.labels[c] for c in level.codes.tolist()] for level in hierarchy.levels]
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.fixture(scope="module")
def adult(data_dir: Path) -> Adult:
    """Read the table and all hierarchies."""
    with read(data_dir / "adult" / "adult.csv") as source:
        table = summarize(source, QUASI, alongside=(SENSITIVE,))
    found = find_hierarchies(data_dir / "adult" / "hierarchies_2016_paper", [*QUASI, SENSITIVE])
    hierarchies = {name: read_hierarchy(path, name) for name, path in found.items()}
    encoding = encode(table, [hierarchies[name] for name in QUASI])
    return Adult(encoding, rows_of(hierarchies[SENSITIVE]))


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("settings", "quality", "levels", "suppressed", "evaluations"),
    [
        (
            {"kind": "distinct-l-diversity", "l": 2},
            0.8288350057809766,
            (0, 3, 0, 0, 2, 1, 1, 0),
            1383,
            58,
        ),
        (
            {"kind": "entropy-l-diversity", "l": 2},
            0.8268403392394614,
            (0, 3, 0, 0, 2, 1, 1, 0),
            1451,
            61,
        ),
        (
            {"kind": "t-closeness", "t": 0.2},
            0.18443844905018958,
            (1, 4, 1, 1, 3, 1, 2, 1),
            321,
            1233,
        ),
        (
            {"kind": "t-closeness", "t": 0.2, "distance": "hierarchical"},
            0.3858051288352944,
            (1, 4, 0, 0, 3, 1, 2, 1),
            1471,
            1753,
        ),
    ],
    ids=["distinct", "entropy", "equal distance", "hierarchical distance"],
)
def test_the_optimum_is_the_one_another_tool_finds(
    adult: Adult,
    settings: dict[str, Any],
    quality: float,
    levels: Levels,
    suppressed: int,
    evaluations: int,
) -> None:
    """Same policy, same records, same quality to the last digits, and proven."""
    more = {"hierarchy": adult.rows} if settings.get("distance") == "hierarchical" else {}
    model = model_from({**settings, "column": SENSITIVE, **more}, where="here")
    encoding = adult.encoding
    problem = FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=bind_all([KAnonymity(5), model], encoding.table),
        quality=Loss(GeometricMean()).bind(encoding),
        limit=5 * encoding.records // 100,
    )
    outcome = Exact().run(problem, Control())
    assert outcome.best is not None
    assert outcome.optimal
    assert outcome.best.policy == levels
    assert outcome.best.suppressed == suppressed
    assert 1.0 - outcome.best.loss == pytest.approx(quality, rel=0, abs=1e-14)
    assert outcome.evaluated <= evaluations
