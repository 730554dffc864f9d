"""A browser that uses the workbench as a person does, and checks what it must not see.

The browser is Debian's Chromium, not Playwright's own download. Each test has its own logged-in
profile. Any message on the console fails the test, for example a breach of the content security
policy.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from patience import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page
    from workbench import Bench

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
LIGHT_FIRST = ("light", pytest.param("dark", marks=pytest.mark.nightly))
"""For what one flow through all steps sees in both themes anyway."""
_MILLISECONDS = 1000
_FLAGS = (
    "--no-sandbox",  # tests may be run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_EXPECTED = (
    "Failed to load resource: the server responded with a status of 422",
    "Response Status Error Code 422",
)
"""Messages of Chromium and htmx about every refusal, which the page shows in words."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; the tests that need it skip where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="install playwright to run this test"
    )
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("install Chromium (the package chromium of Debian) to run this test")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page in a profile of its own, and what it said on the console."""

    page: Page
    bench: Bench
    said: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        """Go to an address of the workbench."""
        self.page.goto(f"{self.bench.address}{path}")

    def begin(self) -> str:
        """Begin a piece of work; give its address."""
        self.go("/")
        self.page.get_by_role("button", name="Open a table").click()
        self.page.wait_for_url("**/data")
        return self.piece

    @property
    def piece(self) -> str:
        """The address of the piece of work whose page is open."""
        return self.page.url.removeprefix(self.bench.address).rpartition("/")[0]

    def open(self, data: str) -> None:
        """Open a table by its path, and wait until it was looked at."""
        self.page.locator("#value").fill(data)
        self.page.get_by_role("button", name="Open", exact=True).click()
        self.page.wait_for_selector("table.rows, .refusal:visible")
        assert self.page.locator("table.rows").count(), self.refused()

    def looked(self, text: str) -> None:
        """Wait until a text is shown."""
        self.page.get_by_text(text).first.wait_for()

    def refused(self) -> str:
        """Wait for a refusal, and give its words; the warning of a release does not count."""
        found = self.page.locator(".refusal:not(#added):visible").first
        found.wait_for()
        return found.inner_text()

    def hear(self, message: ConsoleMessage) -> None:
        """Keep what the page complains about."""
        if message.type in ("error", "warning") and not message.text.startswith(_EXPECTED):
            self.said.append(f"{message.type}: {message.text}")


@contextmanager
def visiting(
    browser: Browser,
    bench: Bench,
    *,
    theme: Theme = "light",
    size: tuple[int, int] = (1280, 800),
) -> Iterator[Visit]:
    """Let a new profile of the browser in, and fail if its pages complained."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme
    )
    context.set_default_timeout(PATIENCE * _MILLISECONDS)
    context.add_cookies(
        [
            {"name": key, "value": value, "url": bench.address}
            for key, value in bench.cookies.items()
        ]
    )
    visit = Visit(context.new_page(), bench)
    visit.page.on("console", visit.hear)
    visit.page.on("pageerror", lambda error: visit.said.append(str(error)))
    try:
        yield visit
    finally:
        context.close()
    assert not visit.said, visit.said


@cache
def _axe() -> str:
    package = pytest.importorskip(
        "axe_playwright_python", reason="install axe-playwright-python to run this test"
    )
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


def violations(page: Page) -> list[str]:
    """Say what axe finds wrong with a page, by WCAG 2.2 AA and its own best practices."""
    page.evaluate(_axe())
    found: dict[str, Any] = page.evaluate("axe.run()")
    return [
        f"{one['id']}: {node['target']}: {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def fits(page: Page) -> bool:
    """Say whether a page is no wider than its window, so that readers need not scroll sideways."""
    return bool(
        page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )


_CUT_OFF = """() => [...document.querySelectorAll("main *, header *, .chosen *")].filter((one) => {
  const style = getComputedStyle(one), box = one.getBoundingClientRect();
  if (!box.width || !box.height || one.matches("input")) return false;
  if (one.closest(".unseen, .skip, svg")) return false;
  const scrolls = (other) => ["auto", "scroll"].includes(getComputedStyle(other).overflowX);
  let framed = false;
  for (let at = one.parentElement; at; at = at.parentElement) framed = framed || scrolls(at);
  const beyond = box.right > document.documentElement.clientWidth + 1 || box.left < -1;
  const cut = ["hidden", "clip"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
  return (beyond || cut) && !framed;
}).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`)"""
"""Elements that are beyond the window or cut off, outside of scrolling frames."""
_FRAMED = """() => [...document.querySelectorAll("main table")].filter((table) => {
  for (let at = table.parentElement; at; at = at.parentElement) {
    if (table.getClientRects().length && at.scrollWidth > at.clientWidth + 1
      && getComputedStyle(at).overflowX !== "visible") return true;
  }
  return false;
}).map((one) => one.textContent.slice(0, 60))"""
"""Tables of which paper would show a part."""


def cut_off(page: Page) -> list[str]:
    """Name the elements of a page that cannot be scrolled into view."""
    found: list[str] = page.evaluate(_CUT_OFF)
    return found


def framed(page: Page) -> list[str]:
    """Name tables that are seen in part, as paper cannot be scrolled."""
    found: list[str] = page.evaluate(_FRAMED)
    return found
