"""Diagnoses by chapter, block, and category: the taxonomies of ICD-9-CM and ICD-10-CM.

A diagnosis code begins with its category, usually three characters. Categories are numbered across
the chapters: 250 is diabetes, 249 to 259 are diseases of endocrine glands, and 240 to 279 are the
endocrine chapter. Every code book has this information, so these taxonomies are public and reveal
nothing about a table. Leaves are the categories. The rest of a code is ignored. Paper 002 (Methods)
generalizes the ICD-9 codes of a patient in this way.

Codes are found with and without their dot. A code without a category is not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal, TypeAlias

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy, from_rules
from roadstead.hierarchies.rules import MISSING, Beginnings, Everything, Identity, Rule
from roadstead.hierarchies.taxonomy import (
    Find,
    Taxonomy,
    by_longest_prefix,
    from_branches,
    from_paths,
)

_SHORT_NUMBER = re.compile(r"\s*(\d{1,2})(\.\d*)?\s*", re.ASCII)
_WIDTH = 3


CodeBook: TypeAlias = Literal["icd9", "icd10"]
"""The code books that come with the package."""

_BOOKS: Mapping[str, tuple[Literal["ICD-9-CM", "ICD-10-CM"], str]] = {
    "icd9": ("ICD-9-CM", "icd9cm.txt"),
    "icd10": ("ICD-10-CM", "icd10cm.txt"),
}


def codes(attribute: str, values: Sequence[str], book: CodeBook) -> Hierarchy:
    """Build levels of a code book: the code, its category, its block, its chapter, ``*``.

    The rules hold the whole book, so they say nothing of the codes of a table. A code that the book
    does not have is called so.
    """
    origin = f"{_BOOKS[book][0]} of {attribute!r}"
    rules: list[Rule] = [Identity(), *_levels(book), Everything()]
    return from_rules(attribute, values, rules, origin=origin)


def book_of(values: Sequence[str]) -> CodeBook | None:
    """Recognize the code book of nearly all codes; None if they fit neither or both."""
    texts = [value for value in values if value != MISSING]
    known = [
        book
        for book, shape in _SHAPES.items()
        if sum(_listed(book, shape, text) for text in texts) >= max(_NEARLY_ALL * len(texts), 1)
    ]
    return known[0] if len(known) == 1 else None


_NEARLY_ALL = 0.9
_SHAPES: Mapping[CodeBook, re.Pattern[str]] = {
    "icd9": re.compile(r"(?:V\d\d|E\d{3}|\d{3})(?:\.?\d{1,2})?", re.ASCII),
    "icd10": re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?", re.ASCII),
}


def _listed(book: CodeBook, shape: re.Pattern[str], text: str) -> bool:
    category = _levels(book)[0]
    return shape.fullmatch(text) is not None and category.label(text) != category.other


@cache
def _levels(book: CodeBook) -> tuple[Beginnings, ...]:
    """Return categories, blocks, and chapters, each with its categories."""
    title, file = _BOOKS[book]
    chapters = _blocks_of(file)
    levels: dict[Literal["categories", "blocks", "chapters"], Mapping[str, Sequence[str]]] = {
        "categories": {
            one: [one] for blocks in chapters.values() for c in blocks.values() for one in c
        },
        "blocks": {label: own for blocks in chapters.values() for label, own in blocks.items()},
        "chapters": {
            label: [one for own in blocks.values() for one in own]
            for label, blocks in chapters.items()
        },
    }
    return tuple(
        Beginnings(tuple((label, tuple(own)) for label, own in groups.items()), title, name)
        for name, groups in levels.items()
    )


def icd9cm(attribute: str) -> Taxonomy:
    """Build the taxonomy of ICD-9-CM diagnosis codes: chapter, block, category.

    Codes are found as ``250.83`` or ``25083``, ``V27``, ``E932``. Leading zeros that a spreadsheet
    removed are restored if they are certain: ``38`` and ``38.4`` are ``038``.
    """
    return _taxonomy_of(attribute, "ICD-9-CM", "icd9cm.txt", by_icd9_category)


def icd10cm(attribute: str) -> Taxonomy:
    """Build the taxonomy of ICD-10-CM diagnosis codes: chapter, block, category."""
    return _taxonomy_of(attribute, "ICD-10-CM", "icd10cm.txt", by_longest_prefix)


def _taxonomy_of(attribute: str, origin: str, file: str, find: Find) -> Taxonomy:
    return from_branches(attribute, "any diagnosis", _blocks_of(file), origin=origin, find=find)


def _blocks_of(file: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    return _blocks((files("roadstead.hierarchies") / "data" / file).read_text("utf-8"))


def by_icd9_category(leaves: Mapping[str, int], value: str) -> int:
    """Find the category of an ICD-9-CM code, with the zeros that it has lost."""
    if lost := _SHORT_NUMBER.fullmatch(value):
        value = lost[1].zfill(_WIDTH)
    return by_longest_prefix(leaves, value)


def by_prefix(attribute: str, codes: Sequence[str], lengths: Sequence[int]) -> Taxonomy:
    """Build a taxonomy of codes whose beginnings say the most, from a declared list of them.

    A value is found by the longest code that it begins with.

    Parameters
    ----------
    attribute
        The column or the kind of items it is for.
    codes
        The codes, which become the leaves. They come from a code book, not from the table that is
        protected. Dots do not count, nor do capitals.
    lengths
        How many characters the groups keep, from general to specific.
    """
    origin = f"prefixes of {attribute!r}"
    if not lengths or not all(shorter < longer for shorter, longer in pairwise([0, *lengths])):
        raise HierarchyError(
            "the prefix lengths are missing, not increasing, or below one",
            where=origin,
            fix="list them from general to specific, such as 1, 3",
        )
    plain = [code.replace(".", "").strip().upper() for code in codes]
    if "" in plain:
        what = f"the code {quoted(codes[plain.index('')])} is empty"
        raise HierarchyError(what, where=origin, fix="leave it out")
    paths = ([*(code[:keep] for keep in lengths if keep < len(code)), code] for code in plain)
    return from_paths(attribute, paths, root="any code", origin=origin, find=by_longest_prefix)


def _blocks(text: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Read chapters, their blocks and the categories of each; labels begin with the range."""
    chapters: dict[str, dict[str, Sequence[str]]] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            blocks = chapters[line] = {}
            continue
        runs, _, title = line.strip().partition(" ")
        categories = [code for run in runs.split(",") for code in _run(run)]
        blocks[_ranged(categories, title)] = categories
    return {
        _ranged([code for codes in blocks.values() for code in codes], title): blocks
        for title, blocks in chapters.items()
    }


def _run(run: str) -> Iterator[str]:
    """Count from the first code of a run to its last; the letter stays: ``V01-V06``."""
    first, _, last = run.partition("-")
    if not last:
        yield first
        return
    letter = first.rstrip("0123456789")
    width = len(first) - len(letter)
    for number in range(int(first[len(letter) :]), int(last[len(letter) :]) + 1):
        yield f"{letter}{number:0{width}d}"


def _ranged(codes: Sequence[str], title: str) -> str:
    return f"{codes[0]} to {codes[-1]} {title}" if len(codes) > 1 else f"{codes[0]} {title}"
