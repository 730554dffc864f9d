"""Output of each result in a notebook: one self-contained block, with a chart or a table."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.reports.notebook import NotebookCell, block, table, words
from roadstead.reports.scan.facts import ColumnProposal
from roadstead.tables.profile import ColumnProfile

_HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}"
TABLE = pa.table(
    {
        "name": [f"Ada Lovelace{at}" for at in range(60)],
        "sex": ["F", "M"] * 30,
        "age": [str(20 + at % 30) for at in range(60)],
        "outcome": ["home", "died", "moved"] * 20,
        _HOSTILE: ["x", "y"] * 30,
    }
)
KNOWN = TABLE.select(["sex", "age", "outcome"])
_VOID = {"circle", "rect", "line", "path"}


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.handlers: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _results(folder: Path) -> dict[str, Any]:
    """Make one of every kind."""
    found = rs.anonymize(KNOWN, quasi=["sex", "age"], sensitive=["outcome"], k=2)
    checked = found.write(folder / "release")
    frontier = rs.frontier(KNOWN, quasi=["sex", "age"], sensitive=["outcome"], search="exact")
    return {
        "anonymize": found,
        "apply": rs.apply(found.policy, KNOWN),
        "written": checked,
        "verify": rs.verify(folder / "release"),
        "frontier": frontier,
        "frontier, chosen": frontier.choose(0, reason="These are made-up people of a test"),
        "risk": rs.risk(KNOWN, quasi=["sex", "age"]),
        "scan": rs.scan(TABLE),
    }


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The notebook's output of each result."""
    made = _results(tmp_path_factory.mktemp("notebook"))
    return {name: one._repr_html_() for name, one in made.items()}


def test_every_result_shows_itself_in_one_block(shown: dict[str, str]) -> None:
    """Whole HTML, with a chart or, of checks, a table; nothing that runs or is fetched."""
    for name, html in shown.items():
        read = _Reader(html)
        assert read.open == []
        assert html.startswith('<div class="roadstead">')
        assert ("svg" in read.tags) != (name in {"verify", "written"})
        assert "table" in read.tags or "pre" in read.tags
        assert read.handlers == []
        assert not {"script", "img", "link", "iframe"} & set(read.tags)
        assert not re.search(r"https?://(?!www\.w3\.org)", html)
        assert len(read.ids) == len(set(read.ids))


@pytest.mark.nightly
def test_the_style_touches_nothing_else(shown: dict[str, str]) -> None:
    """Every rule begins with the class of the block."""
    for html in shown.values():
        (style,) = re.findall(r"<style>(.*?)</style>", html)
        rules = re.findall(r"([^{}]+)\{[^}]*\}", style)
        assert len(rules) > 5
        selectors = [one.strip() for rule in rules for one in rule.split(",")]
        assert all(one.split()[0] == ".roadstead" for one in selectors)


def test_text_has_the_notebooks_own_color_and_charts_stand_on_white(shown: dict[str, str]) -> None:
    """So that both can be read in the dark."""
    for html in shown.values():
        (style,) = re.findall(r"<style>(.*?)</style>", html)
        assert not re.search(r"[{;](color|background(-color)?):(?!inherit|none)", style)
        panels = re.findall(r'<div style="[^"]*background:#fff;color:#1b2430[^"]*"><svg', html)
        assert len(panels) == html.count("<svg")


def test_a_scan_is_a_table_of_the_columns_and_shows_no_value(shown: dict[str, str]) -> None:
    """Role, why and how many values; of no column what is in it."""
    html = shown["scan"]
    text = re.sub(r"<[^>]*>", " ", html)
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', html)
    assert len(rows) == TABLE.num_columns + 18
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', html)[:5]
    assert heads == ["Column", "Role", "Why", "Values", "Missing"]
    assert "name</th><td>identifiers</td>" in html
    assert "about 60</td>" in html
    assert "Lovelace" not in text
    assert "The 18 identifiers of Safe Harbor" in text


def test_what_must_be_decided_is_marked_and_no_more_values_than_records_are_told() -> None:
    """The count of values is a sketch, which may be too large."""
    profile = ColumnProfile("age", "string", 20_000, 5, 21_013, 1, 3)
    column = ColumnProposal("age", None, "numbers", profile, warning="declare a hierarchy")
    html = replace(rs.scan(TABLE), columns=(column,))._repr_html_()
    assert '<td class="open">to be decided</td>' in html
    assert "numbers; declare a hierarchy" in html
    assert "about 20,000<" in html


def test_checks_are_a_table_with_their_evidence(shown: dict[str, str]) -> None:
    """The first words say whether all hold."""
    for name in ("verify", "written"):
        assert "<caption>Passed: " in shown[name]
        assert shown[name].count("<td>yes</td>") == shown[name].count('<th scope="row">') > 5


def test_texts_become_no_markup() -> None:
    """Whatever columns and tables are called."""
    cells = [NotebookCell(_HOSTILE), NotebookCell(_HOSTILE, open=True)]
    html = block(words(_HOSTILE), table(_HOSTILE, cells, [cells]))
    assert not {"script", "img"} & set(_Reader(html).tags)
    assert "<script" not in rs.scan(TABLE)._repr_html_()


def test_equal_charts_have_equal_names_and_others_others() -> None:
    """One notebook may show many."""
    charts = [rs.risk(KNOWN.slice(0, number), quasi=["sex", "age"]) for number in (60, 60, 40)]
    ids = [_Reader(one._repr_html_()).ids for one in charts]
    assert ids[0] == ids[1]
    assert not set(ids[0][:2]) & set(ids[2][:2])
