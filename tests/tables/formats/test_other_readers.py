"""Extreme cells of Excel and OpenDocument releases are the same in another program's library."""

from __future__ import annotations

import datetime as dt
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import xlsxwriter
from commands import run
from program_files import AllDigits

pytest.importorskip("openpyxl")
pytest.importorskip("odf")

NUMBERS = [0.1 + 0.2, 1 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53, -1e-7]
TEXTS = ["007", " blank ", "1e5", "true", "ä𝒳\u00a0", "two\nlines", "2024-01-31"]
FIRST = dt.date(1901, 2, 28)


def source(path: Path) -> pd.DataFrame:
    """Write numbers of all sizes, texts that look like other types, days, and times."""
    frame = pd.DataFrame(
        {
            "sex": [("f", "m")[at // 120] for at in range(240)],
            "number": [NUMBERS[at % len(NUMBERS)] for at in range(240)],
            "whole": [at * 4_000_007 for at in range(240)],
            "text": [TEXTS[at % len(TEXTS)] for at in range(240)],
            "day": [FIRST + dt.timedelta(days=97 * at) for at in range(240)],
            "moment": [*pd.date_range("2024-02-28 23:58:01", periods=240, freq="s")],
        }
    )
    if path.suffix == ".ods":
        frame.to_excel(path, index=False, engine="odf")
        return frame
    with xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd hh:mm:ss"}) as book:
        sheet = book.add_worksheet()
        for at, name in enumerate(frame):
            cells = [name, *frame[name].tolist()]
            for row, cell in enumerate(cells):
                sheet.write(row, at, AllDigits(cell) if isinstance(cell, float) else cell)
    return frame


def exact(value: Any) -> object:  # noqa: ANN401 - any cell
    """Return a cell as a value that is equal only if each bit of a number is equal."""
    if isinstance(value, pd.Timestamp | dt.datetime):
        return value.isoformat()
    return struct.pack(">d", float(value)) if isinstance(value, int | float) else str(value)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["v.xlsx", "v.ods"])
def test_each_cell_is_the_same_to_the_last_bit(name: str, tmp_path: Path) -> None:
    """Fault class: a library that writes 15 or 16 digits, or that trims or converts a text."""
    original = source(tmp_path / name)
    kept = ("--release-anyway", "number,whole,text,day,moment")
    out = tmp_path / "out"
    ran = run("anonymize", tmp_path / name, "--quasi", "sex", *kept, "--out", out)
    assert ran.code == 0, ran.error
    engine: Any = "odf" if name == "v.ods" else "openpyxl"
    released = pd.read_excel(out / name, engine=engine, keep_default_na=False)
    for column in original:
        before = Counter(map(exact, original[column].tolist()))
        if column == "day":
            before = Counter(f"{one}T00:00:00" for one in original["day"])
        assert Counter(map(exact, released[column].tolist())) == before, column
