"""Times of day and elapsed times in a sheet are released as times, not as texts."""

from __future__ import annotations

import datetime as dt
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from commands import run
from python_calamine import CalamineWorkbook

from roadstead.tables.formats.codebook import Codebook, ColumnNotes, clock_text
from roadstead.tables.formats.excel.format import EXCEL, OPENDOCUMENT
from roadstead.tables.reading import read

_FORMS = {"at": "hh:mm", "stay": "[hh]:mm:ss", "mixed": "hh:mm:ss", "exact": "hh:mm:ss.000"}


def _cells(at: int) -> tuple[Any, ...]:
    stay = dt.timedelta(hours=at * 7 % 50, minutes=at % 60)
    time = dt.time(at % 24, 45)
    exact = dt.time(at % 24, at % 60, 1, at % 2 * 250_000)
    return "mf"[at % 2], time, stay, "unknown" if at % 5 == 0 else time, exact


def _workbook(path: Path, rows: int = 40) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Visits")
        sheet.write_row(0, 0, ["sex", *_FORMS])
        forms = [None, *(book.add_format({"num_format": form}) for form in _FORMS.values())]
        for at in range(rows):
            for column, cell in enumerate(_cells(at)):
                sheet.write(at + 1, column, cell, forms[column])
    return path


def _by_office(made: Path, folder: Path) -> Path:
    """Return the same sheet as LibreOffice writes it."""
    if (office := shutil.which("soffice")) is None:
        pytest.skip("LibreOffice is not installed")
    profile = f"-env:UserInstallation={(made.parent / 'profile').as_uri()}"
    subprocess.run(
        [office, profile, "--headless", "--convert-to", "ods", "--outdir", folder, made],
        check=True,
        capture_output=True,
        timeout=180,
    )
    return folder / f"{made.stem}.ods"


def _texts(path: Path) -> list[tuple[str | None, ...]]:
    with read(path) as source:
        rows = source.table.to_pyarrow().to_pylist()
    return sorted(tuple(row.values()) for row in rows)


def _released(source: Path, out: Path) -> Path:
    every = ",".join(_FORMS)
    ran = run("anonymize", source, "--quasi", "sex", "--release-anyway", every, "--out", out)
    assert ran.code == 0, ran.err
    assert run("verify", out).code == 0
    assert _texts(out / source.name) == _texts(source)
    return out / source.name


def test_times_in_a_workbook_are_released_as_times(tmp_path: Path) -> None:
    """Fault class: 13:45 was released as text, which no program sorts or subtracts as a time."""
    released = _released(_workbook(tmp_path / "v.xlsx"), tmp_path / "out")
    expected = sorted(map(_cells, range(40)), key=str)
    (sheet,) = openpyxl.load_workbook(released).worksheets
    rows = [tuple(cell.value for cell in row) for row in sheet.iter_rows(min_row=2)]

    def plain(cell: object) -> object:  # openpyxl reads an elapsed time as a time if it can
        return clock_text(cell // dt.timedelta(microseconds=1)) if isinstance(
            cell, dt.timedelta
        ) else str(cell)  # fmt: skip

    assert sorted([*map(plain, row)] for row in rows) == sorted(
        [*map(plain, row)] for row in expected
    )
    shown = {tuple(cell.number_format for cell in row[1:4]) for row in sheet.iter_rows(min_row=2)}
    assert shown == {
        ("hh:mm:ss", "[hh]:mm:ss", "hh:mm:ss"),
        ("hh:mm:ss", "[hh]:mm:ss", "General"),  # a text among the times
    }


def test_times_in_an_open_document_sheet_are_released_as_times(tmp_path: Path) -> None:
    released = _released(_by_office(_workbook(tmp_path / "v.xlsx"), tmp_path), tmp_path / "out")
    (sheet,) = [CalamineWorkbook.from_path(str(released)).get_sheet_by_index(0).to_python()]
    kinds = [{type(cell) for cell in column} for column in zip(*sheet[1:], strict=True)]
    assert kinds == [{str}, {dt.time}, {dt.time, str}, {dt.time, str}, {dt.time}]
    assert {row[2] for row in sheet[1:] if isinstance(row[2], str)} == {
        f"PT{at * 7 % 50}H{at % 60:02}M00S" for at in range(40) if at * 7 % 50 >= 24
    }


@pytest.mark.parametrize(("form", "suffix"), [(EXCEL, ".xlsx"), (OPENDOCUMENT, ".ods")])
def test_each_time_is_read_again_exactly(form: Any, suffix: str, tmp_path: Path) -> None:  # noqa: ANN401 - a format
    """Excel stores parts of a day, so a time could be one second too early."""
    import pyarrow as pa  # noqa: PLC0415 - as in the package

    made = random.Random(7)  # noqa: S311 - reproducible test data
    most = 9_999 * 3_600_000
    texts = [clock_text(made.randrange(most) * 1_000) for _ in range(4_000)]
    texts += ["00:00:00", "23:59:59.999", "24:00:00", "-01:00:00", "10000:00:00", "1:2", "12:60:00"]
    table, notes = pa.table({"t": texts}), Codebook({"t": ColumnNotes(shown="[hh]:mm:ss")})
    path = tmp_path / f"t{suffix}"
    form.write(table.to_reader(), path, notes)
    with read(path) as source:
        assert source.table.to_pyarrow().to_pydict()["t"] == texts


def test_programs_read_released_times_as_times(tmp_path: Path) -> None:
    """LibreOffice and R read the times as times, also elapsed times above 24 hours."""
    r = shutil.which("Rscript")
    released = _released(_workbook(tmp_path / "v.xlsx"), tmp_path / "out")
    if shutil.which("soffice") is not None:
        converted = _by_office(released, tmp_path / "again")
        assert _texts(converted) == _texts(released)
    if r is None:
        pytest.skip("R is not installed")
    code = (
        "if (!requireNamespace('readxl', quietly = TRUE)) quit(status = 9);"
        f"t <- readxl::read_excel('{released}');"
        "hours <- as.numeric(diff(range(t$stay)), units = 'hours');"
        "cat(class(t$at)[1], class(t$stay)[1], round(hours))"
    )
    ran = subprocess.run([r, "-e", code], check=False, capture_output=True, text=True, timeout=180)
    if ran.returncode == 9:
        pytest.skip("readxl is not installed")
    assert ran.stdout == "POSIXct POSIXct 49"
