"""Define the workbench as a web application.

The application has one address per step, and one form per change.

::

  /                         the list of work, and the form for new work
  /piece/NAME/data          the five steps of one piece of work
  /piece/NAME/columns
  /piece/NAME/risk
  /piece/NAME/explore
  /piece/NAME/release
  /piece/NAME/jobs/JOB      the progress of a job, with /events and /stop
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from roadstead.errors import RoadsteadError
from roadstead.rooms import part_of
from roadstead.web.assets import asset
from roadstead.web.bench import WorkbenchState
from roadstead.web.pages import defect, missing, refused
from roadstead.web.security.doors import Doors, Keys
from roadstead.web.steps import (
    beginning,
    columns,
    data,
    explore,
    release,
    release_files,
    risk,
    sheets,
    suggestions,
    watching,
)


def application(bench: WorkbenchState, keys: Keys, port: int) -> ASGIApp:
    """Return the application, including its access control."""

    @asynccontextmanager
    async def at_work(_: Starlette) -> AsyncIterator[None]:
        bench.desk.prepare()
        yield
        bench.desk.close()

    steps = (data, sheets, suggestions, columns, risk, explore, release, release_files, watching)
    routes = [
        *(one for step in steps for one in step.ROUTES),
        *(part_of("attacks", "web.steps.attacking:ROUTES") or ()),
        *(part_of("determination", "web.steps.determining:ROUTES") or ()),
    ]
    made = Starlette(
        routes=[
            *beginning.ROUTES,
            Mount("/piece/{session}", routes=routes),
            Route("/static/{name}", asset),
        ],
        lifespan=at_work,
        exception_handlers={RoadsteadError: refused, 404: missing, 500: defect},
    )
    made.state.bench = bench
    return Doors(made, keys, port)
