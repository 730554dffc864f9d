"""The dialects: every point says where it is from, and can be answered."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from roadstead.determination.answers import questions
from roadstead.determination.dialects import NAMES, DialectName, dialect
from roadstead.reports.determination.words import LABELS

PAGE = Path(__file__).parents[2] / "docs" / "methods" / "determinations.md"
LEAST = {"hipaa": 12, "ema": 12, "iso27559": 20, "ipc": 12, "ehds": 12}


@pytest.mark.parametrize("name", NAMES)
def test_every_point_has_a_source_and_somebody_to_answer_it(name: DialectName) -> None:
    """Figures and questions that it names are there; its name is its own."""
    found = dialect(name)
    assert len(found.points) >= LEAST[name]
    for point in found.points:
        assert point.source in found.sources
        assert point.place
        assert point.tool or point.people
        assert set(point.people) <= set(questions()), point.id
        figures = (*point.tool, *point.also, *point.partly)
        assert set(figures) <= set(LABELS), point.id
        assert len(set(figures)) == len(figures)
        assert point.question.rstrip("0123456789").endswith(("?", ".")), point.question
    ids = [point.id for point in found.points] + [part.id for part in found.parts]
    assert len({point.id for point in found.points}) == len(found.points)
    assert all(re.fullmatch("[a-z][a-z-]*", one) for one in ids)
    assert set(found.sources) == {point.source for point in found.points} | set(found.sources)


def test_every_source_is_used_and_says_how_it_was_read() -> None:
    """Readers can see whether the authors read the original."""
    for name in NAMES:
        found = dialect(name)
        assert {point.source for point in found.points} == set(found.sources), name
        for source in found.sources.values():
            assert source.through
            assert source.version


def test_every_question_to_people_is_asked_by_some_dialect() -> None:
    """Fault class: people fill in an answer without a reader."""
    used = chain.from_iterable(point.people for name in NAMES for point in dialect(name).points)
    assert set(used) == set(questions())


def table(name: DialectName) -> str:
    """Write the table of a dialect's points as the page of the documentation has it."""
    found = dialect(name)
    lines = ["| | point | from | figures | people |", "|---|---|---|---|---|"]
    for number, point in enumerate(found.points, start=1):
        figures = ", ".join(LABELS[one].lower() for one in (*point.tool, *point.partly)) or "none"
        people = ", ".join(f"`{one}`" for one in point.people) or "none"
        question = f"{point.question} | {point.source}, {point.place}"
        lines.append(f"| {number} | {question} | {figures} | {people} |")
    return "\n".join(lines)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_lists_every_point(name: DialectName) -> None:
    """As the data have them, so that neither changes alone."""
    assert table(name) in PAGE.read_text(encoding="utf-8")
