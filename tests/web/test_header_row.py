"""A sheet with a title above its header is read from the row that the user enters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench import Bench, served

from roadstead.web.steps.sheets import header_row, with_header_in

_ROWS = [("Registry of cases",), (), ("id", "sex", "age"), (1, "f", 30), (2, "m", 41), (3, "f", 52)]


def _book(path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Cases"
    for at, row in enumerate(_ROWS, 1):
        for column, value in enumerate(row, 1):
            book.active.cell(at, column, value)
    book.save(path)
    return path


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench that may read a workbook."""
    folder = tmp_path_factory.mktemp("headers")
    _book(folder / "registry.xlsx")
    with served(folder / "state", [folder], folder=folder) as bench:
        yield bench


def test_the_row_is_suggested_and_used(bench: Bench) -> None:
    piece = bench.begin()
    bench.post(f"{piece}/data/open", kind="path", value="registry.xlsx")
    assert bench.wait(piece, "scan")["state"] == "failed"
    page = bench.get(f"{piece}/data").text
    assert "enter the number of the header row" in page
    assert page.index("/data/sheets") < page.index("The first row has a record")
    text = bench.get(f"{piece}/data/sheets").text
    assert "The header is in row" in text
    assert 'name="row" inputmode="numeric" value="3"' in text
    for row in ("", "0", "three", "9999999"):
        assert bench.post(f"{piece}/data/header", row=row).status == 422
    bench.post(f"{piece}/data/header", row="3")
    assert bench.wait(piece, "scan")["state"] == "done"
    assert "registry.xlsx" in bench.get(f"{piece}/data").text
    found = bench.get(f"{piece}/columns").text
    assert all(f">{name}</a>" in found for name in ("id", "sex", "age"))
    assert "The header is in row" not in bench.get(f"{piece}/data/sheets").text


def test_a_row_replaces_the_row_of_a_range_and_keeps_its_columns(tmp_path: Path) -> None:
    path = _book(tmp_path / "registry.xlsx")
    assert header_row(f"{path}?sheet=Cases") == 3
    assert with_header_in(f"{path}?sheet=Cases", 3).endswith("?sheet=Cases&cells=A3")
    assert with_header_in(f"{path}?cells=B2:C9", 4).endswith("?cells=B4%3AC9")
    (tmp_path / "plain.csv").write_text("a,b\n1,2\n")
    assert header_row(str(tmp_path / "plain.csv")) is None


def test_a_refused_file_does_not_look_like_the_open_table(bench: Bench) -> None:
    """What is offered for the refused file is next to it; the earlier table is named as open."""
    (bench.state.parent / "open.csv").write_text("age,sex\n" + "40,f\n41,m\n" * 20)
    piece = bench.begin()
    bench.open(piece, "open.csv")
    assert "Continue to the columns" in bench.get(f"{piece}/data").text
    bench.post(f"{piece}/data/open", kind="path", value="registry.xlsx")
    assert bench.wait(piece, "scan")["state"] == "failed"
    page = bench.get(f"{piece}/data").text
    said = (
        "Not opened: registry.xlsx",
        "enter the number of the header row",
        f"{piece}/data/sheets",
        "Reload the file",
        ">open.csv<",
        "This table is still open",
        "Continue with this table",
        "Another table",
    )
    places = [page.index(one, page.index("Which table?")) for one in said]
    assert places == sorted(places)
    assert "Continue to the columns" not in page
    assert 'class="primary"' not in page


@pytest.mark.parametrize(("refused", "title"), [("", "open.csv"), ("yes", "registry.xlsx")])
def test_a_suggestion_is_for_the_table_that_it_is_shown_with(
    bench: Bench, refused: str, title: str
) -> None:
    """A finding about the open table does not read the file that was refused after it."""
    (bench.state.parent / "open.csv").write_text("age,sex\n" + "40,f\n41,m\n" * 20)
    piece = bench.begin()
    bench.open(piece, "open.csv")
    bench.post(f"{piece}/data/open", kind="path", value="registry.xlsx")
    assert bench.wait(piece, "scan")["state"] == "failed"
    bench.post(f"{piece}/data/suggestion", key="missing", value="40", refused=refused)
    bench.wait(piece, "scan")
    state = json.loads((bench.folder(piece) / "session.json").read_text())
    assert state["table"]["title"] == title
    assert state["reading"]["missing"] == ["40"]
