"""The pages of a determination in a browser: accessible, and no wider than a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import THEMES, Theme, fits, violations
from determinations import all_answered, certificate_of, small_release

import roadstead as rs
from roadstead.determination.dialects import NAMES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SIZES = {"wide": (1280, 900), "narrow": (390, 844)}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, some points answered and some not, of a release with a risk above .09."""
    folder = tmp_path_factory.mktemp("pages")
    release = small_release(folder)
    answers = folder / "determination.toml"
    text = all_answered(
        certificate_of(release), "W" * 90, expert_expires="2026-03-02", attackers_motive="''"
    )
    answers.write_text(text.replace("sex = ", "# sex = "), encoding="utf-8")
    rs.determine(release, answers=answers, out=folder / "pages")
    return folder / "pages"


def look(browser: Browser, page_file: Path, theme: Theme, size: tuple[int, int]) -> None:
    """Open a page as a file, and let axe judge it."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme
    )
    try:
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(page_file.as_uri())
        assert fits(page)
        assert violations(page) == []
        assert said == []
        page.locator(".overview a").first.click()
        assert page.url.endswith(f"#{page.locator('.point').first.get_attribute('id')}")
    finally:
        context.close()


def test_a_page_is_accessible(browser: Browser, pages: Path) -> None:
    """By axe, in the dark, at the width of a phone; with alarms, and with answers missing."""
    look(browser, pages / "ipc.html", "dark", SIZES["narrow"])


@pytest.mark.nightly
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_accessible(
    browser: Browser, pages: Path, name: str, theme: Theme, size: str
) -> None:
    """By axe, in both themes and at both widths."""
    look(browser, pages / f"{name}.html", theme, SIZES[size])
