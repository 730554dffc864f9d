"""What ``import roadstead`` offers: exactly what is listed, each when it is first used."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import roadstead
from roadstead.requests.fields import options_of
from roadstead.verbs.catalog import REQUESTS

PROMISED = {"anonymize", "apply", "read", "scan", "verify", "Anonymization", "Policy", "Roles"}


def test_all_lists_exactly_what_is_exported() -> None:
    """In order, and without a name that is not there."""
    assert sorted(roadstead._HOMES) == roadstead.__all__
    assert dir(roadstead) == roadstead.__all__
    assert set(roadstead.__all__) >= PROMISED


@pytest.mark.parametrize("name", roadstead.__all__)
def test_every_name_can_be_imported_from_the_top(name: str) -> None:
    """It is the very thing of its own module, and says what it is."""
    found = getattr(roadstead, name)
    home = importlib.import_module(roadstead._HOMES[name])
    assert found is getattr(home, name)
    assert inspect.getdoc(found)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """As of any module."""
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = roadstead.anonymise  # type: ignore[attr-defined]  # there is no such name
    with pytest.raises(ImportError):
        exec("from roadstead import anonymise")  # noqa: S102 - an import that must fail


def test_a_star_import_brings_all_names_and_no_others() -> None:
    """In a fresh interpreter."""
    code = "from roadstead import *; print(*sorted(n for n in dir() if not n.startswith('_')))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == sorted(roadstead.__all__)


def test_importing_loads_no_library_beside_python_s_own() -> None:
    """Not numpy, not the command line's."""
    code = (
        "import sys; before = set(sys.modules); import roadstead; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(*(new - {'roadstead'} - set(sys.stdlib_module_names)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == []


def documented() -> set[str]:
    """Names that the documentation takes off the package, whichever way it calls it."""
    root = Path(__file__).parents[1]
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    short = re.findall(r"\brs\.([A-Za-z_]+)", text)
    return {*short, *re.findall(r"\broadstead\.([A-Z]\w+)", text)}


def test_every_documented_name_is_there() -> None:
    """`rs.NoPolicyError` was documented and was not.

    Fault class: documentation of what does not exist.
    """
    found = documented()
    assert {"anonymize", "NoPolicyError"} <= found
    assert sorted(name for name in found if not hasattr(roadstead, name)) == []


def test_every_error_can_be_imported_from_the_top() -> None:
    """All of the tree: what can be raised can be caught by its name."""
    errors = {
        name
        for name, found in vars(importlib.import_module("roadstead.errors")).items()
        if isinstance(found, type) and issubclass(found, roadstead.RoadsteadError)
    }
    assert errors <= set(roadstead.__all__)


ROOT = Path(__file__).parents[1]
BY_VERB = {kind.verb: kind for kind in REQUESTS}
FIRST = re.compile(r"^\|(.*?)\|", re.MULTILINE)


@pytest.mark.parametrize("verb", ["anonymize", "frontier", "synthesize"])
def test_the_guide_lists_exactly_the_arguments(verb: str) -> None:
    """In the tables of the function's section, no argument is missing, made up, or listed twice.

    Fault class: a table of arguments that stays behind the requests.
    """
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]
    table = section.partition("| argument |")[2].partition("\n\n")[0]
    listed = [name for cell in FIRST.findall(table) for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(options_of(BY_VERB[verb]))


def test_the_reference_lists_the_arguments_that_are_named_differently() -> None:
    """Each argument whose option has another name or does not exist, and no other one."""
    page = (ROOT / "docs/python-reference.md").read_text(encoding="utf-8")
    renamed = dict(re.findall(r"^\| `(\w+)`[^|]*\| `--([\w-]+)` \|$", page, re.MULTILINE))
    every = [one for kind in REQUESTS for one in options_of(kind).values()]
    assert renamed == {one.key: one.flag for one in every if one.flag}
    table = page.partition("| parameter | meaning |")[2].partition("\n\n")[0]
    listed = {name for cell in FIRST.findall(table) for name in re.findall(r"^ `(\w+)`", cell)}
    assert listed == {one.key for one in every if not one.command}
