"""A workbook and an SPSS file on the page: dropped, a sheet chosen, and released as they came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest
from program_files import people, write
from workbench import Bench, served


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench."""
    folder = tmp_path_factory.mktemp("files")
    with served(folder / "state", [folder]) as bench:
        bench.enter()
        yield bench


def dropped(bench: Bench, piece: str, path: Path) -> None:
    """Drop a file on the page."""
    headers = {"X-File-Name": path.name, "HX-Request": "true"}
    bench.request("PUT", f"{piece}/data/drop", path.read_bytes(), headers)


def test_a_sheet_is_chosen_where_several_have_cells(bench: Bench, tmp_path: Path) -> None:
    """The message names the sheets, and the page has a field for the name."""
    book = openpyxl.Workbook()
    for name in ("Ward A", "Ward B"):
        sheet = book.create_sheet(name)
        sheet.append(["sex", "age"])
        for at in range(12):
            sheet.append(["fm"[at % 2], 20 + at])
    book.save(tmp_path / "b.xlsx")
    piece = bench.begin()
    dropped(bench, piece, tmp_path / "b.xlsx")
    assert bench.wait(piece, "scan")["state"] == "failed"
    shown = bench.get(f"{piece}/data").text
    assert "2 sheets have cells" in shown
    assert "Sheet of the workbook" in shown
    bench.post(f"{piece}/data/reading", **{"part-sheet": "Ward B"})
    assert bench.wait(piece, "scan")["state"] == "done"
    shown = bench.get(f"{piece}/data").text
    assert "12 records" in shown
    assert 'value="Ward B"' in shown
    assert "was deleted when the workbench ended" not in shown
    assert "<td>20</td>" in bench.get(f"{piece}/data/rows").text


def test_labels_are_shown_instead_of_codes(bench: Bench, tmp_path: Path) -> None:
    """From an SPSS file."""
    write(people(), tmp_path / "p.sav")
    piece = bench.begin()
    dropped(bench, piece, tmp_path / "p.sav")
    assert bench.wait(piece, "scan")["state"] == "done"
    assert "SPSS, value labels in 2 columns" in bench.get(f"{piece}/data").text
    assert "<td>female</td>" in bench.get(f"{piece}/data/rows").text
