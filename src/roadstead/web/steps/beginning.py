"""The first page: what was begun, and a new piece of work."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.web.bench import Workbench, bench_of, session_of
from roadstead.web.pages import page, reached, to
from roadstead.web.sessions.choices import choices_of
from roadstead.web.sessions.session import STATE
from roadstead.web.steps.data import begun_with as begin_data


def listed(request: Request) -> Response:
    """List what was begun; where there is nothing, begin."""
    sessions = bench_of(request).sessions.listed()
    found = [
        {
            "name": one.name,
            "choices": choices_of(one),
            "reached": len(reached(choices_of(one))),
            "changed": datetime.fromtimestamp((one.folder / STATE).stat().st_mtime, UTC),
        }
        for one in sessions
    ]
    return page(request, "beginning.html", works=found)


def begun(request: Request) -> Response:
    """Begin a piece of work."""
    session = bench_of(request).sessions.new("Untitled")
    return to(request, f"/work/{session.name}/data")


def begun_with(bench: Workbench, data: str) -> str:
    """Begin a piece of work with the table that the command names; give its address."""
    return f"/work/{begin_data(bench, data).name}/data"


def removed(request: Request) -> Response:
    """Remove a piece of work, with all that was tried; what was released elsewhere stays."""
    bench, session = bench_of(request), session_of(request)
    bench.desk.forget(session)
    bench.raw.drop_all(session.name)
    bench.sessions.forget(session.name, lambda folder: shutil.rmtree(folder, ignore_errors=True))
    return to(request, "/")


ROUTES = (
    Route("/", listed),
    Route("/work", begun, methods=["POST"]),
    Route("/work/{session}/remove", removed, methods=["POST"]),
)
