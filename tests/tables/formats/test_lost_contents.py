"""Contents that a library misreads are refused, or are read in the same way as other programs."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import python_calamine
import xlsxwriter

from roadstead.errors import SourceError
from roadstead.tables.formats.excel.cells import column_of
from roadstead.tables.reading import read


def test_texts_with_zero_bytes_of_a_workbook_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: the library reads some old workbooks with a zero byte after each letter."""
    path = tmp_path / "v.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("S").write(0, 0, "sex")
    sheet = SimpleNamespace(
        height=2, merged_cell_ranges=[], to_python=lambda **_: [["sex"], ["f\0e\0m\0"]]
    )
    kinds = python_calamine.SheetTypeEnum.WorkSheet, python_calamine.SheetVisibleEnum.Visible
    listed = [SimpleNamespace(name="S", typ=kinds[0], visible=kinds[1])]
    found: Any = SimpleNamespace(sheets_metadata=listed, get_sheet_by_name=lambda _: sheet)
    opened = SimpleNamespace(from_object=lambda _: found)
    monkeypatch.setattr(python_calamine, "CalamineWorkbook", opened)
    with pytest.raises(SourceError, match=r"save it again as \.xlsx"):
        read(path)


def test_durations_have_their_sign_and_their_fraction() -> None:
    """Fault class: minus 90 seconds became -1:58:30, and half a second was lost."""
    cells = [dt.timedelta(hours=255, minutes=10), dt.timedelta(seconds=-90)]
    cells.append(dt.timedelta(microseconds=500_000))
    assert column_of(cells).to_pylist() == ["255:10:00", "-00:01:30", "00:00:00.5"]
