"""Names and prose are in plain words: the page of the glossary lists what is not used, and why.

Words are listed in `docs/glossary.md` alone, and are read from there. Phrases are the patterns of
`support/plain_words.py`, which the same page lists. `support/plain_words.toml` limits the finds of
each file: true uses with their reasons, and the numbers of files that are still to be rewritten.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import plain_limits
import plain_words
import pytest

import roadstead

ROOT = Path(__file__).parent.parent
PACKAGE = Path(roadstead.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
GLOSSARY = ROOT / "docs" / "glossary.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page != GLOSSARY),
    *sorted((ROOT / "docs").rglob("*.ipynb")),
]
TEMPLATES = [
    *sorted(PACKAGE.rglob("*.html")),
    *sorted(PACKAGE.rglob("quality/**/*.toml")),
    *sorted(PACKAGE.rglob("errors.toml")),
]
NO_CLASSES = {"solved", "searched", "found", "given", "wanted", "asked", "told"}
CHECKED = plain_limits.checked_files()
MOST = plain_limits.limits()
_ROW = re.compile(r"^\| (?P<words>[^|]+) \| [^|]+ \| (?P<held>[^|]+) \|$", re.MULTILINE)
_PHRASE = re.compile(r"^\| `(?P<phrase>[^|]+)` \| `[^|]+` \| [^|]+ \|$", re.MULTILINE)
_PARTS = re.compile(r"[A-Z]?[a-z]+")


@cache
def unused(where: str) -> frozenset[str]:
    """Words that the glossary lists as not used in names, or in prose."""
    section = GLOSSARY.read_text(encoding="utf-8").partition("## Words that we do not use")[2]
    rows = [row for row in _ROW.finditer(section) if where in row["held"].split(", ")]
    return frozenset(word for row in rows for word in row["words"].split(", "))


def names_in(source: str) -> Iterator[str]:
    """Names of classes, functions, parameters and attributes that a module declares."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield node.name
            for inner in node.body:
                if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
                    yield inner.target.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield from (one.arg for one in every)


def words_of(name: str) -> set[str]:
    """Take a name apart: ``_tell_of`` and ``TellOf`` are two words."""
    return {part.lower() for part in _PARTS.findall(name)}


def listed_in(text: str, words: frozenset[str]) -> set[str]:
    """Words of the list that a text has, as whole words."""
    flat = " ".join(text.split())
    return {word for word in words if re.search(rf"\b{re.escape(word)}\b", flat, re.IGNORECASE)}


def test_the_list_is_read_from_the_page() -> None:
    """Fault class: the page is rewritten, and the test no longer checks anything."""
    assert {"mend", "beside", "told"} <= unused("names")
    assert {"mend", "heed", "lets nobody in this way"} <= unused("prose")


def test_the_page_lists_every_phrase() -> None:
    """A writer finds in the glossary what the test checks."""
    section = GLOSSARY.read_text(encoding="utf-8").partition("### Phrases")[2]
    listed = {row["phrase"] for row in _PHRASE.finditer(section)}
    assert listed == {pattern.name for pattern in plain_words.PATTERNS}


def test_no_file_has_more_phrases_than_its_limit() -> None:
    """Phrases that readers stumble over, in pages, templates, word files and strings of modules.

    Rewrite the sentence. If it is a true use, list it under ``[allowed]`` with the reason.
    """
    found = {name: plain_words.finds_in(file) for name, file in CHECKED.items()}
    assert [
        f"{name}:{f.line}: {f.pattern.name}: ...{f.text}..."
        for name, finds in found.items()
        if len(finds) > MOST.get(name, 0)
        for f in finds
    ] == []


def test_limits_are_for_files_that_exist_and_have_reasons() -> None:
    """Fault class: a file is renamed, and its limit stays behind for another one."""
    assert MOST.keys() <= CHECKED.keys()
    assert all(len(reason.split()) > 2 for reason in plain_limits.reasons().values())


def test_recording_only_lowers_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault class: the guard is switched off by recording what it finds."""
    file = tmp_path / "limits.toml"
    text = '[allowed]\n"a" = {finds = 1, reason = "a true use"}\n[recorded]\n"b" = 3\n"c" = 2\n'
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(plain_limits, "LIMITS", file)
    plain_limits.record({"a": 4, "b": 1, "c": 5, "d": 6})
    assert plain_limits.limits() == {"a": 1, "b": 1, "c": 2}
    plain_limits.record({"a": 1, "b": 0, "d": 6}, afresh=True)
    assert plain_limits.limits() == {"a": 1, "d": 6}


def test_each_phrase_is_seen(tmp_path: Path) -> None:
    """The witness itself: in a page and in a string, and not in code or a docstring."""
    page, module = tmp_path / "page.md", tmp_path / "module.py"
    page.write_text("Whoever knows it\nis no attacker: `told`.\n", encoding="utf-8")
    module.write_text('"""What is told."""\nA = "made of all alike"\n', encoding="utf-8")
    assert [find.pattern.name for find in plain_words.finds_in(page)] == ["somebody", "is no"]
    assert [find.pattern.name for find in plain_words.finds_in(module)] == ["alike", "made of"]


def test_names_and_texts_of_modules_are_plain() -> None:
    """All words that a reader of the source or of a message sees."""
    wrong = {}
    for file in FILES:
        source = file.read_text(encoding="utf-8")
        names = {file.stem, *names_in(source)}
        found = {name for name in names if words_of(name) & unused("names")}
        wrong[str(file.relative_to(PACKAGE))] = found | listed_in(source, unused("prose"))
    assert {file: found for file, found in wrong.items() if found} == {}


def test_prose_of_pages_is_plain() -> None:
    """In the documentation and in the reports."""
    wrong = {
        page.name: listed_in(page.read_text(encoding="utf-8"), unused("prose"))
        for page in (*PAGES, *TEMPLATES)
    }
    assert {page: found for page, found in wrong.items() if found} == {}


def test_no_class_is_called_by_a_participle_alone() -> None:
    """A class is a thing: what is found is a result."""
    classes = {
        node.name
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    assert {name for name in classes if name.strip("_").lower() in NO_CLASSES} == set()


def test_the_glossary_is_linked() -> None:
    """From the first page of the documentation."""
    assert "(glossary.md)" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_a_word_of_the_list_is_seen() -> None:
    """The witness itself."""
    assert words_of("_tell_of") & unused("names") == {"tell"}
    assert words_of("WantedLevel") & unused("names") == {"wanted"}
    assert not words_of("storyteller") & unused("names")
    assert listed_in("to be\nmended by hand", unused("prose")) == {"mended"}
    assert not listed_in("it is amended, and unheeding", unused("prose"))
    assert list(names_in("class A:\n    b: int\n    def c(self, d): ...")) == [
        "A",
        "b",
        "c",
        "self",
        "d",
    ]
