"""An honest analyst is not stopped: forty clinical columns, all named for release."""

from __future__ import annotations

import random

import pyarrow as pa
from effort import examples
from honest_columns import COLUMNS, QUASI, SENSITIVE, hospital
from hypothesis import given
from hypothesis import strategies as st
from revealing_tables import looked_at

import roadstead as rs
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read

FEWEST, MOST_REFUSED = 40, 2


def _refused(records: int, seed: int) -> set[str]:
    """Name the honest columns against which something speaks."""
    found = looked_at(hospital(records, seed), QUASI)
    findings = {name for name, one in found.judgments.items() if one.findings}
    assert not found.persons
    return (findings | set(found.objections)) - set(QUASI)


@examples(4)
@given(records=st.integers(80, 2_500), seed=st.integers(0, 10_000))
def test_at_most_two_of_forty_honest_columns_are_objected_to(records: int, seed: int) -> None:
    """Laboratory values, codes, scores, and correlated measurements, in tables of any size."""
    assert len(COLUMNS) >= FEWEST
    assert len(_refused(records, seed)) <= MOST_REFUSED


def test_a_usual_table_of_an_honest_analyst_is_released_without_a_word() -> None:
    """All columns leave that were named, unchanged."""
    rows = hospital(600, 3)
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    others = [name for name in COLUMNS if name not in SENSITIVE]
    result = rs.anonymize(
        table, quasi=QUASI, sensitive=SENSITIVE, unchanged=others, suppression=0.05
    )
    assert set(result.to_arrow().column_names) == {*QUASI, *COLUMNS}
    assert not result.withheld


def test_measurements_of_which_each_record_has_its_own_are_not_codes() -> None:
    """Blood pressures, and numbers with a unit, in a table of few records; a code is refused."""
    chance = random.Random(4)  # noqa: S311 - no secret
    table = pa.table(
        {
            "reading": [f"{at + 90}/{at // 3 + 50}" for at in range(120)],
            "mass": [f"{chance.gauss(70, 9):.3f} kg" for _ in range(120)],
            "limit": [f"<{chance.random():.4f}" for _ in range(120)],
            "tag": [f"{at + 90}/{at + 200}" for at in range(120)],
        }
    )
    with read(table) as source:
        judged = examine(source, source.columns).judgments
    assert [name for name, one in judged.items() if one.identifier] == ["tag"]
