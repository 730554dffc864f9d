"""Render each candidate separately, so that a defect in one candidate does not hide the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from roadstead.web.bench import WorkbenchState
from roadstead.web.pages import rendered, say_place
from roadstead.web.sessions.candidates import CandidateState, candidates_of, on_map
from roadstead.web.sessions.choices import choices_of
from roadstead.web.sessions.declared_promise import declared_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.explore import compared, drawn


def shown_candidates(bench: WorkbenchState, session: WorkSession) -> list[CandidateState]:
    """Return the candidates. The results of a candidate that cannot be shown are left out."""
    return [_or_without_results(bench, session, one) for one in candidates_of(session, bench.desk)]


def rows_of(session: WorkSession, candidates: Sequence[CandidateState]) -> dict[str, Markup]:
    """Return the row of each candidate in the list."""
    return {one.name: Markup(_row(session, one)) for one in candidates}  # noqa: S704 - a template's


def _row(session: WorkSession, one: CandidateState) -> str:
    return rendered(
        "explore/candidate.html", one=one, base=session.address, of_people=drawn.of_people
    )


def _or_without_results(
    bench: WorkbenchState, session: WorkSession, one: CandidateState
) -> CandidateState:
    try:
        _row(session, one)
        drawn.points({}, on_map([one]), declared_of(choices_of(session)))
        compared.attributes([one] if one.pinned else [])
    except Exception as error:  # any defect must leave the page usable  # noqa: BLE001 - printed
        say_place(bench, error)
        words = f"Roadstead has a bug ({type(error).__name__}) and cannot show this candidate"
        return replace(one, state="failed", facts={}, error=f"{words}. Please report the bug.")
    return one
