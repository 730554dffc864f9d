"""Compare candidates side by side: distributions, pairs of columns, and a regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import SettingError
from roadstead.reports.charts.column_bands import DrawnBand, KeptChart
from roadstead.reports.charts.intervals import Interval, IntervalsChart
from roadstead.reports.charts.svg import NARROW, image, picture
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, page, to, with_form
from roadstead.web.sessions.candidate_requests import basis_of
from roadstead.web.sessions.candidates import CandidateState, candidates_of
from roadstead.web.sessions.choices import Choices, choices_of, looks_identifying
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.explore.drawn import said, suppressed
from roadstead.web.work.jobs import JobRecord

_NAMED = 4
_SHADES = 8
_ORIGINAL = "the original table"


def shown(session: WorkSession, candidates: Sequence[CandidateState]) -> dict[str, Any]:
    """Return the content of the comparison."""
    pinned = [one for one in candidates if one.pinned]
    return {
        "pinned": pinned,
        "suppressed": suppressed,
        "attributes": attributes(pinned),
        "together": _columns(choices_of(session)),
        "regression": _regression(session, candidates),
    }


def _columns(choices: Choices) -> list[str]:
    decided = ("quasi", "sensitive", "unchanged")
    return [name for name, role in choices.roles.items() if role in decided]


def attributes(pinned: Sequence[CandidateState]) -> list[dict[str, Any]]:
    """Draw the distribution of each column for each candidate."""
    names = list(dict.fromkeys(own["name"] for one in pinned for own in one.facts["attributes"]))
    found = []
    for at, name in enumerate(names):
        figures = []
        for one in pinned:
            own = next((own for own in one.facts["attributes"] if own["name"] == name), None)
            if own is not None:
                figures.append(_figure(f"kept-{at}-{one.number}", one, own))
        found.append({"name": name, "figures": figures})
    return found


def _figure(called: str, one: CandidateState, own: Mapping[str, Any]) -> dict[str, Any]:
    if own.get("removed"):
        return {"candidate": one, "says": own["words"] or "removed", "removed": True}
    bands = [
        DrawnBand(b["label"], b["share"], b["low"], b["high"], b["whole"]) for b in own["bands"]
    ]
    chart = KeptChart(
        called,
        own["name"],
        bands,
        own["labels"],
        own["places"],
        own["before"],
        own["after"],
        own["overlapping"],
    )
    frequent = sorted(bands, key=lambda band: -band.share)
    return {
        "candidate": one,
        "removed": False,
        "says": said(own),
        "distance": own["distance"],
        "drawing": image(chart.draw(NARROW), called, chart.title, chart.description),
        "bands": [(band.label, band.share) for band in frequent[:_NAMED]],
        "more": max(len(frequent) - _NAMED, 0) + own["more"],
    }


def together(request: Request) -> Response:
    """For the table and for each selected candidate, show two columns together."""
    session, bench = session_of(request), bench_of(request)
    names = _columns(choices_of(session))
    columns = [request.query_params.get(key, "") for key in ("first", "second")]
    if any(one not in names for one in columns):
        raise SettingError(
            "this table does not have the column",
            where="a column",
            fix="choose a column from the list",
        )
    pinned = [one for one in candidates_of(session, bench.desk) if one.pinned and not one.earlier]
    if not pinned:
        raise SettingError(
            "the comparison does not have candidates",
            fix="select Compare for a candidate in the list",
        )
    folders = [str(one.tried.release_in(session)) for one in pinned]
    found = bench.desk.answer(
        session, "pairs", folders=folders, columns=columns, covered=looks_identifying(session)
    )
    tables = [{"called": _ORIGINAL, "distance": None, "cells": _shaded(found["before"])}]
    tables += [
        {
            "called": f"{one.number} {one.tried.title}",
            "distance": own["distance"],
            "cells": _shaded(own["after"]),
        }
        for one, own in zip(pinned, found["releases"], strict=True)
    ]
    return page(request, "explore/together.html", found=found, tables=tables)


def _shaded(cells: Sequence[Sequence[float]]) -> list[list[tuple[float, int]]]:
    """Return the shade of each share, from 0 to 8, relative to the largest share."""
    most = max((one for row in cells for one in row), default=0.0) or 1.0
    return [[(one, round(_SHADES * (one / most) ** 0.6)) for one in row] for row in cells]


@with_form
def regressed(request: Request, form: FormData) -> Response:
    """Fit a declared regression to the table and to each selected candidate."""
    (formula,) = every(form, "formula")
    formula = formula.strip()
    session, desk = session_of(request), bench_of(request).desk
    choices = choices_of(session)
    if not formula:
        raise SettingError(
            "the formula of the regression is missing",
            fix="enter a formula, for example, outcome ~ age",
        )
    pinned = [one for one in candidates_of(session, desk) if one.pinned and not one.earlier]
    if not pinned:
        raise SettingError(
            "the comparison does not have candidates",
            fix="select Compare for a candidate in the list",
        )
    for former in desk.at_work(session, "regression"):
        desk.drop(session, former.name)
    basis = basis_of(session)

    def then(record: JobRecord) -> None:
        names = [one.name for one in pinned]
        facts = {**record.pop_found(), "names": names, "formula": formula, "basis": basis}
        session.find("regression", facts)

    given = {
        "project": str(session.project),
        "original": choices.data,
        "folders": [str(one.tried.release_in(session)) for one in pinned],
        "formula": formula,
    }
    task = {"do": "regression", "with": given}
    record = desk.start(session, "regression", f"Regression {formula}", task, then)
    if "hx-request" not in request.headers:
        return to(request, f"{session.address}/explore")
    return page(request, "job.html", job=replace(record), base=session.address, watch=True)


def _regression(
    session: WorkSession, candidates: Sequence[CandidateState]
) -> dict[str, Any] | None:
    """Draw the last regression for the candidates that still exist."""
    facts = session.facts("regression")
    if not facts:
        return None
    known = {one.name: one for one in candidates}
    at = [place for place, name in enumerate(facts["names"]) if name in known]
    called = [
        f"{known[facts['names'][one]].number} {known[facts['names'][one]].tried.title}"
        for one in at
    ]
    own = facts["regression"]
    rows = [own["coefficients"], *(facts["releases"][one] for one in at)]
    terms = [one["term"] for one in own["coefficients"]]
    intervals = [
        [
            Interval(None, None, None)
            if row is None
            else Interval(row[term]["estimate"], row[term]["low"], row[term]["high"])
            for row in rows
        ]
        for term in range(len(terms))
    ]
    names = [_ORIGINAL, *called]
    return {
        "formula": facts["formula"],
        "kind": own["kind"],
        "event": own["event"],
        "draws": own["draws"],
        "notes": [_by_title(note, known) for note in facts["notes"]],
        "earlier": facts["basis"] != basis_of(session),
        "overlaps": [(names[1 + i], facts["overlaps"][one]) for i, one in enumerate(at)],
        "drawing": picture(IntervalsChart(terms, names, intervals)),
        "terms": terms,
        "names": names,
        "intervals": intervals,
    }


def _by_title(note: str, known: Mapping[str, CandidateState]) -> str:
    """Replace the folder names of candidates in a note with the titles of the candidates."""
    for name, one in known.items():
        note = note.replace(name, f"{one.number} {one.tried.title}")
    return note


ROUTES = (
    Route("/explore/together", together),
    Route("/explore/regression", regressed, methods=["POST"]),
)
