"""Show and stop jobs in progress, show the current choices, and undo a change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import count

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from roadstead.errors import SettingError
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import framed, page, to
from roadstead.web.work.jobs import JobRecord

_BETWEEN = 0.25
"""The number of seconds between two checks of a job. More frequent checks are not noticeable."""
_PER_SECOND = round(1 / _BETWEEN)
"""The number of checks after which the time is sent although nothing else is new."""


def job_of(request: Request) -> JobRecord:
    """Return the job that the address names. The record changes while the job runs."""
    record = bench_of(request).desk.watched(session_of(request), request.path_params["job"])
    if record is None:
        raise HTTPException(404)
    return record


def shown(request: Request) -> Response:
    """Show the progress of a job. If the job has already ended, the page learns this, too."""
    base = session_of(request).address
    return page(request, "job.html", job=replace(job_of(request)), base=base, watch=True)


def stopped(request: Request) -> Response:
    """Ask a job to end with the best result so far."""
    bench_of(request).desk.stop(session_of(request), request.path_params["job"])
    return shown(request)


def chosen(request: Request) -> Response:
    """Show the current choices. Another tab may have changed the choices."""
    session = session_of(request)
    return page(request, "chosen.html", **framed(session, "data"))


def undone(request: Request) -> Response:
    """Undo the last change to the choices, and update the page."""
    session = session_of(request)
    if not session.undo():
        raise SettingError("there is no earlier change to undo", fix="continue with these settings")
    if "hx-request" in request.headers:
        return Response(headers={"HX-Refresh": "true"})
    return to(request, f"{session.address}/columns")


def events(request: Request) -> Response:
    """Stream the progress of a job."""
    record = job_of(request)

    async def said() -> AsyncIterator[str]:
        seen = None
        for look in count():
            now, ended = (record.version, record.progress), record.state != "running"
            if now != seen or ended or look % _PER_SECOND == 0:
                seen = now
                yield f"data: {json.dumps(_course(record))}\n\n"
            if ended:
                return
            await asyncio.sleep(_BETWEEN)

    return StreamingResponse(said(), media_type="text/event-stream")


def _course(record: JobRecord) -> dict[str, object]:
    return {
        "state": record.state,
        "stopping": record.stopping,
        "seconds": record.seconds(),
        "progress": record.progress,
        "course": record.course,
        "note": record.notes[-1] if record.notes else None,
    }


ROUTES = (
    Route("/chosen", chosen),
    Route("/undo", undone, methods=["POST"]),
    Route("/jobs/{job}", shown),
    Route("/jobs/{job}/events", events),
    Route("/jobs/{job}/stop", stopped, methods=["POST"]),
)
