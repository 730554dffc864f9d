"""Show a session's candidates on pages, and run the waiting candidates one after another.

A stopped search can be repeated. The new search starts from the beginning and does not use earlier
results, so a single command can repeat the search that the certificate describes. The better result
is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roadstead.errors import SettingError
from roadstead.web.sessions.candidate_requests import (
    Tried,
    basis_of,
    changed,
    chosen_of,
    drop,
    facts_of,
    tried_of,
)
from roadstead.web.sessions.choices import choices_of, looks_identifying
from roadstead.web.sessions.declared_promise import declared_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.sessions.table_files import state_of_table
from roadstead.web.work.jobs import Desk, JobRecord

KIND = "trial"
_MADE_FOR = "made_for"
"""The key of the choices and the state of the table for which results were computed."""
_turn = threading.Lock()


@dataclass(frozen=True)
class CandidateState:
    """A candidate with its state and its results."""

    number: int  # its number on the map, from 1
    tried: Tried
    state: str  # waiting, running, done, failed or lost
    facts: Mapping[str, Any]
    error: str | None
    earlier: bool  # whether its results are for earlier choices or an earlier table
    chosen: bool
    goes_on: bool  # whether another candidate repeats its stopped search
    prepared: bool = False  # whether its release was prepared for later choices
    missing: tuple[str, ...] = ()  # the declared requirements that it does not meet

    @property
    def name(self) -> str:
        """The name of the candidate's folder."""
        return self.tried.name

    @property
    def placed(self) -> bool:
        """Indicates whether the candidate has a position on the map."""
        return self.facts.get("risk") is not None and self.facts.get("left_open") is not None

    @property
    def stopped(self) -> bool:
        """Indicates whether the search for the candidate ended early and can be repeated."""
        ended = self.state == "done" and self.facts.get("ending") not in (None, "complete")
        return ended and self.tried.verb == "anonymize"

    @property
    def removed(self) -> tuple[str, ...]:
        """The quasi-identifiers for which the release does not show any values."""
        found = self.facts.get("attributes", ()) if self.state == "done" else ()
        compared = tuple(own["column"] for own in found if not own.get("left", True))
        return compared or tuple(self.facts.get("removed", ()))

    @property
    def pinned(self) -> bool:
        """Indicates whether the candidate is compared side by side with other candidates."""
        return self.tried.pinned and bool(self.facts.get("attributes"))

    @property
    def kind(self) -> str:
        """The kind of dot on the map: ``global``, ``local`` or ``noisy``."""
        if self.facts.get("noisy"):
            return "noisy"
        return "global" if self.facts.get("recoding", "global") == "global" else "local"


def candidates_of(session: WorkSession, desk: Desk) -> list[CandidateState]:
    """Return the candidates in the order in which they were created."""
    now, chosen = [basis_of(session), state_of_table(session)], chosen_of(session).name
    declared = declared_of(choices_of(session))
    found, again = [], {one.after for one in tried_of(session)}
    for number, one in enumerate(tried_of(session), 1):
        facts = session.facts(facts_of(one))
        made_for, marked = facts.get(_MADE_FOR) or _mark(one), _mark(one)
        state, error = _state(session, desk, one, facts)
        found.append(
            CandidateState(
                number,
                one,
                state,
                facts,
                error,
                made_for != now,
                one.name == chosen,
                one.name in again,
                marked != made_for and marked == now,
                declared.names(declared.not_kept_by(one.release_in(session))) if facts else (),
            )
        )
    return found


def _mark(one: Tried) -> list[str]:
    """Return the choices and the state of the table of a candidate.

    If the candidate is prepared for release, this mark becomes the mark of the release.
    """
    return [one.basis, one.table]


def in_order(candidates: Sequence[CandidateState]) -> list[CandidateState]:
    """Sort candidates. The chosen candidate is first. Candidates for earlier choices are last."""
    return sorted(candidates, key=lambda one: (not one.chosen, one.earlier, -one.number))


def _state(
    session: WorkSession, desk: Desk, one: Tried, facts: Mapping[str, Any]
) -> tuple[str, str | None]:
    if facts:
        return "done", facts.get("refused")
    if one.job is None:
        return "waiting", None
    record = desk.job(session, one.job)
    if record is None:
        return "lost", "interrupted because the workbench was closed"
    if record.state in ("failed", "stopped"):
        return "failed", record.error["message"] if record.error else "stopped"
    return "running", None


def take_turns(session: WorkSession, desk: Desk) -> JobRecord | None:
    """Return the job of the running candidate.

    If no candidate is running, start the candidate that has waited longest.
    """
    with _turn:
        if not session.project.exists():
            return None
        if running := desk.at_work(session, KIND):
            return running[0]
        waiting = next((one for one in tried_of(session) if one.job is None), None)
        if waiting is None:
            return None
        try:
            record = desk.start(
                session,
                KIND,
                f"{waiting.title}, again from the start" if waiting.after else waiting.title,
                {"do": "trial", "with": _task(session, waiting)},
                lambda ended: keep(session, waiting, ended),
                lambda: _next(session, desk),
            )
        except SettingError:  # too many jobs are running: the candidate still waits
            return None
        changed(session, waiting.name, job=record.name)
        return replace(record, state="running")  # If it has ended, a page learns this by watching.


def _next(session: WorkSession, desk: Desk) -> None:
    take_turns(session, desk)


def _task(session: WorkSession, one: Tried) -> dict[str, Any]:
    return {
        "project": str(session.project),
        "verb": one.verb,
        "given": {**one.given, "out": str(one.folder(session)), "force": True},
        "known": list(choices_of(session).quasi),
        "covered": looks_identifying(session),
        "expects": one.expects,
    }


def keep(session: WorkSession, one: Tried, ended: JobRecord) -> None:
    """Store the results of a candidate, unless the user dropped the candidate during the run."""
    found = ended.pop_found()
    every = {other.name: other for other in tried_of(session)}
    if one.name not in every:
        return
    former = every.get(one.after)
    if former is not None and _no_better(found, session.facts(facts_of(former))):
        kept = session.facts(facts_of(former))
        session.find(facts_of(former), {**kept, "searched_again": ended.seconds()})
        drop(session, one.name)
        return
    session.find(facts_of(one), {**found, _MADE_FOR: _mark(one), "seconds": ended.seconds()})


def _no_better(found: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """Return True if a repeated search ended early and did not find a better result."""
    if found.get("ending") in (None, "complete") or found.get("refused"):
        return bool(found.get("refused"))
    return kept.get("loss") is not None and found.get("loss", 1.0) >= kept["loss"]


def on_map(candidates: Sequence[CandidateState]) -> list[CandidateState]:
    """Return the candidates that have a position on the map."""
    return [one for one in candidates if one.placed and not one.earlier]
