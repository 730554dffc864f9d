"""Rows that are not records are named, and left out if the user says so."""

from __future__ import annotations

import gzip
from pathlib import Path

import openpyxl
import pytest
from commands import run
from small_tables import read_csv

import roadstead as rs
from roadstead.errors import SettingError, SourceError
from roadstead.tables.reading import read

_ROWS = [f"{'MF'[at % 2]},{20 + at % 50},{at % 4}" for at in range(60)]
_HEADER = "sex,age,score"


def _records(path: Path, **reading: object) -> list[tuple[str, ...]]:
    with read(path, **reading) as source:  # type: ignore[arg-type] # of a test
        table = source.table.to_pyarrow()
    return [tuple(row.values()) for row in table.to_pylist()]


def _file(folder: Path, lines: list[str]) -> Path:
    path = folder / "t.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.quick(8)
@pytest.mark.parametrize(
    ("below", "after", "rows"),
    [
        (["Sex?,How old are you?,Score today?"], [], ["2"]),
        (["Sex?,Age?,Score?", '"{""ImportId"":""Q1""}","{""ImportId"":""Q2""}",'], [], ["2-3"]),
        ([",years,points"], [], ["2"]),
        (['"Sex,\nas stated","Age,\nin years",Score?'], [], ["2-4"]),
        ([], ["Total,,60"], ["62"]),
        ([], ["Source: registry,,", "Note: preliminary,,"], ["62-63"]),
        (["?,years,"], ["Total:,,1"], ["2", "63"]),
        ([], [], []),
        (["M,unknown,3"], ["F,> 89,2"], []),
        (["M,NA,NA"], ["NA,,"], []),
        (["M,91,"], ["Totali,33,2"], []),
        ([], ["Total geral,,60"], ["62"]),
        ([], ["N = 60,,"], ["62"]),
        ([], ["(n=1.060),,"], ["62"]),
        ([], ["N,60,2"], []),
        ([], ['"Source: registry,', 'of 2021",,'], ["62-63"]),
    ],
)
def test_rows_that_are_not_records_are_named(
    below: list[str], after: list[str], rows: list[str], tmp_path: Path
) -> None:
    path = _file(tmp_path, [_HEADER, *below, *_ROWS, *after])
    with read(path) as source:
        assert [one.lines for one in source.suspect_rows] == rows
    if rows:
        assert len(_records(path, skip_rows=",".join(rows))) == len(_ROWS)


def test_rows_left_out_are_those_that_another_reader_leaves_out(tmp_path: Path) -> None:
    lines = ["Clinic report, 2024", "", _HEADER, "?,years,", *_ROWS, "Total", "Source: x"]
    path = _file(tmp_path, lines)
    with pytest.raises(SourceError, match=r"line 3.*1-2"):
        read(path)
    last = len(lines) - 1
    with pytest.raises(SourceError, match=rf'line {last}.*skip_rows="{last}"'):
        read(path, skip_rows="1-2,4")
    wanted = [tuple(row.split(",")) for row in _ROWS]
    assert _records(path, skip_rows=f"1-2, 4, {last}-") == wanted
    zipped = tmp_path / "t.csv.gz"
    zipped.write_bytes(gzip.compress("\r\n".join(lines).encode("utf-16")))
    assert _records(zipped, skip_rows=f"1-2,4,{last}-") == wanted


def test_a_release_says_what_was_left_out(tmp_path: Path) -> None:
    path = _file(tmp_path, [_HEADER, "?,years,", *_ROWS])
    out = tmp_path / "out"
    scanned = rs.scan(path, skip_rows="2")
    assert 'skip_rows = "2"' in scanned.to_toml()
    assert "1 row left out (2)" in str(scanned)
    rs.anonymize(path, quasi=["sex", "age"], k=2, skip_rows="2").write(out)
    assert len(read_csv(out / "t.csv")) == len(_ROWS) + 1


