"""The part of a workbook that is read: its sheet, its header, and its range; what is refused."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import odf.opendocument
import odf.table
import odf.teletype
import odf.text
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import RoadsteadError
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.excel import opendocument
from roadstead.tables.formats.options import part_of, with_options
from roadstead.tables.source import Source

HEADER: list[Any] = ["sex", "age"]
ROWS: list[list[Any]] = [["f", 30], ["m", 41], ["f", None]]


def book_of(path: Path, **sheets: list[list[Any]]) -> Path:
    """Write a workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def cells(data: str | Path, **settings: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - of read
    """Read a table as columns."""
    with rs.read(data, **settings) as source:
        assert isinstance(source, Source)
        return dict(source.table.to_pyarrow().to_pydict())


def test_the_only_sheet_with_cells_is_read(tmp_path: Path) -> None:
    """An empty sheet does not count, and neither does a hidden one, which is said."""
    path = book_of(tmp_path / "b.xlsx", Empty=[], Data=[HEADER, *ROWS], Notes=[["secret"]])
    book = openpyxl.load_workbook(path)
    book["Notes"].sheet_state = "veryHidden"
    book.save(path)
    assert cells(path) == {"sex": ["f", "m", "f"], "age": [30, 41, None]}
    said = run("risk", str(path), "--quasi", "sex").err
    assert "b.xlsx: Excel, sheet 'Data', 1 hidden sheet not read, 2 columns" in said


def test_hidden_rows_and_columns_are_read_and_said(tmp_path: Path) -> None:
    """Only those of the range that is read count; an empty hidden row is not a record."""
    path = book_of(tmp_path / "b.xlsx", Other=[["x"], ["y"]], Data=[HEADER, *ROWS])
    book = openpyxl.load_workbook(path)
    sheet = book["Data"]
    for column in ("B", "H"):
        sheet.column_dimensions[column].hidden = True
    for row in (2, 4, 9):
        sheet.row_dimensions[row].hidden = True
    book.save(path)
    assert "1 hidden column and 2 hidden rows are read" in _format(f"{path}?sheet=Data")
    assert "1 hidden row is read" in _format(f"{path}?sheet=Data&cells=A1:A3")
    assert "hidden" not in _format(f"{path}?sheet=Other")


def test_hidden_parts_of_an_open_document_are_said(tmp_path: Path) -> None:
    """A filter hides rows, too."""
    pytest.importorskip("odf")
    path, shown = tmp_path / "b.ods", tmp_path / "shown.ods"
    pd.DataFrame(ROWS, columns=HEADER).to_excel(shown, index=False, engine="odf")
    with zipfile.ZipFile(shown) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "content.xml":
                columns = b'<table:table-column/><table:table-column table:visibility="collapse"/>'
                first, row, rest = text.partition(b"<table:table-row>")
                hidden = row + rest.replace(row, b'<table:table-row table:visibility="filter">', 1)
                text = first + columns + hidden
            new.writestr(name, text)
    assert "1 hidden column and 1 hidden row are read" in _format(path)
    assert "hidden" not in _format(shown)


def _format(data: str | Path) -> str:
    with rs.read(data) as source:
        return source.format.describe()


def test_a_sheet_is_named_after_a_question_mark(tmp_path: Path) -> None:
    """In every place that takes a path; a wrong name gets a suggestion."""
    sheets: dict[str, list[list[Any]]] = {"2025": [HEADER, ROWS[0]], "New year": [HEADER, *ROWS]}
    path = book_of(tmp_path / "b.xlsx", **sheets)
    assert len(cells(f"{path}?sheet=New+year")["sex"]) == len(ROWS)
    assert cells(f"{path}?sheet=2025")["age"] == [30]
    with pytest.raises(
        RoadsteadError,
        match=r"2 sheets have cells: '2025', 'New year'; add the "
        "name",
    ):
        cells(path)
    with pytest.raises(RoadsteadError, match="did you mean 'New year'"):
        cells(f"{path}?sheet=New+yaer")
    with pytest.raises(RoadsteadError, match="Excel files have no option 'sheets'; did you mean"):
        cells(f"{path}?sheets=2025")


def test_a_range_leaves_titles_and_totals_out(tmp_path: Path) -> None:
    """From the first cell of the header, or to the last cell of the records too."""
    rows = [["Ward visits"], [], HEADER, *ROWS, ["Total", 3]]
    path = book_of(tmp_path / "b.xlsx", Data=rows)
    assert cells(f"{path}?cells=A3")["sex"] == ["f", "m", "f", "Total"]
    assert cells(f"{path}?cells=A3:B6")["sex"] == ["f", "m", "f"]
    assert cells(f"{path}?cells=$B$3:$B$5") == {"age": [30, 41]}
    with pytest.raises(RoadsteadError, match=r"cell 2 of the first row is empty.*b.xlsx\?cells=A3"):
        cells(path)
    # Fault class: the advice left out the sheet that was named.
    with pytest.raises(RoadsteadError, match=r"as in b.xlsx\?sheet=Data&cells=A3"):
        cells(f"{path}?sheet=Data")
    with pytest.raises(RoadsteadError, match="'3A' is not a range of cells; write the first"):
        cells(f"{path}?cells=3A")


def test_a_sheet_without_a_header_gets_numbered_columns(tmp_path: Path) -> None:
    """With the option for text files."""
    path = book_of(tmp_path / "b.xlsx", Data=ROWS)
    assert cells(path, header=False) == {"column_1": ["f", "m", "f"], "column_2": [30, 41, None]}


@pytest.mark.parametrize(("ending", "engine"), [("xlsx", "openpyxl"), ("ods", "odf")])
def test_the_first_patient_of_a_sheet_does_not_become_the_header(
    ending: str, engine: str, tmp_path: Path
) -> None:
    """Fault class: without a header, a sheet's first record became column names in documents."""
    rows = [["Karl Davis", "M", "02138", "C61"], ["Ann Lee", "F", "02139", "C50"]] * 9
    header = ["name", "sex", "zip", "site"]
    path, plain = tmp_path / f"t.{ending}", tmp_path / "t.csv"
    pd.DataFrame(rows[1:], columns=rows[0]).to_excel(path, index=False, engine=engine)
    pd.DataFrame(rows).to_csv(plain, index=False, header=False)
    named = ("--quasi", "M,02138", "--sensitive", "C61", "--out", tmp_path / "out")
    for table in (path, plain):
        assert "no header" in _format(table)
        ran = run("anonymize", table, *named)
        assert ran.code == 2
        assert "Karl" not in ran.out + ran.err
    assert next(iter(cells(path, header=True))) == "Karl Davis"
    pd.DataFrame(rows, columns=header).to_excel(path, index=False, engine=engine)
    assert [*cells(path)] == header
    assert [*cells(f"{path}?cells=A2")] == ["column_1", "column_2", "column_3", "column_4"]


def test_names_that_look_like_data_need_the_option(tmp_path: Path) -> None:
    """As in a text file. The release is read with its header again."""
    path = book_of(tmp_path / "b.xlsx", Data=[["sex", 1, "2001-05-06"], *([["f", 30, "x"]] * 9)])
    assert [*cells(path)] == ["column_1", "column_2", "column_3"]
    assert [*cells(path, header=True)] == ["sex", "1", "2001-05-06"]
    out = tmp_path / "out"
    given = ("--quasi", "sex,1", "--unchanged", "2001-05-06", "--header", "--out", out)
    assert run("anonymize", path, *given).code == 0
    assert run("verify", out).code == 0
    years = [["ward", 2010, 2015], ["a", 3, 4], ["b", 5, 6]]
    assert [*cells(book_of(path, Data=years))] == ["ward", "2010", "2015"]


@pytest.mark.parametrize(
    ("rows", "fix"),
    [
        ([["Person", None, "Stay"], ["sex", "age", "ward"]], "cells=A2,"),
        ([["Registry"], [], ["Written in May"], ["sex", "age", "ward"]], "cells=A4,"),
        ([[None, "Registry"], [None, "sex", "age", "ward"]], "cells=B2,"),
        ([["sex", None, "ward"]], "write a name for the column into the sheet"),
    ],
)
def test_the_row_that_looks_like_a_header_is_proposed(
    rows: list[list[Any]], fix: str, tmp_path: Path
) -> None:
    """Fault class: the advice was A3 for each sheet, and so could name the first patient's row."""
    at = next((one for one, cell in enumerate(rows[-1]) if cell), 0)
    body = [[*([None] * at), sex, age, "north"] for sex, age in (("f", 30), ("m", 41), ("f", 52))]
    with pytest.raises(RoadsteadError, match="first row is empty") as refused:
        cells(book_of(tmp_path / "b.xlsx", Data=[*rows, *body]))
    assert fix in refused.value.message


def test_merged_cells_are_refused_in_records_and_not_above_them(tmp_path: Path) -> None:
    """A merged cell leaves the others empty."""
    path = book_of(tmp_path / "b.xlsx", Data=[["Visits", None], HEADER, *ROWS])
    book = openpyxl.load_workbook(path)
    book["Data"].merge_cells("A1:B1")
    book.save(path)
    assert cells(f"{path}?cells=A2")["sex"] == ["f", "m", "f"]
    book["Data"].merge_cells("A3:A4")
    book.save(path)
    with pytest.raises(RoadsteadError, match="cell A3: records have merged cells"):
        cells(f"{path}?cells=A2")


@pytest.mark.parametrize(
    ("column", "expected", "kind"),
    [
        ([1, 2.0, None], [1, 2, None], "int64"),
        ([1, 2.5], [1.0, 2.5], "float64"),
        ([1, "x", 2.5], ["1", "x", "2.5"], "string"),
        (["007", "1e5"], ["007", "1e5"], "string"),
        ([True, False], [True, False], "boolean"),
        ([True, "x"], ["true", "x"], "string"),
        ([dt.date(2024, 2, 29)], [dt.date(2024, 2, 29)], "date"),
        ([dt.datetime(2024, 2, 29, 8, 30)], [dt.datetime(2024, 2, 29, 8, 30)], "timestamp"),  # noqa: DTZ001 - as Excel
        ([dt.date(2024, 2, 29), "soon"], ["2024-02-29", "soon"], "string"),
    ],
)
def test_a_column_has_one_type(
    column: list[Any], expected: list[Any], kind: str, tmp_path: Path
) -> None:
    """That of all its cells, or else text."""
    path = book_of(tmp_path / "b.xlsx", Data=[["a", "b"], *([value, "x"] for value in column)])
    with rs.read(path) as source:
        assert source.types["a"].startswith(kind)
        assert source.table.to_pyarrow()["a"].to_pylist() == expected


@pytest.mark.parametrize(
    ("text", "file", "options"),
    [
        ("b.xlsx?sheet=A", "b.xlsx", {"sheet": "A"}),
        ("d/b.xlsx?sheet=A&cells=A3", "d/b.xlsx", {"sheet": "A", "cells": "A3"}),
        ("what?.csv", "what?.csv", {}),
        ("?a=b", "?a=b", {}),
    ],
)
def test_options_follow_a_question_mark(text: str, file: str, options: dict[str, str]) -> None:
    """Other question marks belong to the name."""
    assert part_of(Path(text)) == (Path(file), options)
    assert part_of(Path(with_options(Path(file), options))) == (Path(file), options)


def test_a_file_whose_name_looks_like_options_is_that_file(tmp_path: Path) -> None:
    """An existing path is always a path."""
    path = tmp_path / "b.csv?sheet=A"
    path.write_text("sex,age\nf,1\n", encoding="utf-8")
    assert cells(path)["age"] == ["1"]


def test_a_proposal_names_the_part_that_it_is_about(tmp_path: Path) -> None:
    """The project file that scan writes can be used at once."""
    path = book_of(tmp_path / "b.xlsx", A=[HEADER, *ROWS], B=[HEADER, *ROWS, *ROWS])
    project = tmp_path / "p.toml"
    ran = run("scan", f"{path}?sheet=B", "--out", str(project))
    assert ran.code == 0, ran.error
    assert 'data = "b.xlsx?sheet=B"' in project.read_text("utf-8")
    ran = run("risk", "--project", str(project), "--quasi", "sex")
    assert ran.code == 0, ran.error
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("inner.csv", "sex,age\nf,1\nm,2\n")
    ran = run("scan", str(tmp_path / "z.zip"), "--out", str(project), "--force")
    assert ran.code == 0, ran.error
    assert 'data = "z.zip"' in project.read_text("utf-8")


@pytest.mark.parametrize("make", [lambda p: f"{p}?cells=A1:B2", lambda p: f"{p}?sheet=Data"])
def test_a_project_file_may_name_a_part_of_a_file(
    make: Callable[[Path], str], tmp_path: Path
) -> None:
    """Relative to the project file."""
    book_of(tmp_path / "b.xlsx", Data=[HEADER, *ROWS])
    text = make(Path("b.xlsx"))
    (tmp_path / "p.toml").write_text(f'data = "{text}"\n[roles]\nquasi = ["sex"]\n', "utf-8")
    ran = run("risk", "--project", str(tmp_path / "p.toml"))
    assert ran.code == 0, ran.error


def test_a_spreadsheet_that_is_too_large_for_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is written, in one line."""
    monkeypatch.setattr(opendocument, "_MOST_CELLS", 3)
    rows = pa.table({"a": [1, 2], "b": [3, 4]}).to_reader()
    with pytest.raises(RoadsteadError, match="has at most 3 cells; save the source as"):
        opendocument.write_spreadsheet(rows, tmp_path / "t.ods", Codebook())
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("given", [("--sheet", "Data"), ("--sheet=Data",), ("--cells", "A3")])
def test_an_option_for_the_sheet_is_answered(given: tuple[str, ...], tmp_path: Path) -> None:
    """Fault class: for a sheet, the command line suggested --header."""
    path = book_of(tmp_path / "b.xlsx", Data=[HEADER, *ROWS])
    ran = run("scan", path, *given, "--out", tmp_path / "b.toml")
    assert ran.code == 2
    assert "write it after the file name, as in 'visits.xlsx?sheet=2026" in ran.err


def test_tabs_breaks_and_durations_of_open_document_files_are_read(tmp_path: Path) -> None:
    """Fault class: the library left out the tags of tabs, and gave 30 hours as PT30H00M00S."""
    document = odf.opendocument.OpenDocumentSpreadsheet()
    sheet = odf.table.Table(name="Data")
    rows = [("stay", "text"), ("PT30H00M00S", "a\tb"), ("PT06H15M00.5S", "c\nd"), ("", "PT1H")]
    for stay, text in rows:
        row, note = odf.table.TableRow(), odf.text.P()
        odf.teletype.addTextToElement(note, text)
        times = {"valuetype": "time", "timevalue": stay} if stay[:1] == "P" else {}
        times |= {"valuetype": "string"} if stay == "stay" else {}
        for at, shown in ((times, odf.text.P(text=stay)), ({"valuetype": "string"}, note)):
            cell = odf.table.TableCell(**at)
            cell.addElement(shown)
            row.addElement(cell)
        sheet.addElement(row)
    document.spreadsheet.addElement(sheet)
    document.save(str(tmp_path / "t.ods"))
    found = cells(tmp_path / "t.ods")
    assert found == {"stay": ["30:00:00", "06:15:00.5", None], "text": ["a\tb", "c\nd", "PT1H"]}


def test_a_duration_without_end_is_a_text() -> None:
    """Fault class: a bug report for a number of hours that no duration has."""
    long = ["PT99999999999999H00M00S"]
    assert opendocument.with_durations(long) == long


def test_days_before_1900_in_an_excel_file_are_said(tmp_path: Path) -> None:
    """Fault class: LibreOffice writes 1850-05-05 as a negative number, which was midnight."""
    book = openpyxl.load_workbook(
        book_of(tmp_path / "b.xlsx", Data=[["born", "sex"], [-18136, "f"]])
    )
    sheet = book.active
    sheet.append([dt.date(2024, 2, 29), "m"])
    sheet["A2"].number_format = "yyyy-mm-dd"
    book.save(tmp_path / "b.xlsx")
    said = run("risk", tmp_path / "b.xlsx", "--quasi", "sex").err
    assert "1 cell in a column of dates is read as a time, but may mean a day before 1900" in said
