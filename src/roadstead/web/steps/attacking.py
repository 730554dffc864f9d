"""Attack the written release before the release is shared.

This is a part of the last step.
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.requests.fields import options_of
from roadstead.verbs.attack.request import AttackRequest
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, to, with_form
from roadstead.web.sessions.last_release import ATTACKED, WRITTEN, attacked, certificate_of
from roadstead.web.steps.release_files import require_nobody_at_work, written_folder
from roadstead.web.work.jobs import JobRecord

KIND = "attack"


def shown_attack(request: Request) -> dict[str, Any]:
    """Return the content about attacks: the form, the running job, and the results."""
    session = session_of(request)
    job, found = bench_of(request).desk.latest(session, KIND), session.facts(ATTACKED)
    here = bool(found) and found["certificate"] == certificate_of(session.facts(WRITTEN))
    return {
        "does": (AttackRequest.__doc__ or "").partition("\n")[0],
        "certify": options_of(AttackRequest)["certify"].help,
        "found": found if here else None,
        "job": job,
    }


@with_form
def attack(request: Request, form: FormData) -> Response:
    """Attack the written release."""
    (certify,) = every(form, "certify")
    session = session_of(request)
    out = written_folder(request)
    require_nobody_at_work(request)
    given = {
        "release": str(out),
        "project": str(session.project),
        "exported": session.facts(WRITTEN)["again"]["project"],
        "certify": certify == "yes",
    }

    def then(record: JobRecord) -> None:
        attacked(session, record.pop_found())

    bench_of(request).desk.begin(session, KIND, "Attacking the release", given, then)
    return to(request, f"{session.address}/release")


ROUTES = (Route("/release/attack", attack, methods=["POST"]),)
