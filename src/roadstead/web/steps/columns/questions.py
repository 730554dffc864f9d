"""Ask questions about one column.

The process that has opened the table answers these questions.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from roadstead.web.bench import bench_of, session_of
from roadstead.web.sessions.choices import Choices
from roadstead.web.steps.columns.roles import ColumnRow
from roadstead.web.steps.data import covered

USUAL_K = 5
"""The default k."""


def declared_of(choices: Choices, name: str) -> dict[str, Any] | None:
    """Return the declaration for a column in the project file."""
    found = choices.get("hierarchies", {}).get(name)
    return None if found is None else dict(found)


def days_of(choices: Choices, name: str) -> str | None:
    """Return the setting that replaces the dates of a column with days, or None."""
    written = choices.get("persons.dates", {}).get(name, "")
    return written if ":" in written else None  # a shifted date does not have an anchor


def answer(
    request: Request,
    choices: Choices,
    row: ColumnRow,
    task: str,
    **more: Any,  # noqa: ANN401 - as JSON has it
) -> dict[str, Any]:
    """Ask the process that has opened the table about a column."""
    session = session_of(request)
    return bench_of(request).desk.answer(
        session,
        task,
        **{
            "column": row.name,
            "person": choices.person if choices.person != row.name else None,
            "covered": row.name in covered(choices, session),
            "decided": row.role == "quasi",
            "k": choices.get("privacy.k", USUAL_K),
            "folder": choices.get("hierarchy_folder"),
            "since": None if task == "values" else days_of(choices, row.name),
            **more,
        },
    )
