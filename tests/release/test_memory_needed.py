"""A release that needs much memory says so before it is written."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadr
import pyreadstat
import pytest
from commands import run

from roadstead.release import written
from roadstead.release.written import memory_needed
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.source import Csv, Format, Parquet, ProgramFile


def visits() -> pd.DataFrame:
    """Visits of 240 people."""
    return pd.DataFrame(
        {
            "sex": [("female", "male")[at % 2] for at in range(240)],
            "ward": [("A", "B", "C")[at % 3] for at in range(240)],
            "age": [20.0 + at % 50 for at in range(240)],
        }
    )


def write(path: Path) -> Path:
    frame = visits()
    match path.suffix:
        case ".sav":
            pyreadstat.write_sav(frame, path)
        case ".dta":
            pyreadstat.write_dta(frame, path)
        case ".xpt":
            pyreadstat.write_xport(frame, path, file_format_version=5)
        case ".rds":
            pyreadr.write_rds(str(path), frame)
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True)
        case ".parquet":
            frame.to_parquet(path)
        case _:
            frame.to_csv(path, index=False)
    return path


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["sav", "dta", "xpt", "rds", "csv", "parquet", "jsonl"])
def test_the_memory_is_said_before_the_file_is_written(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: a release of a large SPSS file ended without a word, out of memory."""
    path = write(tmp_path / f"visits.{kind}")
    asked = ("--quasi", "sex,ward", "--identifiers", "age", "--k", "5")
    silent = run("anonymize", path, *asked, "--out", tmp_path / "small")
    assert silent.code == 0, silent.err
    assert "of memory" not in silent.err
    monkeypatch.setattr(written, "_MUCH", 240 * 2 * written._BYTES)
    said = run("anonymize", path, *asked, "--out", tmp_path / "out")
    assert said.code == 0, said.err
    held = kind in ("sav", "dta", "xpt", "rds")
    assert ("needs about 0.0 GB of memory" in said.err) == held
    assert ("all 240 released records with 2 columns" in said.err) == held
    assert ("a CSV or Parquet file" in said.err) == held
    policy = tmp_path / "out" / "policy.json"
    again = run("apply", policy, path, "--out", tmp_path / "again")
    assert again.code == 0, again.err
    assert ("of memory" in again.err) == held
    nothing = run("anonymize", path, *asked)
    assert "of memory" not in nothing.err


@pytest.mark.parametrize(
    ("form", "records", "gigabytes"),
    [
        (ProgramFile("spss", "SPSS", Codebook()), 3_000_000, "4.5"),
        (ProgramFile("stata", "Stata", Codebook()), 10_000_000, "15.0"),
        (ProgramFile("spss", "SPSS", Codebook()), 1_000_000, None),
        (ProgramFile("excel", "Excel workbook", Codebook()), 100_000_000, None),
        (Parquet(), 100_000_000, None),
        (Csv(), 100_000_000, None),
    ],
)
def test_the_estimate_grows_with_the_cells(
    form: Format, records: int, gigabytes: str | None
) -> None:
    """50 bytes per cell, in formats that are not written in parts."""
    found = memory_needed(form, records, 30)
    assert (found is None) == (gigabytes is None)
    assert gigabytes is None or f"about {gigabytes} GB" in str(found)
