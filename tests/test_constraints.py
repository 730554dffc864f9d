"""All packages of developers are pinned, so that runs today and next year are the same."""

from __future__ import annotations

from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
_LINES = (ROOT / "constraints.txt").read_text("utf-8").split()
PINNED: dict[str, str] = {
    canonicalize_name(line.partition("==")[0]): line.partition("==")[2] for line in _LINES
}


def _needed(name: str, extras: frozenset[str]) -> dict[str, list[Requirement]]:
    """List all distributions that one needs with some extras, with what is asked of each."""
    found: dict[str, list[Requirement]] = {}
    waiting, met = [(name, extras)], set()
    while waiting:
        one = waiting.pop()
        if one in met:
            continue
        met.add(one)
        for text in requires(one[0]) or ():
            need = Requirement(text)
            places = [{"extra": extra} for extra in ("", *one[1])]
            if need.marker is None or any(need.marker.evaluate(place) for place in places):
                found.setdefault(canonicalize_name(need.name), []).append(need)
                waiting.append((need.name, frozenset(need.extras)))
    return found


def test_every_library_of_a_developer_is_pinned() -> None:
    """Fault class: a dependency is added, and what it brings along is whatever is newest."""
    assert _needed("roadstead", frozenset({"dev"})).keys() <= PINNED.keys()


def test_what_is_pinned_is_what_each_asks_for() -> None:
    """Fault class: pins that contradict each other, so that nothing can be installed."""
    needed = _needed("roadstead", frozenset({"dev"}))
    wrong = {
        name: [str(one) for one in asked if not one.specifier.contains(PINNED[name])]
        for name, asked in needed.items()
        if name in PINNED
    }
    assert not {name: asked for name, asked in wrong.items() if asked}


@pytest.mark.parametrize(
    "extra",
    [
        *(
            "charts",
            "dp",
            "excel",
            "mcp",
            "pdf",
            "postgres",
            "spark",
            "spark-connect",
            "stats",
        ),
        "web",
    ],
)
def test_developers_have_what_an_extra_brings(extra: str) -> None:
    """Fault class: an extra that no test ever runs with."""
    for name in _needed("roadstead", frozenset({extra})):
        assert version(name) == PINNED[name]
