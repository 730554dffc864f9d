"""Keep some detail of a column that a candidate removed.

The step limits the level of the column, and runs the candidate again.
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import SettingError, quoted
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, page, to, whole_number, with_form
from roadstead.web.sessions.candidate_requests import Tried, tried_of, try_out
from roadstead.web.sessions.candidates import take_turns
from roadstead.web.sessions.choices import choices_of, set_value
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.questions import answer, declared_of
from roadstead.web.steps.columns.roles import column_rows, require_quasi


def offered(request: Request) -> Response:
    """Show the levels that keep some detail of a column."""
    column = request.query_params.get("column", "")
    return page(
        request,
        "explore/keep.html",
        base=session_of(request).address,
        candidate=_tried(session_of(request), request).name,
        column=column,
        levels=_levels(request, column),
    )


@with_form
def kept(request: Request, form: FormData) -> Response:
    """Limit the levels of a column, and run the candidate again."""
    column, chosen = every(form, "column", "level")
    level = whole_number(chosen)
    session = session_of(request)
    tried = _tried(session, request)
    if all(one["level"] != level for one in _levels(request, column)):
        raise SettingError("this level leaves no detail", fix="choose a level from the list")
    limits = {**choices_of(session).get("levels.max", {}), column: level}
    with session.changed() as document:
        set_value(document, "levels.max", limits)
    try_out(session, tried.title, tried.verb, tried.given, pinned=tried.pinned)
    take_turns(session, bench_of(request).desk)
    return to(request, f"{session.address}/explore")


def _tried(session: WorkSession, request: Request) -> Tried:
    name = request.path_params["name"]
    found = next((one for one in tried_of(session) if one.name == name), None)
    if found is None or found.verb != "anonymize":
        raise SettingError("this candidate does not exist", fix="choose a candidate from the list")
    return found


def _levels(request: Request, column: str) -> list[dict[str, Any]]:
    """Return the levels of a column that remove some of its detail, but not all."""
    session = session_of(request)
    choices = choices_of(session)
    row = next((one for one in column_rows(session, choices) if one.name == column), None)
    if row is None:
        raise SettingError(f"column {quoted(column)} does not exist", fix="reload the page")
    spec = declared_of(choices, require_quasi(row).name)
    found = answer(request, choices, row, "levels", spec=spec)
    return [one for one in found["levels"] if one["level"] >= 1 and one["labels"] > 1]


ROUTES = (
    Route("/explore/keep/{name}", offered),
    Route("/explore/keep/{name}", kept, methods=["POST"]),
)
