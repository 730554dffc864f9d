"""Chapters, blocks, and categories of a classification of diagnoses, from a file in ``data``.

In the file, the line of a chapter is not indented. The lines of the chapter's blocks follow, each
with the categories and the title of the block. Labels begin with the range of the categories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TypeAlias

Chapters: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""The blocks of each chapter, and the categories of each block."""


def tree_of(file: str) -> Chapters:
    """Read a file of chapters, blocks, and categories."""
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
    """Yield the codes from the first to the last of a run such as ``V01-V06``."""
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
