"""A profile describes columns in counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import ibis
import polars as pl
import pyarrow as pa
import pytest

from roadstead.tables.profile import ColumnProfile, profile, with_markers
from roadstead.tables.reading import read
from roadstead.tables.texts import Texts, texts_of

if TYPE_CHECKING:
    from pathlib import Path


def profiled(**columns: list[str | None]) -> dict[str, ColumnProfile]:
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    with read(table) as source:
        return {column.name: column for column in profile(source)}


def test_counts_missing_lengths_and_distinct_values() -> None:
    found = profiled(x=["aa", "", None, "bbbb", "aa"], none=[None, None, "", "", None])
    x, none = found["x"], found["none"]
    assert (x.records, x.missing, x.distinct, x.shortest, x.longest) == (5, 2, 2, 2, 4)
    assert (x.marked, x.type) == (0, "string")
    assert (none.missing, none.distinct, none.shortest, none.longest) == (5, 0, 0, 0)
    assert none.uniqueness == 0
    assert x.uniqueness == pytest.approx(2 / 3)


def test_no_more_values_are_named_than_there_are_records_with_one() -> None:
    """Fault class: a sketch that is a few percent off says 21,013 values of 20,000 records."""
    table = pa.table({mark: [*(f"{mark}{at}" for at in range(1_000)), None] for mark in "abcdefgh"})
    with read(table) as source:
        sketched = texts_of(source, tuple(table.column_names)).totals()
        assert max(sketched[f"distinct_{at}"] for at in range(8)) > 1_000
        assert max(column.distinct for column in profile(source)) == 1_000


def test_texts_that_stand_for_missing_are_counted_apart() -> None:
    """In any spelling; one is named, because it is not a value. Fault class: "?" is a value."""
    table = {
        "x": ["?", " ? ", "1", None],
        "y": ["Unknown/Invalid", "F", "NULL", "M"],
        "z": ["?"] * 4,
    }
    with read(table) as source:
        x, y, z = with_markers(source, profile(source), {"x": "?", "y": "NULL"})
    assert (x.missing, x.marked, x.marker, x.present, x.uniqueness) == (1, 2, "?", 1, 1)
    assert (y.marked, y.present) == (2, 2)
    assert (z.marked, z.present) == (0, 4)


def test_nearly_unique_columns_stand_out() -> None:
    with read({"id": list(range(20_000)), "sex": ["M", "F"] * 10_000}) as source:
        identifier, sex = profile(source)
    assert identifier.uniqueness > 0.9
    assert sex.uniqueness < 0.01
    assert identifier.type == "int64"


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


def test_real_patients_are_profiled(data_dir: Path) -> None:
    with read(data_dir / "synthea" / "patients.csv.gz") as source:
        found = {column.name: column for column in profile(source, ("ID", "GENDER"))}
    assert set(found) == {"ID", "GENDER"}
    assert found["ID"].uniqueness > 0.9
    assert found["GENDER"].distinct == 2


def test_rare_values_are_counted_alike_in_both_ways_of_asking(tmp_path: Path) -> None:
    """A table of texts is asked in DuckDB's words, and others through Ibis: one answer."""
    table = tmp_path / "t.csv"
    words = ["a"] * 5 + ["b"] * 2 + ["c", " n/a ", "?", "", "Unknown", "it's", "e "]
    table.write_text("word,other\n" + "".join(f"{word},1\n" for word in words))

    with read(table) as source:
        own = texts_of(source, ["word"]).rare(5)
        assert own == Texts(source.table, ["word"]).rare(5) == 5
