"""A job may end at any moment while its page is made: the page watches it, or shows its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.requests import Request
from starlette.responses import Response

import roadstead as rs
from roadstead.places import Places
from roadstead.web.bench import WorkbenchState
from roadstead.web.sessions import candidates
from roadstead.web.sessions.candidate_requests import USUAL, changed, facts_of, try_out
from roadstead.web.sessions.candidates import keep, take_turns
from roadstead.web.sessions.last_release import certificate_of
from roadstead.web.sessions.prepared import mark_of
from roadstead.web.sessions.raw import RawCopies
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.steps import data, release, risk, watching
from roadstead.web.steps.explore import page as explore
from roadstead.web.work import jobs
from roadstead.web.work.jobs import Desk, JobRecord

WATCHED = "data-events="
"""How a part of a page begins that waits for the end of a job."""


class Still:
    """A process that says nothing before its end."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def ask(self, **words: object) -> None:
        """Say nothing to it."""

    def answer(self) -> dict[str, Any]:
        """Wait for the end."""
        self.over.wait()
        return {"error": {"message": "ended", "gone": True}}

    def end(self) -> None:
        """End it."""
        self.over.set()


@dataclass
class Moments:
    """Let something happen at one of the moments at which results or jobs are read."""

    happens: Callable[[], None] = lambda: None
    at: int = 0
    seen: int = 0
    inside: bool = False

    def __call__(self) -> None:
        """Count one more moment."""
        if self.inside:
            return
        self.seen += 1
        if self.seen == self.at:
            self.inside = True
            self.happens()
            self.inside = False


@dataclass
class Work:
    """A piece of work with one running job."""

    session: WorkSession
    desk: Desk
    moments: Moments = field(default_factory=Moments)

    def running(self, kind: str, name: str = "") -> JobRecord:
        """Let a job run that ends only when a test says so."""
        moments = self.moments

        class Seen(JobRecord):
            """A job whose state is looked at."""

            def __getattribute__(self, name: str) -> Any:  # noqa: ANN401 - whatever it has
                if name == "state":
                    moments()
                return super().__getattribute__(name)

        record = Seen(name or f"{kind}-1", kind, kind)
        child = cast("Any", Still())
        self.desk._jobs[self.session.name, record.name] = (record, child)
        self.session.keep(**{f"{kind}_job": record.name})
        return record

    def ends(self, record: JobRecord, then: Callable[[JobRecord], None]) -> None:
        """End a job as its thread does."""
        self.desk._ended(self.session, record, "done", then)

    def page(self, shown: Callable[[Request], Response], **path: str) -> str:
        """Give a page of this piece of work."""
        sessions = Sessions(self.session.folder.parent)
        sessions._known[self.session.name] = self.session
        bench = WorkbenchState(
            sessions, RawCopies(self.session.folder / "raw"), Places(()), self.desk
        )
        request = SimpleNamespace(
            app=SimpleNamespace(state=SimpleNamespace(bench=bench)),
            path_params={"session": self.session.name, **path},
            headers={},
            query_params={},
        )
        return bytes(shown(cast("Request", request)).body).decode()


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Work]]:
    """Begin pieces of work with decided columns and a release that was made."""
    monkeypatch.setattr(jobs, "Child", Still)
    table = tmp_path / "t.csv"
    table.write_text("age,sex,diagnosis\n" + "".join(f"{i % 3 + 40},f,d{i}\n" for i in range(60)))
    rs.anonymize(str(table), quasi=["age", "sex"], sensitive=["diagnosis"], k=5, out=tmp_path / "r")
    desks = []

    def made() -> Work:
        session = Sessions(tmp_path / "state").new("Untitled")
        session.project.write_text(
            f'data = "{table}"\n[roles]\nquasi = ["age", "sex"]\nsensitive = ["diagnosis"]\n'
        )
        columns = [{"name": name} for name in ("age", "sex", "diagnosis")]
        scan = {"columns": columns, "records": 60, "format": "CSV", "person": None}
        session.find("scan", {**scan, "noticed": [], "codebook": None})
        session.releases.mkdir()
        (session.releases / "usual").symlink_to(tmp_path / "r")
        desks.append(Desk())
        work = Work(session, desks[-1])
        read = WorkSession._read

        def counted(own: WorkSession, path: Path) -> dict[str, Any]:
            if own is session:
                work.moments()
            return read(own, path)

        monkeypatch.setattr(WorkSession, "_read", counted)
        return work

    yield made
    for desk in desks:
        desk.close()


WRITTEN: Mapping[str, Any] = {
    "verification": {"passed": True, "checks": []},
    "files": [],
    "again": {"project": "p", "command": "c", "call": "c", "remark": ""},
    "check": "",
    "warnings": [],
}


def _written(session: WorkSession, out: str) -> None:
    mark = [USUAL.name, *mark_of(session, USUAL)]
    said = {"lines": [f"Verified {out}"], "out": out, "title": "T", "made_for": mark}
    session.find("written", {**WRITTEN, **said})


