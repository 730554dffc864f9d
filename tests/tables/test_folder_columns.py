"""Columns that folders name are columns like all others, in every kind of file."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from commands import run
from pyarrow import parquet

import roadstead as rs
from roadstead.errors import RoadsteadError

SEXES, AGES = ["f", "m"] * 5, ["30", "31"] * 5
YEARS = {"2020": "2020", "a%20b": "a b", "__HIVE_DEFAULT_PARTITION__": None}
TEXT = "sex,age\n" + "".join(f"{sex},{age}\n" for sex, age in zip(SEXES, AGES, strict=True))


def write(folder: Path, name: str) -> None:
    """Write the same records to a file of the kind that its name says."""
    folder.mkdir(parents=True)
    if name.endswith("parquet"):
        parquet.write_table(pa.table({"sex": SEXES, "age": AGES}), folder / name)
    else:
        content = TEXT.encode()
        packed = gzip.compress(content) if name.endswith("gz") else content
        (folder / name).write_bytes(packed)


@pytest.mark.parametrize("name", ["part-0.parquet", "part-0.csv", "part-0.csv.gz"])
def test_folders_name_columns(name: str, tmp_path: Path) -> None:
    """With escaped characters, zeros in front, and missing values."""
    for year in YEARS:
        for place in ("02139", "10001"):
            write(tmp_path / "visits" / f"year={year}" / f"zip={place}", name)
    with rs.read(tmp_path / "visits") as source:
        found = source.table.to_pyarrow()
        assert source.from_folders == ("year", "zip")
    expected = Counter(
        (sex, age, year, place)
        for sex, age in zip(SEXES, AGES, strict=True)
        for year in YEARS.values()
        for place in ("02139", "10001")
    )
    assert found.column_names == ["sex", "age", "year", "zip"]
    assert Counter(tuple(row.values()) for row in found.to_pylist()) == expected


def test_folders_are_said_and_examined_like_other_columns(tmp_path: Path) -> None:
    """Fault class: a folder per patient would release the name of each patient."""
    for name in ("John Smith", "Mary Jones", "Ann Miller"):
        write(tmp_path / "visits" / f"who={name}", "part-0.csv")
    words = ["anonymize", str(tmp_path / "visits"), "--quasi", "sex,age", "--k", "5"]
    ran = run(*words, "--unchanged", "who", "--out", str(tmp_path / "out"))
    assert "3 columns (who from the names of folders)" in ran.err
    assert ran.code != 0
    assert "who" in ran.error
    assert not (tmp_path / "out").exists()


def test_folders_of_different_columns_are_refused(tmp_path: Path) -> None:
    """And a column that is in the files and in the names of folders."""
    write(tmp_path / "visits" / "year=2020", "part-0.csv")
    write(tmp_path / "visits" / "month=1", "part-0.csv")
    with pytest.raises(RoadsteadError, match="define different columns"):
        rs.read(tmp_path / "visits")
    write(tmp_path / "others" / "sex=f", "part-0.csv")
    with pytest.raises(RoadsteadError, match="sex"):
        rs.read(tmp_path / "others")