def test_years_can_name_columns(tmp_path: Path) -> None:
    visits = [f"{at},{'AB'[at % 2]},{at * 7 % 90},{at % 5}" for at in range(30)]
    with read(_file(tmp_path, ["id,ward,2001,2002", *visits])) as source:
        assert source.columns == ("id", "ward", "2001", "2002")
    born = [f"x{at},B,{1950 + at},{2001 + at % 9}" for at in range(30)]
    with read(_file(tmp_path, ["Ann,A,1980,2001", *born])) as source:
        assert source.columns[0] == "column_1"


@pytest.mark.parametrize("rows", ["x", "3-2", "0", "-3", "1,,2", "1;2"])
def test_other_texts_are_not_rows(rows: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="not a range of rows"):
        read(_file(tmp_path, [_HEADER, *_ROWS]), skip_rows=rows)


@pytest.mark.quick(1)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_total_at_the_end_of_a_long_file_is_named(
    line_break: str, end: str, tmp_path: Path
) -> None:
    """The beginning of the file, from which the dialect is known, does not contain it."""
    lines = [_HEADER, *_ROWS * 800, "Total,,48000"]
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(("\n".join(lines) + end).replace("\n", line_break).encode()))
    with read(path) as source:
        (found,) = source.suspect_rows
        assert found.lines == str(len(lines))
    assert len(_records(path, skip_rows=found.lines)) == len(_ROWS) * 800


def test_a_total_is_named_in_a_table_without_a_header(tmp_path: Path) -> None:
    """Fault class: the warning disappeared when the first row was read as a record."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    rows = [*_ROWS, "Total,,48000"]
    for row in rows:
        sheet.append(row.split(","))
    book.save(tmp_path / "t.xlsx")
    for source in (
        read(tmp_path / "t.xlsx", header=False),
        read(_file(tmp_path, rows), header=False),
    ):
        with source:
            assert [one.lines for one in source.suspect_rows] == [str(len(rows))]


def test_a_total_in_a_sheet_is_named_with_its_row(tmp_path: Path) -> None:
    """Empty rows count, as in the program that shows the sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    rows = [["Cases"], [], ["sex", "age", "score"], *(row.split(",") for row in _ROWS)]
    for row in [*rows, [], ["Total", None, 60], ["Source: registry"]]:
        sheet.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    said = str(rs.scan(f"{path}?cells=A3"))
    assert (
        "Rows 65-66 look like totals or notes, not like records. If they are not records, leave "
        'them out with skip_rows="65-66"' in said
    )
    assert len(_records(Path(f"{path}?cells=A3"), skip_rows="65-66")) == len(_ROWS)
    release = rs.anonymize(f"{path}?cells=A3", quasi=["sex"], undecided="withhold")
    assert any("Rows 65-66 look like totals" in line for line in release.noticed)
    release.write(tmp_path / "out")
    report = tmp_path / "out" / "report.html"
    assert "but this release counts them as records" in report.read_text(encoding="utf-8")


def test_the_advice_names_the_second_header_row_and_the_project_file(tmp_path: Path) -> None:
    """Fault class: the advice was to declare the header as missing, or to suppress it."""
    rows = [f"19{at % 40 + 50}-05-1{at % 9},0213{at % 4}" for at in range(300)]
    plain, second = tmp_path / "t.csv", tmp_path / "two.csv"
    plain.write_text("\n".join(["birth_date,zip", *rows, ""]), encoding="utf-8")
    second.write_text("\n".join(["birth_date,zip", "Born,ZIP", *rows, ""]), encoding="utf-8")
    said = run("scan", second, "--out", tmp_path / "p.toml")
    assert "run scan again, because its hierarchies depend on all rows" in said.out + said.err
    assert (
        "If this value is in a second header row, leave the row out with --skip-rows ROWS. "
        "Otherwise, correct this value" in said.out + said.err
    )
    given = ("--quasi", "birth_date,zip", "--out", tmp_path / "out")
    assert run("anonymize", plain, *given).code == 0
    for table, more in ((second, True), (plain, False)):
        if not more:
            plain.write_text(plain.read_text("utf-8") + "1950-05-11,x\n", encoding="utf-8")
        ran = run("apply", tmp_path / "out" / "policy.json", table, "--out", tmp_path / "new")
        assert ran.code != 0
        assert "does not cover the value" in ran.err
        assert ("leave the row out with --skip-rows 2; otherwise, anonymize" in ran.err) == more
