"""The workbench by the keyboard alone: Tab, Shift+Tab, Enter, Space and the arrows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browsing import Visit
from keyboard import Keyboard, keys


@pytest.mark.nightly
def test_a_table_is_begun_with_and_paged_by_keys(visit: Visit, tables: Path) -> None:
    """The focus stays on the button that was pressed, or goes to the nearest that is left."""
    lines = [f"{20 + at % 50},{'fm'[at % 2]}" for at in range(50)]
    (tables / "by keys.csv").write_text("\n".join(["age,sex", *lines, ""]))
    page = visit.page
    with keys(visit) as hands:
        visit.go("/")
        hands.enter("^a: Skip to the content")
        assert hands.at().startswith("main")
        hands.enter("^button: Open a table")
        page.wait_for_url("**/data")
        page.wait_for_load_state("networkidle")
        hands.to("^input: .*choose one")
        hands.to("^summary: Browse the allowed folders")
        hands.press("Space")
        page.get_by_role("button", name="by keys.csv").wait_for()
        hands.enter("^button: by keys.csv")
        assert hands.at().startswith("input: File, folder, DATABASE")
        hands.enter("^button: Open")
        page.wait_for_selector("table.rows")
        hands.kept()
        hands.enter("^button: Show all rows in order")
        visit.looked("Rows 1 to 15 of 50")
        hands.kept()
        hands.enter("^button: Next")
        visit.looked("Rows 16 to 30 of 50")
        hands.kept()
        assert hands.at() == "button: Next"
        hands.enter("^button: Last")
        visit.looked("Rows 46 to 50 of 50")
        hands.kept()


def test_a_refusal_is_read_and_closed_by_keys(visit: Visit) -> None:
    """The focus returns to the control of the request."""
    with keys(visit) as hands:
        visit.begin()
        hands.to("^input: File, folder, DATABASE")
        visit.page.keyboard.type("/etc/passwd")
        hands.press("Enter")
        visit.refused()
        hands.kept()
        hands.to("^button: Close", back=True)
        hands.press("Enter")
        hands.kept()
        assert hands.at().startswith("input: File, folder, DATABASE")
        assert visit.page.url.endswith("/data")


@pytest.mark.nightly
def test_the_demonstration_is_released_by_keys(visit: Visit, tables: Path) -> None:
    """From the empty page to the checks that hold."""
    page = visit.page
    with keys(visit) as hands:
        visit.go("/")
        hands.enter("^button: Open a table")
        page.wait_for_url("**/data")
        hands.enter("^button: Use the demonstration")
        page.wait_for_selector("table.rows")
        hands.kept()
        hands.enter("^a: Continue to the columns")
        page.wait_for_url("**/columns")
        hands.enter("^button: Direct identifier")
        page.get_by_role("link", name="Continue to the risk").wait_for()
        hands.kept()
        hands.enter("^a: Continue to the risk")
        page.wait_for_url("**/risk")
        for _ in range(3):
            hands.to("^input: (Not sure yet|Yes)")
            hands.press("ArrowRight")
            hands.at()
        hands.enter("^button: Compute the risk")
        page.get_by_role("link", name="Continue to the releases").wait_for()
        hands.kept()
        hands.enter("^a: Continue to the releases")
        page.wait_for_url("**/explore")
        _explored(visit)
        hands.to("^input: New folder")
        hands.press("Control+a")
        page.keyboard.type(str(tables / "by keys"))
        hands.enter("^button: Write and verify")
        page.get_by_role("heading", name="Written and verified").wait_for()
        hands.to("^a: Read the report")
    assert (tables / "by keys" / "certificate.json").is_file()


def _explored(visit: Visit) -> None:
    """Search the frontier, walk along it, try a release, choose it."""
    page, hands = visit.page, Keyboard(visit)
    hands.enter("^button: Search the frontier")
    page.locator("#walk").wait_for()
    page.wait_for_selector(".map[data-ready]")
    hands.kept()
    hands.to("^input: Move along the frontier", back=True)
    before = page.locator("#picked-title").inner_text()
    hands.press("ArrowRight")
    assert page.locator("#picked-title").inner_text() != before
    hands.to("^input: One level per column")
    hands.press("ArrowDown")
    assert "Single cells" in hands.at()
    hands.press("ArrowUp")
    for size in ("5", "10"):
        hands.to(f"^input: {size}$")
        hands.press("Space")
    hands.enter("^button: Try it")
    page.get_by_role(
        "button", name=re.compile("^Choose ?: One level per column.*k = 10")
    ).wait_for()
    hands.kept()
    hands.to("^select: Show a release", back=True)
    hands.press("End")
    assert "k = 10" in page.locator("#picked-title").inner_text()
    hands.enter("^button: Choose ?: One level per column, k = 10")
    page.get_by_role("link", name="Continue to the release").wait_for()
    hands.kept()
    hands.enter("^a: Continue to the release")
    page.wait_for_url("**/release")
    page.wait_for_selector("#released table.rows")
    page.wait_for_load_state("networkidle")
