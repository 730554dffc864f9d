"""Read the chapters, blocks, and categories of a classification of diagnoses.

The classifications are files in ``data``. The line of a chapter is not indented. Below it, each
block of the chapter has one indented line with the block's categories and title. The label of a
group begins with the range of its categories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TypeAlias

Chapters: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""A mapping from each chapter to its blocks, and from each block to its categories."""


def tree_of(file: str) -> Chapters:
    """Read the chapters, blocks, and categories from a file."""
    chapters: dict[str, dict[str, Sequence[str]]] = {}
    for line in (files(__package__) / "data" / file).read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            blocks = chapters[line] = {}
            continue
        runs, _, title = line.strip().partition(" ")
        categories = [code for run in runs.split(",") for code in run_of(run)]
        blocks[_ranged(categories, title)] = categories
    return {
        _ranged([code for codes in blocks.values() for code in codes], title): blocks
        for title, blocks in chapters.items()
    }


def run_of(run: str) -> Iterator[str]:
    """Yield every code in a range such as ``V01-V06``."""
    first, _, last = run.partition("-")
    if not last:
        yield first
        return
    letter = first.rstrip("0123456789")
    width = len(first) - len(letter)
    for number in range(int(first[len(letter) :]), int(last[len(letter) :]) + 1):
        yield f"{letter}{number:0{width}d}"


def _ranged(codes: Sequence[str], title: str) -> str:
    return (
        f"{codes[0]} to {codes[-1]} {title}" if len(codes) > 1 else f"{codes[0]} {title}"
    ).strip()
