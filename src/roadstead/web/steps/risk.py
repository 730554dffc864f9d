"""Show the third step, which shows the risk of the original table and a recommendation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import SettingError
from roadstead.reports.risk.questions import QUESTIONS
from roadstead.verbs.persons.settings import known_rows
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, step_page, to, with_form
from roadstead.web.security.addresses import table_of
from roadstead.web.sessions.choices import choices_of, set_value
from roadstead.web.sessions.form_stamps import RISK, require_as_shown, stamp_of
from roadstead.web.typed_numbers import number_in
from roadstead.web.work.jobs import JobRecord

_ANSWERS = {"yes": True, "no": False}
_MOST_PEOPLE = 1 << 53


def shown(request: Request) -> Response:
    """Show the risk, or the form for computing the risk."""
    session = session_of(request)
    working = bench_of(request).desk.latest(session, "risk")
    choices, facts = choices_of(session), session.facts("risk")
    return step_page(
        request,
        "risk",
        questions=QUESTIONS,
        threshold=facts.get("threshold", 0.2),
        working=working,
        found=facts,
        absent=session.state().get("absent"),
        earlier=bool(facts) and facts.get("made_for") != session.digest(),
        knows=choices.get("persons.knows"),
        usual=known_rows(None, linked=choices.get("persons.link") == "pseudonym"),
        seen=stamp_of(choices, RISK),
    )


@with_form
def assessed(request: Request, form: FormData) -> Response:
    """Save the answers, and compute the risk."""
    now = stamp_of(choices_of(session_of(request)), RISK)
    require_as_shown(form.get("seen"), now, "an answer on this page")
    names = [one.name for one in QUESTIONS]
    answers = dict(zip(names, every(form, *names), strict=True))
    (threshold, fraction, population, knows, absent) = every(
        form, "threshold", "sampling_fraction", "population", "knows", "absent"
    )
    said: dict[str, Any] = {
        **{f"advice.{name}": _ANSWERS.get(answer) for name, answer in answers.items()},
        "sampling_fraction": _number(fraction, "sampling_fraction") if fraction else None,
        "population": population.strip() or None,
        "persons.knows": knows or None,
    }
    only: dict[str, Any] = {
        "threshold": _number(threshold, "threshold")
    }  # not settings of a project file
    if absent == "count" and said["population"] is not None:
        only["absent"] = absent
    return _assessed(request, said, only)


def _number(text: str, key: str) -> float:
    label = key.replace("_", " ")
    found = number_in(
        text, label, what="this is not a number", fix="enter a number, for example, 0.2"
    )
    if not abs(found) < _MOST_PEOPLE:
        raise SettingError("is too large", where=label, fix="enter a smaller number")
    return float(found)


def _assessed(request: Request, said: Mapping[str, Any], only: Mapping[str, Any]) -> Response:
    session, bench = session_of(request), bench_of(request)
    if said["population"] is not None:
        said = {**said, "population": table_of(bench.places, said["population"])}
    with session.changed() as document:
        for place, value in said.items():
            set_value(document, place, value)
    for former in bench.desk.at_work(session, "risk"):
        bench.desk.stop(session, former.name)
    session.keep(absent=only.get("absent"))
    digest = session.digest()

    def then(record: JobRecord) -> None:
        kept = {**record.pop_found(), "made_for": digest, **only}
        session.find("risk", kept)

    given = {"project": str(session.project), "given": dict(only)}
    bench.desk.begin(session, "risk", "Computing the risk", given, then)
    return to(request, f"{session.address}/risk")


async def promised(request: Request) -> Response:
    """Write the recommended k to the project file."""
    session = session_of(request)
    advice = session.facts("risk").get("advice") or {}
    if advice.get("model") not in ("k-anonymity", "person-anonymity"):
        raise SettingError(
            "no k was recommended", fix="answer the three questions, and compute the risk"
        )

    def kept() -> None:
        with session.changed() as document:
            set_value(document, "privacy.k", advice["k"])
        session.find("risk", {**session.facts("risk"), "made_for": session.digest()})

    await run_in_threadpool(kept)
    return to(request, f"{session.address}/risk")


ROUTES = (
    Route("/risk", shown),
    Route("/risk", assessed, methods=["POST"]),
    Route("/risk/promise", promised, methods=["POST"]),
)
