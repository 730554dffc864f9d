"""Define the state of the workbench, and find the state for a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request

from roadstead.places import Places
from roadstead.web.sessions.raw import RawCopies
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.work.jobs import Desk


def _say_nothing(line: str) -> None:
    """Print nothing. This function is for a workbench without a terminal."""


@dataclass(frozen=True)
class WorkbenchState:
    """The state of the workbench: the pieces of work, the jobs, and the allowed files."""

    sessions: Sessions
    raw: RawCopies
    places: Places
    desk: Desk
    say: Callable[[str], None] = _say_nothing  # print a line in the terminal


def bench_of(request: Request) -> WorkbenchState:
    """Return the workbench that handles a request."""
    bench: WorkbenchState = request.app.state.bench
    return bench


def session_of(request: Request) -> WorkSession:
    """Return the session that is named in the address of a request."""
    return bench_of(request).sessions[request.path_params["session"]]
