"""Values are selected and put into a group; a removed column and a change are corrected at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Visit, cut_off, fits
from keyboard import SETTLED

_TOWNS = ("Lisbon", "Porto", "Austin", "Dallas; TX", "  Faro")


@pytest.fixture
def column(visit: Visit, tables: Path) -> Visit:
    """The page of a column of towns."""
    rows = [f'{20 + i % 40},"{_TOWNS[i % 5]}",{i % 7}' for i in range(200)]
    (tables / "towns.csv").write_text("\n".join(["age,town,score", *rows, ""]))
    visit.begin()
    visit.open(str(tables / "towns.csv"))
    visit.go(f"{visit.piece}/columns/2")
    page = visit.page
    page.locator("#kind").wait_for()
    with page.expect_response(lambda answer: answer.url.endswith("/editor")):
        page.locator("#role-2").select_option("quasi")  # which loads the levels again
    page.wait_for_function(SETTLED)
    return visit


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["mapping", "rows"])
def test_selected_values_make_a_group(column: Visit, kind: str) -> None:
    """As a tree and as rows; the levels follow, and the group is saved."""
    page = column.page
    page.locator("#kind").select_option(kind)
    part = page.locator(".grouping")
    part.wait_for()
    assert "Lisbon" in part.inner_text()
    part.locator("[data-narrow]").fill("austin")
    assert part.locator("label:visible", has_text="Lisbon").count() == 0
    part.locator("[data-narrow]").fill("")
    part.get_by_role("button", name="Group the selected values").click()
    column.looked("Select at least one value.")
    for name in ("Austin", "Dallas; TX"):
        part.get_by_label(name).check()
    page.locator("#group-name").fill("Texas")
    page.locator("#group-name").press("Enter")
    column.looked("2 values are now in the group Texas.")
    page.set_viewport_size({"width": 390, "height": 844})
    assert fits(page)
    assert cut_off(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    box = page.locator("#group-name").bounding_box()
    assert box is not None
    assert box["width"] > 150, "the name can be read while it is typed"
    page.get_by_role("button", name="Save these levels").click()
    column.looked("Saved in the project file.")
    piece = column.piece.removesuffix("/columns")
    project = (column.bench.folder(piece) / "project.toml").read_text("utf-8")
    assert "Texas" in project
    assert "Undo the last change" in page.locator("#chosen").inner_text()
