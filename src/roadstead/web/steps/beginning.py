"""Show the first page: the work in progress, and the form for new work."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomlkit
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tomlkit.exceptions import TOMLKitError

from roadstead.errors import SettingError
from roadstead.regular_files import MIB, content_of
from roadstead.web.bench import WorkbenchState, bench_of, session_of
from roadstead.web.pages import page, reached, to
from roadstead.web.sessions.candidate_requests import tried_of
from roadstead.web.sessions.choices import choices_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.project_file import take
from roadstead.web.steps.data import begun_with as with_table
from roadstead.web.steps.data import reading_in
from roadstead.web.work.exporting import full_path

_MOST = 16 * MIB
"""The largest size of a project file that is accepted, in bytes."""
_COLUMNS_REACHED = 2
"""The number of steps that can be reached before all columns have a role."""


def listed(request: Request) -> Response:
    """Show the existing pieces of work, and the form for new work."""
    sessions = bench_of(request).sessions.listed()
    return page(request, "beginning.html", works=[_shown(one) for one in sessions])


def _shown(session: WorkSession) -> dict[str, Any]:
    """Return what distinguishes a piece of work from other work on the same table."""
    choices, written = choices_of(session), session.facts("written")
    many = len(reached(choices))
    return {
        "name": session.name,
        "choices": choices,
        "reached": many,
        "step": "release" if written else "explore" if many > _COLUMNS_REACHED else "data",
        "written": written,
        "candidates": len(tried_of(session)),
        "changed": datetime.fromtimestamp(session.changed_at(), UTC),
    }


def begun(request: Request) -> Response:
    """Start a piece of work."""
    session = bench_of(request).sessions.new("Untitled")
    return to(request, f"{session.address}/data")


def begun_with(bench: WorkbenchState, data: str | None, project: Path | None) -> str:
    """Start a piece of work from the arguments of the command.

    Return the address of its first page.

    A table that is named on the command line overrides the table in the project file.
    """
    if project is None:
        return "/" if data is None else f"{with_table(bench, data, {}).address}/data"
    try:
        content = content_of(project, most=_MOST)
        document = tomlkit.parse(content.decode("utf-8-sig")).unwrap()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        why = getattr(error, "strerror", None) or "it is not a TOML file in UTF-8"
        raise SettingError(
            f"the project file cannot be read ({why})",
            where=str(project),
            fix="use a file that roadstead scan wrote",
        ) from None
    base, own = project.resolve().parent, document.get("data")
    if data is None:
        if not isinstance(own, str):
            fix = (
                "give the table in the project file, or before the project file on the command line"
            )
            raise SettingError(
                "the project file does not name a table", where=str(project), fix=fix
            )
        data = full_path(own, "table", base)
    reading = document.get("reading", {})
    reading = reading_in(bench.places, reading, base) if isinstance(reading, dict) else {}

    def after(session: WorkSession) -> None:
        take(bench, session, content, base)

    session = with_table(bench, data, reading, after)
    return f"{session.address}/data"


def removed(request: Request) -> Response:
    """Delete a piece of work and all its candidates. Releases in other folders are kept."""
    bench, session = bench_of(request), session_of(request)
    bench.desk.forget(session)
    bench.raw.drop_all(session.name)
    bench.sessions.forget(session.name, lambda folder: shutil.rmtree(folder, ignore_errors=True))
    return to(request, "/")


ROUTES = (
    Route("/", listed),
    Route("/piece", begun, methods=["POST"]),
    Route("/piece/{session}/remove", removed, methods=["POST"]),
)
