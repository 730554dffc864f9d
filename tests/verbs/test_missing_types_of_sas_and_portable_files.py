"""Types of missing values stay separate in SAS files, and codes in SPSS portable files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyreadstat
import pytest
from commands import run
from pyreadstat import _readstat_writer
from sas_files import sas_table, transport

from roadstead.errors import SourceError
from roadstead.tables.formats.statistics.reading import reader_with_codes
from roadstead.tables.reading import read

ROLES = ("--quasi", "sex,age", "--sensitive", "income", "--k", "5")


def stored(path: Path) -> tuple[pd.DataFrame, Any]:
    """Return the cells of a transport file, with letters, and the notes of the file."""
    found: tuple[pd.DataFrame, Any] = reader_with_codes("xport")(str(path))
    return found


def answers(records: int = 240) -> dict[str, list[float | str]]:
    """Return sex, an age of which a quarter is `.r` and one is `.z`, and incomes with letters."""
    ages: list[float | str] = [30 + at // 13 % 7 if at % 4 else "R" for at in range(records)]
    ages[5] = "Z"
    incomes: list[float | str] = ["A", "_", 1, 2.5, 3, 7]
    return {
        "sex": [1 + at // 40 % 2 for at in range(records)],
        "age": ages,
        "income": [incomes[at % 6] for at in range(records)],
    }


@pytest.mark.quick(1)
@pytest.mark.parametrize("version", [5, 8])
def test_letters_of_transport_files_stay_separate(version: Literal[5, 8], tmp_path: Path) -> None:
    """Fault class: ``.a`` and ``._`` were both released as plain missing values."""
    source, out = transport(tmp_path / "v.xpt", answers(), version), tmp_path / "out"
    ran = run("anonymize", source, *ROLES, "--out", out)
    assert ran.code == 0, ran.error
    assert "age: the code .r (declared as missing) stays a separate value." in ran.out
    assert "income: the codes .a and ._ (declared as missing) stay separate values." in ran.out
    assert "because fewer than 5 records have each code." in ran.out
    frame, notes = stored(out / "v.xpt")
    assert frame["income"].value_counts()[["A", "_", 2.5]].to_dict() == {"A": 39, "_": 39, 2.5: 39}
    assert (frame["age"] == "R").sum() == 60
    assert "Z" not in frame["age"].to_numpy()
    assert frame["sex"].dtype == float
    assert set(notes.missing_user_values["income"]) == {"A", "_"}
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0
    applied = run("apply", out / "policy.json", source, "--out", tmp_path / "next")
    assert applied.code == 0, applied.error
    assert (tmp_path / "next" / "v.xpt").read_bytes() == (out / "v.xpt").read_bytes()


def test_a_letter_stays_next_to_generalized_ages(tmp_path: Path) -> None:
    """A column with ranges contains text, so the code is text, too."""
    columns = answers()
    columns["age"] = [
        one if isinstance(one, str) else one + at % 5 for at, one in enumerate(columns["age"])
    ]
    source, out = transport(tmp_path / "v.xpt", columns, 8), tmp_path / "out"
    ran = run("anonymize", source, *ROLES, "--k", "12", "--suppression", "0.1", "--out", out)
    assert ran.code == 0, ran.error
    ages = stored(out / "v.xpt")[0]["age"]
    assert (ages == ".r").sum() == 60
    assert ages.str.contains("-").any()
    assert run("verify", out).code == 0


def test_numbers_with_labels_in_a_catalog_are_not_missing(tmp_path: Path) -> None:
    """Fault class: the library put labels in place of numbers, and these became missing values."""
    source, out = sas_table(tmp_path), tmp_path / "out"
    named = f"{source}?catalog=formats.sas7bcat"
    with read(named) as table:
        frame = table.table.to_pyarrow().to_pandas()
    assert frame["sex"].value_counts().to_dict() == {"male": 30, "female": 30}
    assert frame["income"].dropna().astype(int).value_counts().to_dict() == {20: 10, 30: 12, 40: 12}
    assert {str(day)[:10] for day in frame["seen"]} == {"2020-01-01", "2020-02-01", "2020-03-03"}
    roles = ("--quasi", "sex,ward", "--sensitive", "income", "--k", "5")
    ran = run("anonymize", named, *roles, "--out", out)
    assert ran.code == 0, ran.error
    assert "income: the codes .a and .b (declared as missing) stay separate values." in ran.out
    cells = stored(out / "visits.xpt")[0]["income"].value_counts(dropna=False)
    assert cells[["A", "B", 20.0]].to_dict() == {"A": 12, "B": 12, 20.0: 10}
    assert run("verify", out).code == 0
    (tmp_path / "formats.sas7bcat").write_bytes(b"no catalog")
    assert "formats.sas7bcat: the file is damaged" in run("scan", named).error


def portable(path: Path) -> Path:
    """Write 200 answers with codes for missing values, of which 98 is rare."""
    codes = [97.0, 99.0, 1.0, 2.0, 3.0]
    income = [codes[at % 5] for at in range(200)]
    income[2] = 98.0
    frame = pd.DataFrame(
        {
            "sex": [1.0 + at // 5 % 2 for at in range(200)],
            "age": [[-1.0, 30.0, 40.0][at // 7 % 3] for at in range(200)],
            "income": income,
        }
    )
    _readstat_writer.writer_entry_point(
        frame,
        str(path),
        writer_format="por",
        missing_ranges={"AGE": [-1], "INCOME": [97, 98, 99]},
        variable_value_labels={"INCOME": {97.0: "refused", 99.0: "not asked"}},
    )
    return path


def test_codes_of_portable_files_stay_separate(tmp_path: Path) -> None:
    """Fault class: refused and not asked were both released as empty cells."""
    source, out = portable(tmp_path / "v.por"), tmp_path / "out"
    roles = ("--quasi", "SEX,AGE", "--sensitive", "INCOME", "--k", "5")
    ran = run("anonymize", source, *roles, "--out", out)
    assert ran.code == 0, ran.error
    assert "AGE: the code -1 (declared as missing) stays a separate value." in ran.out
    assert "INCOME: the codes refused and not asked (declared as missing) stay" in ran.out
    frame, notes = pyreadstat.read_sav(str(out / "v.sav"), user_missing=True)
    assert frame["INCOME"].value_counts().to_dict() == {97: 40, 99: 40, 1: 39, 2: 40, 3: 40}
    assert notes.missing_ranges["INCOME"] == [{"lo": 97.0, "hi": 97.0}, {"lo": 99.0, "hi": 99.0}]
    assert (frame["AGE"] == -1).sum() == 70
    assert notes.missing_ranges["AGE"] == [{"lo": -1.0, "hi": -1.0}]
    assert run("verify", out).code == 0


def test_letters_that_a_portable_file_loses_are_refused(tmp_path: Path) -> None:
    """Fault class: all letters outside ASCII became one sign, so different names were equal."""
    plain, other = tmp_path / "plain.por", tmp_path / "other.por"
    frame = pd.DataFrame({"ward": ["Ate", "Bte"] * 9})
    pyreadstat.write_por(frame, str(plain), column_labels={"WARD": "Grosse"})
    for old, new in ((b"Ate", b"\xc9t\xe9"), (b"Grosse", b"Gr\xf6sse")):
        content = plain.read_bytes()
        assert old in content
        other.write_bytes(content.replace(old, new))
        with pytest.raises(SourceError, match="a letter outside ASCII"):
            read(other).close()
    with read(plain) as table:
        assert set(table.table.to_pyarrow().to_pandas()["WARD"]) == {"Ate", "Bte"}
