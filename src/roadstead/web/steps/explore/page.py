"""Show the page of the fourth step, on which the user compares possible releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from roadstead.errors import SettingError
from roadstead.reasons import require_reason
from roadstead.release.amended import with_reason
from roadstead.release.below_promise import BelowPromise
from roadstead.reports.page import below_block
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, first_row, framed, page, reached, step_page, to, with_form
from roadstead.web.security.addresses import table_of
from roadstead.web.sessions.candidate_forms import (
    KINDS,
    LIMITED,
    LONGEST,
    USUAL_LIMIT,
    seconds_in,
    trials_of,
    unusable,
)
from roadstead.web.sessions.candidate_requests import (
    basis_of,
    changed,
    choose,
    drop,
    tried_of,
    try_out,
)
from roadstead.web.sessions.candidates import (
    CandidateState,
    candidates_of,
    in_order,
    on_map,
    take_turns,
)
from roadstead.web.sessions.choices import choices_of, looks_identifying
from roadstead.web.sessions.declared_promise import declared_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.explore import compared, drawn
from roadstead.web.steps.explore.candidate_rows import rows_of, shown_candidates
from roadstead.web.work.jobs import JobRecord

_SIZES = (5, 10, 20)
_MOST_PINNED = 4


def shown(request: Request) -> Response:
    """Show the step."""
    session = session_of(request)
    if "explore" not in reached(choices_of(session)):
        return to(request, f"{session.address}/columns")
    return step_page(request, "explore", **_found(request))


def _found(request: Request) -> dict[str, Any]:
    session, desk = session_of(request), bench_of(request).desk
    trial = take_turns(session, desk)  # The jobs are read before the results.
    jobs = [*desk.at_work(session, "frontier"), *([trial] if trial else [])]
    jobs += desk.at_work(session, "regression")
    choices, candidates = choices_of(session), shown_candidates(bench_of(request), session)
    frontier, declared = session.facts("frontier"), declared_of(choices)
    earlier = bool(frontier) and frontier.get("basis") != basis_of(session)
    return {
        "frontier": frontier,
        "earlier": earlier,
        "failed": _failed(session, desk),
        "candidates": in_order(candidates),
        "rows": rows_of(session, candidates),
        "jobs": jobs,
        "drawing": drawn.drawing(frontier if not earlier else {}, on_map(candidates), declared),
        "of_people": drawn.counts_people(frontier if not earlier else {}, on_map(candidates)),
        "declared": declared,
        "short": sum(not drawn.keeps(declared, one) for one in frontier.get("points", ())),
        "kinds": KINDS,
        "unusable": unusable(choices),
        "sizes": _SIZES,
        "usual_limit": USUAL_LIMIT,
        "usual_k": choices.get("privacy.k", 5),
        "targets": [one for one in choices.roles if choices.roles[one] in ("quasi", "sensitive")],
        "population": choices.get("population"),
        **compared.shown(session, candidates),
    }


def _failed(session: WorkSession, desk: Any) -> JobRecord | None:  # noqa: ANN401 - the bench's desk
    record = desk.latest(session, "frontier")
    return record if record is not None and record.state in ("failed", "stopped") else None


def _pieces(request: Request, ended: JobRecord | None = None) -> Response:
    """Return the changed parts: the map, the jobs, the candidates, and the comparison."""
    session = session_of(request)
    if "hx-request" not in request.headers:
        return to(request, f"{session.address}/explore")
    answer = page(
        request, "explore/pieces.html", **framed(session, "explore"), **_found(request), ended=ended
    )
    answer.headers["HX-Reswap"] = "none"  # Each fragment names its own place on the page.
    return answer


@with_form
def searched(request: Request, form: FormData) -> Response:
    """Search for the frontier."""
    (policies, limit, absent) = every(form, "policies", "time_limit", "absent")
    session, desk = session_of(request), bench_of(request).desk
    for former in desk.at_work(session, "frontier"):
        desk.drop(session, former.name)
    given: dict[str, Any] = {"quality": "loss"}
    if policies == "levels" or choices_of(session).person is not None:
        given["search"] = "exact"
    if absent == "count" and choices_of(session).get("population"):
        given["absent"] = absent
    if (seconds := seconds_in(limit.strip())) is not None:
        given["time_limit"] = seconds
    basis = basis_of(session)

    def then(record: JobRecord) -> None:
        found = record.pop_found()
        kept = session.facts("frontier")
        if kept.get("basis") == basis and _came_less_far(found, kept):
            found = {**kept, "searched_again": record.seconds()}
        session.find("frontier", {**found, "basis": basis, "absent": given.get("absent")})

    covered = looks_identifying(session)
    task = {"project": str(session.project), "given": given, "covered": covered}
    desk.begin(session, "frontier", "Searching the frontier", task, then)
    if not tried_of(session):
        k = int(choices_of(session).get("privacy.k", 5))
        own = {"k": k, "recoding": "global"}
        try_out(session, f"One level per column, k = {k}", "anonymize", own, pinned=True)
    take_turns(session, desk)
    return _pieces(request)


def _came_less_far(found: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """Return whether a search ended early and found less than the previous search."""
    return (
        found.get("ending") != "complete"
        and found.get("cuts") == kept.get("cuts")
        and (kept.get("ending") == "complete" or found["evaluated"] <= kept["evaluated"])
    )


@with_form
def tried(request: Request, form: FormData) -> Response:
    """Run the candidates that a form describes, or a policy of the frontier."""
    sizes = [one for one in form.getlist("sizes") if isinstance(one, str)]
    fields: dict[str, Any] = dict(form)
    session, desk = session_of(request), bench_of(request).desk
    if form.get("index") is not None:
        _try_policy(session, str(form["index"]))
    else:
        pinned = sum(one.pinned for one in tried_of(session))
        if population := str(form.get("population") or "").strip():
            fields["population"] = table_of(bench_of(request).places, population)
        for place, one in enumerate(trials_of(fields, sizes, choices_of(session))):
            show = pinned + place < _MOST_PINNED
            try_out(session, one.title, one.verb, one.given, pinned=show)
    take_turns(session, desk)
    return _pieces(request)


def _try_policy(session: WorkSession, text: str) -> None:
    facts = session.facts("frontier")
    if not facts or facts.get("basis") != basis_of(session):
        raise SettingError("the frontier uses earlier settings", fix="search the frontier again")
    found = next((one for one in facts["points"] if str(one[0]) == text), None)
    if found is None:
        raise SettingError(
            "the frontier does not have this policy", fix="choose a policy on the map"
        )
    index, risk, left_open, _, released = found[:5]
    if not released:
        raise SettingError(
            f"this policy cannot be released, because {drawn.why_not(found)}",
            fix="choose another policy, or search again with other levels",
        )
    given = {key: one for key, one in facts["given"].items() if key != "time_limit"}
    if facts["ending"] != "complete":  # an incomplete search
        given["evaluations"] = facts["evaluated"]
    try_out(
        session,
        f"Policy {index} of the frontier",
        "frontier",
        {**given, "choose": index},
        pinned=sum(one.pinned for one in tried_of(session)) < _MOST_PINNED,
        expects={"risk": risk, "left_open": left_open},
    )


def ended(request: Request) -> Response:
    """Show how a job ended, and what the job changed. A removed job may have changed data, too."""
    session, desk = session_of(request), bench_of(request).desk
    record = desk.job(session, request.path_params["job"])
    return _pieces(request, record)


@with_form
def marked(request: Request, form: FormData) -> Response:
    """Select or deselect a candidate, choose it for release, drop it, or run it again."""
    name, what = request.path_params["name"], request.path_params["what"]
    (reason,) = every(form, "reason")
    session, desk = session_of(request), bench_of(request).desk
    one = next((one for one in candidates_of(session, desk) if one.name == name), None)
    if one is None:
        raise SettingError("this candidate does not exist", fix="choose a candidate from the list")
    if what == "pin":
        if not one.tried.pinned and _pinned(session, desk) >= _MOST_PINNED:
            raise SettingError(
                f"the comparison already has {_MOST_PINNED} candidates",
                fix="remove one of them first",
            )
        changed(session, name, pinned=not one.tried.pinned)
    elif what == "choose":
        _choose(session, one, reason)
    elif what == "drop":
        if one.state == "running" and one.tried.job is not None:
            desk.drop(session, one.tried.job)
        drop(session, name)
    else:
        (_go_on if what == "on" else _again)(session, one)
        take_turns(session, desk)
    return _pieces(request)


def _pinned(session: WorkSession, desk: Any) -> int:  # noqa: ANN401 - the bench's desk
    return sum(one.pinned for one in candidates_of(session, desk))


def _choose(session: WorkSession, one: CandidateState, reason: str) -> None:
    """Choose a candidate. If it does not meet the declared requirements, require a reason."""
    if one.state != "done":
        raise SettingError(
            "this candidate is not ready", fix="wait until the candidate is ready, or try it again"
        )
    if one.earlier:
        raise SettingError("this candidate uses earlier settings", fix="try it again first")
    if one.missing:
        said = require_reason(reason, where=f"choosing {one.tried.title}")
        folder = one.tried.release_in(session)
        below = BelowPromise(declared_of(choices_of(session)).not_kept_by(folder), said)
        with_reason(folder, below, below_block(below))
        given = dict(one.tried.given)
        if one.tried.verb == "frontier":  # the command itself names the smaller k
            given["choose_reason"] = said
        changed(session, one.name, reason=said, given=given)
    choose(session, one.name)


def _again(session: WorkSession, one: CandidateState) -> None:
    if one.tried.verb == "frontier" and one.earlier:
        raise SettingError(
            "this policy belongs to a frontier with earlier settings",
            fix="search the frontier again, and choose a policy there",
        )
    drop(session, one.name)
    try_out(
        session,
        one.tried.title,
        one.tried.verb,
        one.tried.given,
        pinned=one.tried.pinned,
        expects=one.tried.expects,
        after=one.tried.after,
    )


def _go_on(session: WorkSession, one: CandidateState) -> None:
    """Repeat a stopped search without a time limit. The earlier result is kept."""
    if not one.stopped or one.earlier or one.goes_on:
        raise SettingError(
            "the search of this candidate cannot continue",
            fix="try it again, or try another release",
        )
    given = {key: value for key, value in one.tried.given.items() if key != "time_limit"}
    if choices_of(session).get("search.time_limit") is not None:
        given["time_limit"] = LONGEST
    title = one.tried.title.partition(LIMITED)[0]
    try_out(session, title, one.tried.verb, given, after=one.name)


def points(request: Request) -> Response:
    """Return the points of the map for the page's script."""
    session = session_of(request)
    frontier = session.facts("frontier")
    if frontier.get("basis") != basis_of(session):
        frontier = {}
    declared = declared_of(choices_of(session))
    return JSONResponse(
        drawn.points(frontier, on_map(shown_candidates(bench_of(request), session)), declared)
    )


def policies(request: Request) -> Response:
    """Show one page of the policies on the frontier."""
    session = session_of(request)
    return page(
        request,
        "explore/policies.html",
        base=session.address,
        **drawn.listed(
            session.facts("frontier"), first_row(request), declared_of(choices_of(session))
        ),
    )


ROUTES = (
    Route("/explore", shown),
    Route("/explore/frontier", searched, methods=["POST"]),
    Route("/explore/try", tried, methods=["POST"]),
    Route("/explore/ended/{job}", ended),
    Route("/explore/candidates/{name}/{what}", marked, methods=["POST"]),
    Route("/explore/points", points),
    Route("/explore/policies", policies),
)
