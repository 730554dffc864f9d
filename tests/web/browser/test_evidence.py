"""The evidence of a release in a browser: attacked by keyboard, answered, read, in both themes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import THEMES, Visit, cut_off, fits, violations
from workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ROLES = '[roles]\nquasi = ["age", "sex"]\nsensitive = ["outcome"]\nidentifiers = ["name"]\n'
_PICTURES = os.environ.get("ROADSTEAD_PICTURES")


def _no_barriers(page: Page, name: str) -> None:
    """Look at a page in both themes, and at the width of a phone."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        assert violations(page) == []
        if _PICTURES:
            page.screenshot(path=f"{_PICTURES}/{name}-{theme}.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 800})
    assert cut_off(page) == []
    assert fits(page)
    if _PICTURES:
        page.screenshot(path=f"{_PICTURES}/{name}-390.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})


def _press(page: Page, button: str) -> None:
    """Press a button without a mouse."""
    page.get_by_role("button", name=button, exact=True).focus()
    page.keyboard.press("Enter")


def _answered(visit: Visit, file: Path) -> None:
    """Answer some questions by keyboard, a wrong one first, and take the file of them along."""
    page = visit.page
    page.get_by_role("link", name="Answer the questions").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/release/determination")
    _no_barriers(page, "questions")
    with page.expect_download() as sent:
        page.get_by_role("link", name="Download as determination.toml").click()
    sent.value.save_as(file)
    assert "Ana" not in file.read_text()
    page.get_by_label("Expert", exact=True).fill("Ana")
    _press(page, "Save and continue")
    page.get_by_role("heading", name="Part 2 of 13").wait_for()
    page.get_by_label("Release model").select_option("outside")
    _press(page, "Save")
    page.get_by_role("link", name="The threshold").click()
    page.get_by_label("Threshold", exact=True).fill("nine")
    _press(page, "Save")
    assert "Threshold: the answer is not a number" in visit.refused()
    page.get_by_label("Threshold", exact=True).fill("0.2")


@pytest.mark.nightly
def test_a_release_is_attacked_and_its_determination_written(
    visit: Visit, bench: Bench, tables: Path, tmp_path: Path
) -> None:
    """Each state is gone through once, by keyboard, and looked at in both themes."""
    rows = [f"Ann {i},{20 + i % 40},{'fm'[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(240)]
    table = tables / "evidence.csv"
    table.write_text("\n".join(["name,age,sex,outcome", *rows, ""]))
    visit.begin()
    visit.open("evidence.csv")
    piece = visit.piece
    bench.choose(piece, f"data = {json.dumps(str(table))}\n{_ROLES}")
    visit.go(f"{piece}/release")
    page = visit.page
    page.get_by_role("button", name="Prepare the release").click()
    page.wait_for_selector("#released table.rows")
    page.locator("#out").fill(str(tables / "evidence"))
    page.get_by_role("button", name="Write and verify").click()
    page.wait_for_selector("#attack")
    _no_barriers(page, "written")

    page.locator("input[name=certify]").focus()
    page.keyboard.press("Space")
    _press(page, "Attack it")
    page.wait_for_selector("#attacks-head")
    assert (tables / "evidence" / "attacks.html").is_file()
    for summary in page.locator(".written summary").all():
        summary.click()
    _no_barriers(page, "attacked")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Read the report").click()
    report = opened.value
    report.wait_for_load_state()
    report.locator('a[href="attacks.html"]').click()
    report.wait_for_url("**/attacks.html")
    report.close()

    _answered(visit, tmp_path / "determination.toml")
    _press(page, "Save and write the documents")
    page.locator('a[href$="/hipaa.html"]').wait_for()
    page.wait_for_function("() => document.activeElement.id === 'determine'")
    _no_barriers(page, "determined")
    with page.context.expect_page() as opened:
        page.locator('a[href$="/hipaa.html"]').click()
    opened.value.wait_for_load_state()
    assert "Ana" in opened.value.content()
    opened.value.close()
    page.get_by_role("link", name="Continue with the questions").click()
    page.wait_for_url("**/release/determination")
    page.get_by_text("Load an answered").click()
    page.locator("#file").set_input_files(tmp_path / "determination.toml")
    _press(page, "Load the answers")
    page.wait_for_function("() => document.querySelector('textarea').value === ''")
