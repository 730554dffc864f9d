"""Limits on the phrases that readers stumble over, for each file: an allowance, or a record.

``plain_words.toml`` has two tables. An allowance is written by hand: true uses, with the reason. A
recorded number is the number of finds at the last recording. It may only go down: ``python
tests/support/plain_words.py --record`` lowers it, and drops a file without finds.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMITS = Path(__file__).with_name("plain_words.toml")
_MODULES = ("src/roadstead", "reproductions/src", "docs")
_RECORDED = "[recorded]\n"


def checked_files() -> dict[str, Path]:
    """List the files with prose that readers see, by their names from the root."""
    pages = [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        ROOT / "benchmarks" / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "docs").rglob("*.ipynb"),
    ]
    modules = [
        file
        for folder in _MODULES
        for kind in ("*.py", "*.html", "*.toml")
        for file in (ROOT / folder).rglob(kind)
    ]
    return {file.relative_to(ROOT).as_posix(): file for file in sorted({*pages, *modules})}


def limits() -> dict[str, int]:
    """Read how many finds each file may have; a file that is not listed may have none."""
    written = tomllib.loads(LIMITS.read_text(encoding="utf-8"))
    allowed = {name: int(entry["finds"]) for name, entry in written["allowed"].items()}
    recorded: dict[str, int] = written["recorded"]
    return {
        name: max(allowed.get(name, 0), recorded.get(name, 0))
        for name in allowed.keys() | recorded.keys()
    }


def reasons() -> dict[str, str]:
    """Read the reason of each allowance."""
    written = tomllib.loads(LIMITS.read_text(encoding="utf-8"))
    return {name: str(entry["reason"]) for name, entry in written["allowed"].items()}


def record(finds: dict[str, int], *, afresh: bool = False) -> None:
    """Write the finds of each file as its limit: only lower ones, unless all are taken `afresh`."""
    text = LIMITS.read_text(encoding="utf-8")
    head = text.partition(_RECORDED)[0]
    written = tomllib.loads(text)
    kept: dict[str, int] = {}
    for name, found in finds.items():
        most = found if afresh else min(found, written["recorded"].get(name, 0))
        if most > written["allowed"].get(name, {"finds": 0})["finds"]:
            kept[name] = most
    lines = "".join(f'"{name}" = {most}\n' for name, most in sorted(kept.items()))
    LIMITS.write_text(head + _RECORDED + lines, encoding="utf-8")
