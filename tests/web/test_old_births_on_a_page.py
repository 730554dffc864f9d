"""The band for births that show an age over 89 survives the form, and its removal is noticed."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench import Bench, served

_SHOWN = "some dates of birth before 1940 show an age over 89"


@pytest.fixture(scope="module")
def piece(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, str]]:
    """A workbench with births and visits, of which some show an age over 89."""
    folder = tmp_path_factory.mktemp("births")
    rows = [f"{1930 + i % 60}-0{1 + i % 9}-11,2025-03-1{i % 7}" for i in range(240)]
    (folder / "visits.csv").write_text("\n".join(["birth_date,admitted", *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        own = bench.begin()
        bench.open(own, "visits.csv")
        yield bench, own


def _fields(text: str) -> dict[str, Any]:
    """Read what the form of the editor would send."""
    found: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", text.partition('id="hierarchy"')[2]):
        own = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if own.get("type") != "checkbox" or " checked" in tag:
            found.setdefault(own.get("name", ""), []).append(html.unescape(own.get("value", "")))
    return {name: values for name, values in found.items() if name and values != [""]}


def _bottom(bench: Bench, own: str) -> object:
    text = (bench.folder(own) / "project.toml").read_text()
    return tomllib.loads(text)["hierarchies"]["birth_date"].get("bottom")


def test_the_suggested_band_is_saved_as_it_is_shown(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    fields = _fields(bench.get(f"{own}/columns/1/editor").text)
    assert fields["bottom"] == ["1940"]
    levels = bench.post(f"{own}/columns/1/levels", **fields).text
    assert "(dates before 1940 in one band)" in levels
    assert _SHOWN not in levels
    saved = bench.post(f"{own}/columns/1/hierarchy", **fields)
    assert (saved.status, "Saved in the project file." in saved.text) == (200, True)
    assert _bottom(bench, own) == 1940
    assert _fields(bench.get(f"{own}/columns/1/editor").text)["bottom"] == ["1940"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("bottom", ["", "1932"])
def test_a_band_that_leaves_old_ages_is_noticed(piece: tuple[Bench, str], bottom: str) -> None:
    """The form warns while the band is edited, and again when it is saved."""
    bench, own = piece
    fields = {**_fields(bench.get(f"{own}/columns/1/editor").text), "bottom": bottom}
    assert _SHOWN in bench.post(f"{own}/columns/1/levels", **fields).text
    saved = bench.post(f"{own}/columns/1/hierarchy", **fields)
    assert "Saved in the project file. Warning: " + _SHOWN in saved.text
    assert _bottom(bench, own) == (int(bottom) if bottom else None)


def test_a_year_that_is_not_a_number_is_refused_at_its_field(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    fields = {**_fields(bench.get(f"{own}/columns/1/editor").text), "bottom": "soon"}
    levels = bench.post(f"{own}/columns/1/levels", **fields).text
    assert "One band for dates before this year" in html.unescape(levels)
    assert "is not a number" in levels


def _declared_missing(folder: Path, *, saved: bool) -> tuple[object, str, str]:
    """Return levels of births, after a code is declared missing, and what the page says."""
    born = ["unknown" if i % 60 == 7 else f"0{1 + i % 9}/11/{1930 + i % 60}" for i in range(240)]
    rows = [f"{one},2025-03-1{i % 7}" for i, one in enumerate(born)]
    (folder / "visits.csv").write_text("\n".join(["birth_date,admitted", *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        own = bench.begin()
        bench.open(own, "visits.csv")
        if saved:
            fields = _fields(bench.get(f"{own}/columns/1/editor").text)
            bench.post(f"{own}/columns/1/hierarchy", **{**fields, "kind": "flat", "most": "0"})
        bench.post(f"{own}/data/suggestion", key="missing", value="birth_date=unknown")
        bench.wait(own, "scan")
        text = (bench.folder(own) / "project.toml").read_text()
        flat = bench.post(f"{own}/columns/1/levels", kind="flat").text
        page = bench.get(f"{own}/columns/1/editor").text
        return tomllib.loads(text)["hierarchies"]["birth_date"], flat, page


def test_levels_that_nobody_edited_are_suggested_again(tmp_path: Path) -> None:
    """A code prevents levels of dates. Without the code, births have levels and their band."""
    spec, flat, page = _declared_missing(tmp_path, saved=False)
    assert "Choose Calendar as the kind of levels, and enter 1940 as the year" in flat
    assert isinstance(spec, dict)
    project = next(tmp_path.glob("state/*/project.toml")).read_text()
    assert "has no levels for dates" not in project
    assert (spec["kind"], spec["bottom"]) == ("dates", 1940)
    assert _fields(page)["bottom"] == ["1940"]


def test_levels_with_a_limit_are_kept(tmp_path: Path) -> None:
    assert _declared_missing(tmp_path, saved=True)[0] == {"kind": "flat"}
