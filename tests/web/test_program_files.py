"""A workbook and an SPSS file on the page: dropped, a sheet chosen, and released as they came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
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
    """The page lists the sheets with their sizes, and one click reads another."""
    book = openpyxl.Workbook()
    for name in ("Ward A", "Ward B"):
        sheet = book.create_sheet(name)
        sheet.append(["sex", "age"])
        for at in range(12 if name == "Ward B" else 1200):
            sheet.append(["fm"[at % 2], 20 + at])
    book.save(tmp_path / "b.xlsx")
    piece = bench.begin()
    dropped(bench, piece, tmp_path / "b.xlsx")
    assert bench.wait(piece, "scan")["state"] == "failed"
    shown = bench.get(f"{piece}/data").text
    assert "2 sheets have cells" in shown
    assert "Sheet of the workbook" in shown
    listed = bench.get(f"{piece}/data/sheets").text
    for name, rows in (("Ward A", "1,201"), ("Ward B", "13")):
        assert f'value="{name}"' in listed
        assert f'<td class="number">{rows}</td><td class="number">2</td>' in listed
    bench.post(f"{piece}/data/sheet", sheet="Ward B")
    assert bench.wait(piece, "scan")["state"] == "done"
    shown = bench.get(f"{piece}/data").text
    assert "12 records" in shown
    assert 'value="Ward B"' in shown
    assert bench.get(f"{piece}/data/sheets").text.count("used now") == 1
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


def test_labels_of_columns_are_shown_like_descriptions(bench: Bench, tmp_path: Path) -> None:
    """As text, in the list and where a column is decided. A codebook's description goes first."""
    frame = pd.DataFrame(
        {"phq": [at % 28 for at in range(200)], "x": [at % 7 for at in range(200)]}
    )
    label = "PHQ-9 <b>depression\u202e score & more"
    pyreadstat.write_sav(
        frame, tmp_path / "l.sav", column_labels={"phq": label, "x": "Of the file"}
    )
    piece = bench.begin()
    dropped(bench, piece, tmp_path / "l.sav")
    assert bench.wait(piece, "scan")["state"] == "done"
    listed = bench.get(f"{piece}/columns").text
    shown = "PHQ-9 depression\\u202e score &amp; more"
    assert f'<small class="described">{shown}</small>' in listed
    assert f"<q>{shown}</q>" in listed
    assert shown in bench.get(f"{piece}/columns/1").text
    bench.post(f"{piece}/columns/1/role", role="sensitive", was="")
    assert f'<small class="described">{shown}</small>' in bench.get(f"{piece}/columns").text
    headers = {"X-File-Name": "c.csv", "HX-Request": "true"}
    bench.request("PUT", f"{piece}/data/codebook", b"name,label\nx,Of the codebook\n", headers)
    assert bench.wait(piece, "scan")["state"] == "done"
    listed = bench.get(f"{piece}/columns").text
    assert shown in listed
    assert "Of the codebook" in listed
    assert "Of the file" not in listed


def test_a_suggestion_about_reading_is_one_click(bench: Bench, tmp_path: Path) -> None:
    """Widths of an error, then rows and a missing code of findings; each adds to the others."""
    rows = [f"P{at:03d} {20 + at % 60:3d} {'fm'[at % 2]}" for at in range(80)]
    (tmp_path / "f.txt").write_text("\n".join(rows))
    piece = bench.begin()
    dropped(bench, piece, tmp_path / "f.txt")
    assert bench.wait(piece, "scan")["state"] == "failed"
    shown = bench.get(f"{piece}/data").text
    assert "<button>Read fields with the widths 6,3,1</button>" in shown
    bench.post(f"{piece}/data/suggestion", key="widths", value="6,3,1")
    assert bench.wait(piece, "scan")["state"] == "done"
    assert "80 records, 3 columns" in bench.get(f"{piece}/data").text

    ages = [f"{999 if at % 8 == 0 else 20 + at % 60},{'fm'[at % 2]}" for at in range(200)]
    (tmp_path / "g.csv").write_text("\n".join(["age,sex", "years,f/m", *ages, "Total,200"]))
    piece = bench.begin()
    dropped(bench, piece, tmp_path / "g.csv")
    assert bench.wait(piece, "scan")["state"] == "done"
    page = bench.get(f"{piece}/data").text
    for rows_named in re.findall(r'name="key" value="skip_rows">.*?value="([^"]+)"', page):
        bench.post(f"{piece}/data/suggestion", key="skip_rows", value=rows_named)
        assert bench.wait(piece, "scan")["state"] == "done"
    assert "200 records" in bench.get(f"{piece}/data").text
    assert "<button>Treat age=999 as missing</button>" in bench.get(f"{piece}/columns").text
    bench.post(f"{piece}/data/suggestion", key="missing", value="age=999")
    assert bench.wait(piece, "scan")["state"] == "done"
    assert 'value="age=999"' in bench.get(f"{piece}/data").text
    assert "Treat age=999" not in bench.get(f"{piece}/columns").text
    refused = bench.post(f"{piece}/data/suggestion", key="encoding", value="x")
    assert (refused.status, "does not exist" in refused.text) == (422, True)
