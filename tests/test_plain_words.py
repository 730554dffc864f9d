"""Names and prose are in plain words: the page of the glossary lists what is not used, and why.

The list stands in `docs/glossary.md` alone and is read from there. What stays although it is on
the list is named here, with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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
STAYS: dict[str, str] = {}
"""Names, or pieces of prose, that stay, with the reason."""
_ROW = re.compile(r"^\| (?P<words>[^|]+) \| [^|]+ \| (?P<held>[^|]+) \|$", re.MULTILINE)
_PARTS = re.compile(r"[A-Z]?[a-z]+")


def unused(where: str) -> set[str]:
    """Words that the glossary lists as not used in names, or in prose."""
    section = GLOSSARY.read_text(encoding="utf-8").partition("## Words that we do not use")[2]
    rows = [row for row in _ROW.finditer(section) if where in row["held"].split(", ")]
    return {word for row in rows for word in row["words"].split(", ")}


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


def listed_in(text: str, words: set[str]) -> set[str]:
    """Words of the list that a text has, as whole words."""
    for piece in STAYS:
        text = text.replace(piece, "")
    flat = " ".join(text.split())
    return {word for word in words if re.search(rf"\b{re.escape(word)}\b", flat, re.IGNORECASE)}


def test_the_list_is_read_from_the_page() -> None:
    """Fault class: the page is written anew, and the test holds nothing any longer."""
    assert {"mend", "beside", "told"} <= unused("names")
    assert {"mend", "beside", "lets nobody in this way"} <= unused("prose")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_names_and_texts_of_a_module_are_plain(file: Path) -> None:
    """Whatever a reader of the source, or of a message, meets."""
    source = file.read_text(encoding="utf-8")
    names = {file.stem, *names_in(source)} - STAYS.keys()
    assert {name for name in names if words_of(name) & unused("names")} == set()
    assert listed_in(source, unused("prose")) == set()


@pytest.mark.parametrize("page", [*PAGES, *TEMPLATES], ids=lambda page: page.name)
def test_prose_of_a_page_is_plain(page: Path) -> None:
    """Of the documentation, and of the reports."""
    assert listed_in(page.read_text(encoding="utf-8"), unused("prose")) == set()


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
    assert listed_in("put it\nbeside the door", unused("prose")) == {"beside"}
    assert not listed_in("besides, it is amended", unused("prose"))
    assert list(names_in("class A:\n    b: int\n    def c(self, d): ...")) == [
        "A",
        "b",
        "c",
        "self",
        "d",
    ]