def _data(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    def then(_: JobRecord) -> None:
        work.session.find("scan", {**work.session.facts("scan"), "format": "the new table"})

    return work.running("scan"), then


def _chained(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    """The job that makes the demonstration starts the job that reads it."""

    def then(_: JobRecord) -> None:
        work.running("scan", "scan-2")

    return work.running("scan"), then


def _risk(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    def then(_: JobRecord) -> None:
        found: dict[str, Any] = {"advice": None, "piece": "the new risk", "added": {"columns": []}}
        work.session.find("risk", found)

    return work.running("risk"), then


def _write(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    _written(work.session, "old")
    return work.running("write"), lambda _: _written(work.session, "the new release")


def _prepare(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    record = work.running("prepare")
    changed(work.session, USUAL.name, basis="", job=record.name)

    def then(_: JobRecord) -> None:
        basis, table = mark_of(work.session, USUAL)
        changed(work.session, USUAL.name, basis=basis, table=table)

    return record, then


def _attack(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    _written(work.session, str(work.session.releases / "usual"))

    def then(_: JobRecord) -> None:
        now = certificate_of(work.session.facts("written"))
        found: dict[str, Any] = {"said": [], "certified": None, "convicted": False, "again": None}
        work.session.find("attacked", {**found, "certificate": now, "piece": "the new attacks"})

    return work.running("attack"), then


def _determine(work: Work) -> tuple[JobRecord, Callable[[JobRecord], None]]:
    _written(work.session, "out")

    def then(_: JobRecord) -> None:
        found = {"certificate": "", "piece": "the new documents"}
        again = {"questions": "", "command": "", "call": ""}
        work.session.find("determined", {**found, "again": again})

    return work.running("determine"), then


MADE = {
    "scan": (_data, data.shown, "the new table"),
    "chained": (_chained, data.shown, WATCHED),
    "risk": (_risk, risk.shown, "the new risk"),
    "write": (_write, release.shown, "Verified the new release"),
    "prepare": (_prepare, release.shown, "Write and verify"),
    "attack": (_attack, release.shown, "the new attacks"),
    "determine": (_determine, release.shown, "the new documents"),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", MADE)
def test_a_page_watches_a_job_or_shows_its_result(kind: str, begin: Callable[[], Work]) -> None:
    """A job that ends between any two reads of a page is not shown with the results before it."""
    make, shown, new = MADE[kind]
    for at in range(1, 1000):
        work = begin()
        record, then = make(work)
        work.moments.seen, work.moments.at = 0, at
        work.moments.happens = partial(work.ends, record, then)
        page = work.page(shown)
        assert WATCHED in page or new in page, f"the job ended at moment {at}"
        if work.moments.seen < at:
            assert WATCHED in page
            break
    assert work.moments.seen > 5
    work.ends(record, then)
    page = work.page(shown)
    assert new in page
    assert kind == "chained" or WATCHED not in page


def test_a_page_of_candidates_watches_the_one_that_runs(begin: Callable[[], Work]) -> None:
    """A candidate ends, and the next begins, at any moment: the page hears of each later end."""
    for at in range(1, 1000):
        work = begin()
        first = try_out(work.session, "first", "anonymize", {"k": 5})
        second = try_out(work.session, "second", "anonymize", {"k": 7})
        record = work.running("trial")
        changed(work.session, first.name, job=record.name)

        def happens(work: Work = work, record: JobRecord = record, first: Any = first) -> None:  # noqa: ANN401
            found = {"refused": "is not on the map", "suppressed": 0}
            record.found = found
            work.ends(record, lambda ended: keep(work.session, first, ended))
            if not candidates._turn.locked():  # otherwise the next one waits for its turn
                take_turns(work.session, work.desk)

        work.moments.seen, work.moments.at, work.moments.happens = 0, at, happens
        page = work.page(explore.shown)
        assert WATCHED in page
        if work.moments.seen < at:
            break
    assert work.moments.seen > 5
    assert work.session.facts(facts_of(second)) == {}


def test_what_is_put_into_a_page_for_a_job_hears_of_its_end(begin: Callable[[], Work]) -> None:
    """Its end may come before the answer, for example after Stop: the page then goes on."""
    work = begin()
    record, then = _risk(work)
    work.ends(record, then)
    for shown in (watching.shown, watching.stopped):
        assert WATCHED in work.page(shown, job=record.name)


def test_the_end_of_the_preparation_is_not_overwritten(
    begin: Callable[[], Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that is prepared at once is ready."""
    work = begin()

    def start(*words: object) -> JobRecord:
        record = work.running("prepare")
        then = cast("Callable[[JobRecord], None]", words[-1])
        work.ends(record, then)
        return record

    monkeypatch.setattr(Desk, "start", start)
    work.page(release.prepare)
    assert "Write and verify" in work.page(release.shown)
