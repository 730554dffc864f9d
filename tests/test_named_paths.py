"""Every file that a page of the documentation names is there.

A path starts at the repository's root, or at the package; of a file next to one that was named,
a page gives the name alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "roadstead"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FOLDERS = ("benchmarks", "docs", "reproductions", "src", "tests")
STARTS = {*FOLDERS, *(room.name for room in PACKAGE.iterdir() if (room / "__init__.py").exists())}
NAMES = {file.name for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")}
NOT_THERE = {
    "utils.py": "what the house has none of",
    "uncertainty.py": "the file that somebody adds who follows the page on design",
    "worst_precision.py": "another one",
    "tests/...": "the place of any test",
    "job.py": "what a page shows",
    "monthly_release.py": "what a page shows",
}
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`([^`\s]+)`")


def paths_named(text: str) -> set[str]:
    """Paths of files and folders of this repository that a page names, outside of its examples."""
    words = set(_QUOTED.findall(_FENCED.sub("", text)))
    return {
        word
        for word in words
        if re.fullmatch(r"[\w./-]+", word)
        and (word.endswith(".py") or ("/" in word.rstrip("/") and word.split("/")[0] in STARTS))
    }


def is_there(path: str) -> bool:
    """Whether a path exists; a part in capitals represents any name."""
    pattern = re.sub(r"\b[A-Z]{3,}\b", "*", path).rstrip("/")
    if "/" not in pattern:
        return pattern in NAMES
    return any(
        next(base.glob(one), None) is not None
        for base in (ROOT, PACKAGE)
        for one in (pattern, f"{pattern}.py")
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_that_is_named_exists(page: Path) -> None:
    """Fault class: a file is moved or renamed, and a page still sends readers to the old one."""
    named = paths_named(page.read_text(encoding="utf-8")) - NOT_THERE.keys()
    assert {path for path in named if not is_there(path)} == set()


def test_a_path_that_leads_nowhere_is_seen() -> None:
    """The witness itself."""
    text = "`quality/gone.py`, `search/exact.py`, `gone.py`, `tables/stores/NAME/store.py`"
    gone = {path for path in paths_named(text) if not is_there(path)}
    assert gone == {"quality/gone.py", "gone.py"}
    assert paths_named("`release/` `demo-release/patients.csv` `N/A` `1/3`") == set()
