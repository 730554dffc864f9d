"""Every address of the workbench that a browser could request, found by following all links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urlencode, urljoin

from roadstead.web.steps import columns, data, explore, release, risk

if TYPE_CHECKING:
    from workbench import Answer, Bench

_NAMES = ("href", "src", "hx-get", "data-events", "data-then", "data-src")
_OF_A_COLUMN = ("", "/editor", "/export")
_STEPS = (data, columns, risk, explore, release)
MOST = 400


class _Named(HTMLParser):
    """Collects the addresses that a page names, and its ids."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.words: set[str] = set()  # names of elements and of their attributes
        self.scripts = 0
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element."""
        found = {name: value or "" for name, value in attrs}
        self.words |= {tag, *found}
        self.inline += [name for name in found if name.startswith("on") or name == "style"]
        self.scripts += tag == "script" and "src" not in found
        self.ids += [found["id"]] if "id" in found else []
        asked = json.loads(found["hx-vals"]) if "hx-vals" in found else {}
        for name in _NAMES:
            if name in found:
                mark = "&" if "?" in found[name] else "?"
                own = found[name] + (mark + urlencode(asked) if asked else "")
                self.addresses.append(own)


def named_in(text: str) -> _Named:
    """Read a page."""
    page = _Named()
    page.feed(text)
    return page


def crawled(bench: Bench, piece: str) -> Iterator[tuple[str, Answer]]:
    """Get every address of a piece of work, including addresses without a link.

    The stream of events is left out, because the page of the job has the same contents.
    """
    todo = ["/", piece, *(f"{piece}{path}" for path in _paths())]
    jobs = (bench.folder(piece) / "facts" / "jobs").glob("*.json")
    todo += [f"{piece}/jobs/{one.stem}" for one in jobs]
    numbers = range(1, len(columns_of(bench, piece)) + 1)
    todo += [f"{piece}/columns/{one}{more}" for one in numbers for more in _OF_A_COLUMN]
    for number in numbers:
        address = f"{piece}/columns/{number}/levels"
        yield address, bench.post(address, kind="frequency")
    seen: set[str] = set()
    while todo and len(seen) < MOST:
        address = todo.pop(0)
        if address in seen or address.endswith("/events"):
            continue
        seen.add(address)
        answer = bench.get(address)
        yield address, answer
        if "html" not in (answer.headers.get("content-type") or ""):
            continue
        for one in named_in(answer.text).addresses:
            target = urldefrag(urljoin(address, one)).url
            inside = target.startswith(f"{piece}/")
            todo += [target] if inside else []


def columns_of(bench: Bench, piece: str) -> list[str]:
    """Name the columns of the table of a piece of work."""
    try:
        found = json.loads((bench.folder(piece) / "facts" / "scan.json").read_text("utf-8"))
    except FileNotFoundError:
        return []
    return [one["name"] for one in found["columns"]]


def _paths() -> Iterator[str]:
    """Give the addresses of all steps that take no name."""
    for step in _STEPS:
        for route in step.ROUTES:
            if "GET" in (route.methods or ()) and "{" not in route.path:
                yield route.path
