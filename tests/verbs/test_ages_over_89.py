"""Ages over 89: proposed as one band, never released apart, and said if two dates show them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import run

import roadstead as rs
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.defaults import propose
from roadstead.tables.identifiers.vocabulary import meaning

AGES = [str(18 + at % 82) for at in range(1640)]
TABLE = pa.table({"age": pa.array(map(int, AGES)), "sex": ["f", "m", "m"] * 546 + ["f", "f"]})


@pytest.mark.parametrize(
    ("name", "values", "top"),
    [
        ("age", [*map(str, range(20, 96))], 90),
        ("alter", ["20.5", "44.2", "60.1", "71.7", "90.0", "93.9"], 90),
        ("age", [*map(str, range(20, 90)), "> 89", "91"], 90),
        ("age", [*map(str, range(20, 90))], None),
        ("age", [*map(str, range(20, 86)), "999"], None),  # a code is not an age
        ("age", [*map(str, range(0, 9000, 60))], None),  # days
        ("weight", [*map(str, range(20, 96))], None),
    ],
)
def test_a_band_is_proposed_where_ages_over_89_occur(
    name: str, values: list[str], top: int | None
) -> None:
    """Each level of the proposal has one label for all of them, and the exact age for others."""
    spec = propose(name, values, meaning(name))
    assert spec.get("top") == top
    if top is None:
        return
    hierarchy = build_declared(name, spec, values)
    old = [value for value in values if value == "> 89" or float(value) >= 90]
    for level in range(hierarchy.height - 1):
        assert {hierarchy.levels[level].label(hierarchy.values.index(v)) for v in old} == {"90+"}
    assert (
        hierarchy.domain_size
        == build_declared(name, {**spec, "bands_only": False}, values).domain_size
    )


@pytest.mark.quick(2)
@pytest.mark.parametrize("recoding", ["global", "cells", "local", "intervals"])
def test_no_release_shows_an_age_over_89(recoding: str) -> None:
    """With every recoding; the sentence has the count."""
    made = rs.anonymize(TABLE, quasi=["age", "sex"], k=3, recoding=cast("Any", recoding))
    shown = {str(row["age"]) for row in made.table().to_pyarrow().to_pylist()}
    assert not [age for age in shown if age.isdigit() and int(age) > 89]
    assert "90+" in shown
    assert "89" in shown
    old = sum(int(age) > 89 for age in AGES)
    assert any(
        f"{old} of 1,640 records have a value over 89 in age" in line for line in made.noticed
    )


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_two_dates_that_show_old_ages_are_said(recoding: str) -> None:
    """A decade of birth and a year of admission; a year less, and nothing is said."""

    def said(year: int) -> list[str]:
        born = [date(1915, 1, 1)] * 7 + [date(1961, 2, 3)] * 33
        table = pa.table({"birth_date": born, "admission": [date(year, 6, 6)] * 40})
        levels: Any = {"birth_date": 4, "admission": 3}
        found = rs.anonymize(
            table,
            quasi=["birth_date", "admission"],
            k=5,
            recoding=cast("Any", recoding),
            min_level=levels,
            declared={
                "birth_date": {"kind": "dates"},
                "admission": {"kind": "dates"},
            },
        )
        return [line for line in found.noticed if "over 89" in line]

    (line,) = said(2011)
    assert line.startswith("Together, birth_date and admission show an age over 89 in 7 records")
    assert said(2009) == []


@pytest.mark.parametrize("search", ["combined", "exact"])
def test_a_policy_of_a_frontier_that_shows_ages_over_89_is_pointed_out(search: str) -> None:
    """Its intervals may separate them, unless the hierarchy has one band."""
    found = rs.frontier(TABLE, quasi=["age", "sex"], search=search, evaluations=300)
    finest = found.choose(len(found.to_arrow()) - 1, reason="a look at the finest")
    assert ("ages over 89 " in str(finest)) is (search == "combined")


def test_a_hierarchy_without_a_band_is_pointed_out() -> None:
    """Whatever made the release; a category of 90 alone may be the category of all old ages."""
    listed = {"age": {"kind": "intervals", "widths": [5]}}
    wide = rs.anonymize(TABLE, quasi=["age"], hierarchies=listed, k=2, min_level={"age": 1})
    old = sum(int(age) >= 90 for age in AGES)
    assert f"age shows ages over 89 in {old} records. Safe Harbor requires one" in str(wide)
    ninety = TABLE.set_column(0, "age", pa.array([min(int(age), 90) for age in AGES]))
    assert "shows ages over 89" not in str(rs.anonymize(ninety, quasi=["age"], k=2))


@pytest.mark.parametrize(
    ("width", "lower", "way"),
    [(10, False, False), (5, False, True), (20, True, True)],
)
def test_one_band_of_a_table_of_bands_is_one_category(
    *, width: int, lower: bool, way: bool
) -> None:
    """Fault class: [90-100) was not one category, and the advice was only for numbers."""
    bands = [f"[{low}-{low + width})" for low in range(0, 100, width)]
    table = pa.table({"age": bands * 40})
    said = str(rs.anonymize(table, quasi=["age"], k=40))
    assert ("of age also covers ages over 89" in said) is lower
    assert ("age shows ages over 89" in said) is (way and not lower)
    assert ("write all bands with such ages as one open band, such as 90+" in said) is way
    followed = ["90+" if band.startswith(("[90", "[95", "[80-100")) else band for band in bands]
    again = str(rs.anonymize(pa.table({"age": followed * 40}), quasi=["age"], k=40))
    assert "ages over 89" not in again


def test_a_band_of_lower_ages_too_is_not_said_to_show_old_ages(tmp_path: Path) -> None:
    """Its records are not of people over 89; the fix is in the terms of the reader."""
    young = TABLE.set_column(0, "age", pa.array([min(int(age), 89) for age in AGES]))
    records = sum(int(age) >= 80 for age in AGES)
    asked: Any = {"quasi": ["age"], "k": 2, "min_level": {"age": 1}}
    listed = {"age": {"kind": "intervals", "widths": [40]}}
    said = str(rs.anonymize(young, hierarchies=listed, **asked))
    assert f"The band 80-119 of age also covers ages over 89 ({records} records)." in said
    assert 'use hierarchies={"age": {"kind": "intervals", "widths": [5, 10, 20], "top": 90' in said
    pq.write_table(young, tmp_path / "young.parquet")
    (tmp_path / "p.toml").write_text(
        'data = "young.parquet"\n[privacy]\nk = 2\n[roles]\nquasi = ["age"]\n'
        "[levels.min]\nage = 1\n"
        '[hierarchies]\nage = { kind = "intervals", widths = [40] }\n'
    )
    done = run("anonymize", "--project", tmp_path / "p.toml", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    report = (tmp_path / "out/report.html").read_text("utf-8")
    for text in (done.out, report):
        assert "The band 80-119 of age also covers ages over 89" in text
    fix = "use a hierarchy for age with top = 90 and bands_only = true"
    assert fix in done.out
    assert fix not in report  # advice for the custodian


@pytest.mark.parametrize(
    ("ages", "one"), [("[90-92)", False), ("90-94", False), ("[90-100)", True), ("90+", True)]
)
def test_a_narrow_band_is_not_the_category_of_all_old_ages(ages: str, *, one: bool) -> None:
    """Fault class: the only band above 89 was one category, although it ended at 91."""
    table = pa.table({"age": ["80-89", ages] * 20, "sex": ["f", "f", "m", "m"] * 10})
    found = rs.anonymize(table, quasi=["age", "sex"], k=5)
    assert any("ages over 89" in line for line in found.noticed) is not one
