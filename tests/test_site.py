"""The documentation as a site: MkDocs reads what GitHub shows, and all links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("mkdocs", reason="the extra docs is not installed")
pytest.importorskip("latex2mathml", reason="the extra docs is not installed")

ROOT = Path(__file__).parent.parent


def hook(name: str) -> ModuleType:
    """Import a hook of the site."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


github_markdown = hook("github_markdown")
site_pages = hook("site_pages")


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Which k", "which-k"),
        ("What works with `--person`", "what-works-with---person"),
        ("Evaluations, alongside published figures", "evaluations-alongside-published-figures"),
    ],
)
def test_anchors_are_those_of_github(heading: str, anchor: str) -> None:
    """Fault class: a link to a heading works in one place and not in the other."""
    assert github_markdown.slug(heading) == anchor


def test_a_list_may_begin_below_a_paragraph() -> None:
    """Python-Markdown needs an empty line there, and four spaces inside an item; code stays."""
    written = "Text:\n- one\n  - two\n\n  more\n\n```\nx:\n- y\n  - z\n```"
    read = "Text:\n\n- one\n    - two\n\n    more\n\n```\nx:\n- y\n  - z\n```"
    assert github_markdown.on_page_markdown(written) == read


def test_a_formula_becomes_mathml() -> None:
    """A browser shows it without a script."""
    shown = github_markdown.on_page_content('<span class="arithmatex">\\(n_1 &lt; k\\)</span>')
    assert shown.startswith("<math")
    assert "<msub>" in shown
    assert "&lt;" in shown or "&#x0003C;" in shown


def test_links_follow_their_targets() -> None:
    """A notebook is a page; what the site does not have is plain text; code is left alone."""
    there = {"index.md", "tutorials/release.md", "contributing.md"}
    link = site_pages._LINK
    text = "[a](tutorials/release.ipynb) [b](../CONTRIBUTING.md#set-up) [c](../src/x.py) [d](#e)"
    assert (
        link.sub(lambda found: site_pages._linked(found, "index.md", there), text)
        == "[a](tutorials/release.md) [b](contributing.md#set-up) c [d](#e)"
    )


def test_a_notebook_becomes_a_page(tmp_path: Path) -> None:
    """With its code, its text output, and its tables."""
    cells = [
        {"cell_type": "markdown", "source": ["# T"]},
        {
            "cell_type": "code",
            "source": ["1"],
            "outputs": [
                {"data": {"text/plain": ["1"]}},
                {"data": {"text/html": ["<div>\n<table>\n<tr></tr>\n</table></div>"]}},
            ],
        },
    ]
    file = tmp_path / "t.ipynb"
    file.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    page = "# T\n\n```python\n1\n```\n\n```text\n1\n```\n\n<table><tr></tr></table>\n"
    assert site_pages.from_notebook(file) == page


@pytest.mark.nightly
def test_the_site_builds_and_needs_no_network(tmp_path: Path) -> None:
    """A broken link is an error, and no page loads anything from another place."""
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(site)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loads = re.compile(r'<(?:script|img|iframe)[^>]* src="https?:|<link[^>]* href="https?:')
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    assert [page.name for page in pages if loads.search(page.read_text(encoding="utf-8"))] == []
    reference = (site / "python-reference.html").read_text(encoding="utf-8")
    assert 'id="roadstead_functions.anonymize"' in reference
