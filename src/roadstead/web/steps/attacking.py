"""Part of the last step: attack the release that was written, before it leaves."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.requests.fields import options_of
from roadstead.verbs.attack.request import AttackRequest
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, to
from roadstead.web.sessions.written import ATTACKED, WRITTEN, attacked, certificate_of
from roadstead.web.steps.written import require_nobody_at_work, written_folder
from roadstead.web.work.jobs import JobRecord

KIND = "attack"
_JOB = "attack_job"


def shown_attack(request: Request) -> dict[str, Any]:
    """Give what the page shows of attacks: what can be asked, what is at work, what was found."""
    session = session_of(request)
    found, name = session.facts(ATTACKED), session.state().get(_JOB)
    record = None if name is None else bench_of(request).desk.job(session, name)
    here = bool(found) and found["certificate"] == certificate_of(session.facts(WRITTEN))
    return {
        "does": (AttackRequest.__doc__ or "").partition("\n")[0],
        "certify": options_of(AttackRequest)["certify"].help,
        "found": found if here else None,
        "job": None if record is None or record.state == "done" else record,
    }


async def attack(request: Request) -> Response:
    """Attack the release that was written."""
    form = await request.form()
    (certify,) = every(form, "certify")
    return await run_in_threadpool(_attack, request, certify=certify == "yes")


def _attack(request: Request, *, certify: bool) -> Response:
    session, bench = session_of(request), bench_of(request)
    out = written_folder(request)
    require_nobody_at_work(request)
    task = {
        "release": str(out),
        "project": str(session.project),
        "exported": session.facts(WRITTEN)["again"]["project"],
        "certify": certify,
    }

    def then(record: JobRecord) -> None:
        attacked(session, record.found or {})
        record.found = None

    record = bench.desk.start(
        session, KIND, "Attacking the release", {"do": "attack", "with": task}, then
    )
    session.keep(**{_JOB: record.name})
    return to(request, f"{session.address}/release")


ROUTES = (Route("/release/attack", attack, methods=["POST"]),)
