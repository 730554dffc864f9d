"""Some rows of a table as a page shows them: columns that identify are covered.

A column is covered if its role is to be withheld or not yet decided, or if it looks like one of the
identifiers of Safe Harbor. What is covered never leaves this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roadstead.jobs import Observer
from roadstead.printable import printable
from roadstead.tables.source import Source
from roadstead.web.work.questions.source import source_of

MOST = 200
_LONGEST = 80


def rows(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Give so many rows from a place on, of the columns that are not covered."""
    first, many = max(int(given["first"]), 0), min(int(given["many"]), MOST)
    return shown_rows(source_of(given["project"]), set(given["shown"]), first, many)


def shown_rows(source: Source, plain: set[str], first: int, many: int) -> dict[str, Any]:
    """Give rows of a table; of columns other than the plain ones, that they are there."""
    shown = [name for name in source.columns if name in plain]
    found: list[dict[str, Any]] = []
    if shown:
        found = source.table.select(shown).limit(many, offset=first).to_pyarrow().to_pylist()
    return {
        "columns": [{"name": name, "covered": name not in shown} for name in source.columns],
        "rows": [
            [_cell(one[name]) if name in shown else None for name in source.columns]
            for one in found
        ],
        "first": first,
    }


def _cell(value: object) -> str:
    text = "" if value is None else printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
