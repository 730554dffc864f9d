"""A person who uses only the keyboard, and sees where the focus is.

Nothing is clicked, and no script sets the focus. Every focused element must visibly have the focus.
After each replacement of a piece of a page, some element must have the focus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from browsing import Visit
    from playwright.sync_api import Page

MOST = 150
"""Steps of the Tab key after which something cannot be reached."""

_WATCH = """
window.lost = [];
let had = false;
const note = () => { had = document.activeElement !== document.body; };
document.addEventListener("htmx:beforeRequest", note);
document.addEventListener("htmx:beforeSwap", () => {
  had = had || document.activeElement !== document.body;
});
document.addEventListener("htmx:afterSettle", (event) => {
  setTimeout(() => {
    const at = event.target.id || event.target.tagName;
    if (had && document.activeElement === document.body) window.lost.push(at);
    had = false;
  }, 50);
});
"""
SETTLED = "() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')"
_AT = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const outlined = (one) => {
    const style = one && getComputedStyle(one);
    return style && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  const shows = [at, at.closest("label")].find(outlined);
  const box = (shows || at).getBoundingClientRect();
  const named = at.labels && at.labels.length ? at.labels[0].textContent : at.textContent;
  return {
    words: (named || at.getAttribute("aria-label") || "").replace(/\\s+/g, " ").trim(),
    tag: at.tagName.toLowerCase(),
    value: at.value || "",
    outlined: Boolean(shows),
    inside: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
      && box.top < innerHeight && box.left < innerWidth,
  };
}"""


class Keyboard:
    """The keys, and what they lead to."""

    def __init__(self, visit: Visit) -> None:
        self.page: Page = visit.page

    def at(self) -> str:
        """Say what has the focus: its kind and its words; it must be seen to have it."""
        found = self.page.evaluate(_AT)
        assert found is not None, f"nothing has the focus on {self.page.url}"
        where = f"{found['tag']}: {found['words']}"
        assert found["outlined"], f"{where} has the focus, and does not show it"
        assert found["inside"], f"{where} has the focus, and is out of sight"
        return where

    def to(self, words: str, *, back: bool = False) -> None:
        """Step on with Tab, or back, until the focus is on what these words, a pattern, name."""
        wanted, passed = re.compile(words), []
        for _ in range(MOST):
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
            if self.page.evaluate("document.activeElement === document.body"):
                continue  # round the end of the page
            where = self.at()
            if wanted.search(where):
                return
            passed.append(where)
        raise AssertionError(f"{words!r} was not reached, but " + "; ".join(passed[:40]))

    def press(self, key: str) -> None:
        """Press a key."""
        self.page.keyboard.press(key)

    def enter(self, words: str) -> None:
        """Go to something and press Enter."""
        self.to(words)
        self.press("Enter")

    def kept(self) -> None:
        """Require that no piece that was replaced took the focus away, and that it is seen."""
        self.page.wait_for_function(SETTLED)
        lost = self.page.evaluate("window.lost")
        assert lost == [], f"the replacement of {lost} took the focus away"
        self.at()


@contextmanager
def keys(visit: Visit) -> Iterator[Keyboard]:
    """Have a person use the keyboard alone."""
    visit.page.add_init_script(_WATCH)
    yield Keyboard(visit)
    assert visit.page.evaluate("window.lost") == []
