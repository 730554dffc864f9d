"""A profile describes columns in counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import ibis
import polars as pl
import pyarrow as pa
import pytest

from roadstead.tables import read
from roadstead.tables.profile import SHAPES, ColumnProfile, profile

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = {
    "integer": (["0", "-12", "+3", "007"], ["1.0", "", "1 2", "x1"]),
    "number": (["1", "-1.5", ".5", "1e-5", "2."], ["1,5", ".", "e5", "1.2.3"]),
    "decimal_comma": (["1,5", "-0,25"], ["1.5", "1,", "1"]),
    "digits": (["007", "1"], ["-1", "1a"]),
    "leading_zero": (["02139", "00"], ["0", "10"]),
    "year": (["1999", "2024", "1850"], ["999", "2124", "19999"]),
    "iso_date": (["2024-05-31"], ["2024-5-31", "2024-13-01", "2024-05-31 10:00"]),
    "iso_month": (["2024-05"], ["2024-13", "2024-05-01"]),
    "iso_timestamp": (
        ["2024-05-31 10:00", "2024-05-31T10:00:59.5Z", "2024-05-31T10:00:00+02:00"],
        ["2024-05-31", "2024-05-31 30:00"],
    ),
    "compact_date": (["20240531"], ["20241331", "2024053"]),
    "slashed_iso_date": (["2024/05/31"], ["2024-05-31"]),
    "month_first_date": (["05/31/2024", "5/1/2024"], ["31/05/2024"]),
    "day_first_date": (["31/05/2024", "1/5/2024"], ["05/31/2024"]),
    "dotted_date": (["31.05.2024", "1.5.2024"], ["31.05.24", "31/05/2024"]),
    "named_date": (["31-May-2024"], ["31-5-2024"]),
    "icd10": (["E11", "E11.9", "S52501A", "I10", "C7A.0"], ["11E", "E1", "e11", "E11.12345"]),
    "icd9": (["250", "250.01", "V58", "E880.1", "25001"], ["25", "250.123", "X12"]),
    "zip": (["02139", "02139-4307"], ["2139", "021390"]),
    "ssn": (["078-05-1120"], ["078051120", "078-05-112"]),
    "email": (["a.b@c.org"], ["a@b", "a b@c.org", "@c.org"]),
    "phone": (["(615) 555-0101", "615-555-0101", "+49 615 5550101"], ["5550101", "78-05-1120"]),
    "uuid": (["3f2b8c1e-0000-4000-8000-0123456789ab"], ["3f2b8c1e-0000-4000-8000"]),
    "url": (["https://x.org/y"], ["x.org"]),
    "ip": (["10.0.0.1"], ["10.0.0"]),
}


def profiled(**columns: list[str | None]) -> dict[str, ColumnProfile]:
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    with read(table) as source:
        return {column.name: column for column in profile(source)}


def test_every_shape_has_examples() -> None:
    assert set(EXAMPLES) == {shape.name for shape in SHAPES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_shape_counts_what_it_means_and_nothing_else(name: str) -> None:
    good, bad = EXAMPLES[name]
    found = profiled(column=[*good, *bad, *good])["column"]
    assert found.shapes[name] == 2 * len(good)


def test_counts_missing_lengths_and_distinct_values() -> None:
    found = profiled(x=["aa", "", None, "bbbb", "aa"], none=[None, None, "", "", None])
    x, none = found["x"], found["none"]
    assert (x.records, x.missing, x.distinct, x.shortest, x.longest) == (5, 2, 2, 2, 4)
    assert (x.inspected, x.type) == (3, "string")
    assert (none.missing, none.distinct, none.shortest, none.longest) == (5, 0, 0, 0)
    assert none.share("integer") == 0
    assert none.uniqueness == 0
    assert x.uniqueness == pytest.approx(2 / 3)


def test_shares_are_of_the_values_that_are_there() -> None:
    found = profiled(x=["1", "2", "a", None])["x"]
    assert found.share("integer") == pytest.approx(2 / 3)


def test_shapes_are_counted_in_the_first_records_only_when_there_are_many() -> None:
    table = pa.table({"x": ["1"] * 10 + ["a"] * 90})
    with read(table) as source:
        (found,) = profile(source, inspected=20)
    assert (found.records, found.inspected, found.shapes["integer"]) == (100, 20, 10)


def test_nearly_unique_columns_stand_out() -> None:
    with read({"id": list(range(20_000)), "sex": ["M", "F"] * 10_000}) as source:
        identifier, sex = profile(source)
    assert identifier.uniqueness > 0.9
    assert sex.uniqueness < 0.01
    assert identifier.type == "int64"
    assert identifier.share("integer") == 1


def test_columns_with_any_name_and_type_are_profiled() -> None:
    table = pa.table({"select": [1.5, None], 'a "b"': [True, False], "records": [b"x", b"y"]})
    with read(table) as source:
        assert [column.missing for column in profile(source)] == [1, 0, 0]


def test_another_engine_gives_the_same_profile() -> None:
    frame = pl.DataFrame({"zip": ["02139", "", None, "37203"], "n": [1.0, 2.5, None, 4.0]})
    with read(frame) as here, read(ibis.polars.connect({"t": frame}).table("t")) as there:
        for ours, theirs in zip(profile(here), profile(there), strict=True):
            assert replace(theirs, distinct=ours.distinct) == ours
            assert theirs.distinct - ours.distinct in (0, 1)


def test_direct_identifiers_of_real_patients_are_recognized(data_dir: Path) -> None:
    with read(data_dir / "synthea" / "patients.csv.gz") as source:
        found = {column.name: column for column in profile(source)}
    assert found["SSN"].share("ssn") == 1
    assert found["ID"].share("uuid") == 1
    assert found["BIRTHDATE"].share("iso_date") == 1
    assert found["ID"].uniqueness > 0.9
    assert found["GENDER"].distinct == 2
