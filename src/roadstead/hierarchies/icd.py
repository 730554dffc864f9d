"""Diagnoses by chapter, block and category: the taxonomies of ICD-9-CM and ICD-10-CM.

A diagnosis code begins with its category, three characters as a rule, and categories are counted
through from chapter to chapter: 250 is diabetes, 249 to 259 are diseases of endocrine glands, 240
to 279 the endocrine chapter. That is in any code book, so these taxonomies are public and say
nothing about a table. Leaves are the categories; whatever a code says beyond its category is left
out. Paper 002 (Methods) generalizes the ICD-9 codes of a patient in this way.

Codes are found with and without their dot. A code of no category is not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.taxonomy import (
    Find,
    Taxonomy,
    by_longest_prefix,
    from_branches,
    from_paths,
)

_SHORT_NUMBER = re.compile(r"\s*(\d{1,2})(\.\d*)?\s*", re.ASCII)
_WIDTH = 3


def icd9cm(attribute: str) -> Taxonomy:
    """Build the taxonomy of ICD-9-CM diagnosis codes: chapter, block, category.

    Codes are found as ``250.83`` or ``25083``, ``V27``, ``E932``. Zeros in front that a
    spreadsheet took away are put back where that is certain: ``38`` and ``38.4`` are ``038``.
    """
    return _taxonomy_of(attribute, "ICD-9-CM", "icd9cm.txt", by_icd9_category)


def icd10cm(attribute: str) -> Taxonomy:
    """Build the taxonomy of ICD-10-CM diagnosis codes: chapter, block, category."""
    return _taxonomy_of(attribute, "ICD-10-CM", "icd10cm.txt", by_longest_prefix)


def _taxonomy_of(attribute: str, origin: str, file: str, find: Find) -> Taxonomy:
    text = (files("roadstead.hierarchies") / "data" / file).read_text("utf-8")
    return from_branches(attribute, "any diagnosis", _blocks(text), origin=origin, find=find)


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
            "the lengths of prefixes are missing, do not rise, or are below one",
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
