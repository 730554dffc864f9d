"""The last step in a browser: prepared, reviewed, written, replaced on purpose, and downloaded."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from browsing import THEMES, Visit, fits, violations
from workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ROLES = '[roles]\nquasi = ["age", "sex"]\nsensitive = ["outcome"]\nidentifiers = ["name"]\n'


def _chosen(visit: Visit, bench: Bench, tables: Path) -> None:
    """Have a table whose columns are decided on, at the step Release."""
    rows = [f"Ann {i},{20 + i % 40},{'fm'[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(240)]
    table = tables / "outcomes.csv"
    table.write_text("\n".join(["name,age,sex,outcome", *rows, ""]))
    visit.begin()
    visit.open("outcomes.csv")
    piece = visit.page.url.partition("/piece/")[2].partition("/")[0]
    bench.choose(f"/piece/{piece}", f"data = {json.dumps(str(table))}\n{_ROLES}")
    visit.go(f"/piece/{piece}/release")


def _no_barriers(page: Page) -> None:
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        assert violations(page) == []


def test_from_choices_to_a_release_that_somebody_reads(
    visit: Visit, bench: Bench, tables: Path, tmp_path: Path
) -> None:
    """Every state of the step is gone through once, and looked at in both themes."""
    _chosen(visit, bench, tables)
    page = visit.page
    _no_barriers(page)
    page.get_by_role("button", name="Prepare the release").click()
    page.wait_for_selector("#released table.rows")
    assert "Ann 1" not in page.content()
    _no_barriers(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(page)
    page.set_viewport_size({"width": 1280, "height": 800})

    out = tables / "outcomes-released"
    page.locator("#out").fill("/etc/release")
    page.get_by_role("button", name="Write and verify").click()
    page.locator("#refusal").get_by_text("this path is outside the allowed folders").wait_for()
    page.locator("#out").fill(str(out))
    page.get_by_role("button", name="Write and verify").click()
    page.wait_for_selector("#written")
    assert (out / "certificate.json").is_file()
    for summary in page.locator(".written summary").all():
        summary.click()
    _no_barriers(page)

    page.get_by_text("write it to another folder").click()
    page.get_by_role("button", name="Write and verify").click()
    page.get_by_role("button", name="Replace it").click()
    page.wait_for_selector("#job, #written")
    page.wait_for_selector("#written")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Read the report").click()
    opened.value.wait_for_load_state()
    assert opened.value.title() == "De-identification report"
    with page.expect_download() as sent:
        page.get_by_role("link", name="Download the folder as ZIP").click()
    sent.value.save_as(tmp_path / "release.zip")
    with zipfile.ZipFile(tmp_path / "release.zip") as found:
        assert "outcomes-released/outcomes.csv" in found.namelist()
