"""Contents of a page: the skeleton of its tags, their attributes, its text, and its scripts."""

from __future__ import annotations

from collections.abc import Container
from html.parser import HTMLParser

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;{{ 701*703 }}</style>\ud800"
)
"""Text that would be a tag, a script or a formula wherever it is not escaped."""

_VOID = {"meta", "br", "input"}


class PageReader(HTMLParser):
    """Reads a page; every tag has to be closed."""

    def __init__(self, page: str, apart: Container[str] | None = None) -> None:
        """`apart`: the tags before which a space separates the text; all, if none are named."""
        super().__init__()
        self.apart = apart
        self.skeleton: list[tuple[str, ...]] = []
        self.attributes: list[tuple[str, str]] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag."""
        self.handle_startendtag(tag, attrs)
        if self.apart is None or tag in self.apart:
            self.text += " "
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        self.skeleton.append((tag, *[name for name, _ in attrs]))
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Add text, except styles; a no-break space counts as a space."""
        if self.open and self.open[-1] == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif not self.open or self.open[-1] != "style":
            self.text += data.replace("\xa0", " ")
