"""Manage the jobs of all sessions for the page.

Each job has its own process. After a short job, the process keeps its libraries loaded and waits
for the next job. In each session, one process answers the questions about the table, one after
another. A finished job is stored in its session, so that a page or another server can later see how
the job ended.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias

from roadstead.errors import RoadsteadError, SettingError
from roadstead.web.sessions.session import WorkSession
from roadstead.web.work.process import Child
from roadstead.web.work.table_processes import Questions

JobState: TypeAlias = Literal["running", "done", "failed", "stopped"]
_MOST_AT_WORK = 8
"""The largest number of running jobs in all sessions. One job may use the whole machine."""
_SHORT = 30.0
"""A process is reused after a job of up to this many seconds. Ending a process frees memory."""


@dataclass
class JobRecord:
    """The record of a job: its progress, or how it ended."""

    name: str
    kind: str  # the kind of job on the page, such as `scan`
    title: str
    state: JobState = "running"
    began: float = field(default_factory=time.time)
    ended: float | None = None
    stopping: bool = False
    progress: dict[str, Any] | None = None
    course: list[list[float | None]] = field(default_factory=list)  # rows of seconds, loss, bound
    notes: list[str] = field(default_factory=list)
    error: dict[str, Any] | None = None
    found: dict[str, Any] | None = None
    version: int = 0

    def seconds(self) -> float:
        """Return the running time of the job in seconds."""
        return (self.ended or time.time()) - self.began

    def pop_found(self) -> dict[str, Any]:
        """Return the results of the job, and remove the results from the record."""
        found, self.found = self.found or {}, None
        return found


@dataclass
class Desk:
    """All jobs in the sessions of a server."""

    _jobs: dict[tuple[str, str], tuple[JobRecord, Child]] = field(default_factory=dict)
    _spare: Child | None = None
    _questions: Questions = field(default_factory=Questions)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _ending: defaultdict[str, threading.RLock] = field(
        default_factory=lambda: defaultdict(threading.RLock)
    )
    _closed: bool = False

    def prepare(self) -> None:
        """Start a process that waits for the next job."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = Child()

    def start(
        self,
        session: WorkSession,
        kind: str,
        title: str,
        task: Mapping[str, Any],
        then: Callable[[JobRecord], None] = lambda _: None,
        after: Callable[[], None] = lambda: None,
    ) -> JobRecord:
        """Start a job by sending `task` to its process.

        `then` is called if the job succeeds, and `after` is called in any case.
        """
        record = JobRecord(f"{kind}-{secrets.token_hex(4)}", kind, title)
        with self._lock:
            at_work = sum(one.state == "running" for one, _ in self._jobs.values())
            if at_work >= _MOST_AT_WORK:
                raise SettingError(
                    f"{at_work} jobs are already running",
                    fix="wait until a job ends, or stop a job",
                )
            child, self._spare = self._spare or Child(), None
            self._jobs[session.name, record.name] = (record, child)
        child.ask(**task)
        threading.Thread(
            target=self._follow, args=(session, record, child, then, after), daemon=True
        ).start()
        return record

    def begin(
        self,
        session: WorkSession,
        kind: str,
        title: str,
        given: Mapping[str, Any],
        then: Callable[[JobRecord], None],
        *,
        do: str = "",
    ) -> JobRecord:
        """Start a job that a step shows. The job is now the latest of its kind in the session."""
        record = self.start(session, kind, title, {"do": do or kind, "with": given}, then)
        session.keep(**{f"{kind}_job": record.name})
        return record

    def latest(self, session: WorkSession, kind: str) -> JobRecord | None:
        """Return the latest job of a kind, unless the job succeeded.

        A page reads its jobs before their results. Then each job is either shown as running, so
        that the page watches the job, or its result is shown.
        """
        name, before, record = session.state().get(f"{kind}_job"), None, None
        while name is not None and name != before:  # A job may start the next job of its kind.
            before, record = name, self.job(session, name)
            name = session.state().get(f"{kind}_job")
        return None if record is None or record.state == "done" else record

    def stop(self, session: WorkSession, name: str) -> None:
        """Ask a job to end with the best result so far. A second request ends the job at once."""
        with self._lock:
            record, child = self._jobs.get((session.name, name), (None, None))
        if record is None or child is None or record.state != "running":
            return
        if record.stopping:
            child.process.kill()
            return
        record.stopping = True
        record.version += 1
        child.ask(stop=True)

    def drop(self, session: WorkSession, name: str) -> None:
        """End a job at once, and remove its record."""
        with self._ending[session.name], self._lock:
            record, child = self._jobs.pop((session.name, name), (None, None))
            if record is not None and child is not None and record.state == "running":
                child.process.kill()  # The thread that follows the job releases the rest.

    def job(self, session: WorkSession, name: str) -> JobRecord | None:
        """Return a copy of the record of a job. The job may have ended."""
        record = self.watched(session, name)
        return None if record is None else replace(record)

    def watched(self, session: WorkSession, name: str) -> JobRecord | None:
        """Return a job of a session. The record changes while the job runs."""
        with self._lock:
            if (found := self._jobs.get((session.name, name))) is not None:
                return found[0]
        kept = session.facts(f"jobs/{name}") if name.replace("-", "").isalnum() else {}
        return JobRecord(**kept) if kept else None

    def at_work(self, session: WorkSession, kind: str | None = None) -> list[JobRecord]:
        """Return copies of the records of running jobs in a session, or only of one `kind`."""
        with self._lock:
            own = [one for (name, _), (one, _) in self._jobs.items() if name == session.name]
        records = [replace(one) for one in own]
        return [one for one in records if one.state == "running" and kind in (None, one.kind)]

    def answer(self, session: WorkSession, do: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Answer a question about a session's table.

        Raises
        ------
        WorkError
            If the question does not have an answer.
        """
        given = {"project": str(session.project), **given}
        return self._questions.answer(session.name, do=do, **{"with": given})

    def forget(self, session: WorkSession) -> None:
        """End all work for a session, and forget the session."""
        with self._ending[session.name], self._lock:
            ended = [
                child
                for (name, _), (one, child) in self._jobs.items()
                if name == session.name and one.state == "running"
            ]
            for key in [key for key in self._jobs if key[0] == session.name]:
                del self._jobs[key]  # Do not keep a record of how the jobs ended.
        self._questions.forget(session.name)
        for child in ended:
            child.end()

    def close(self) -> None:
        """End all jobs and processes."""
        with self._lock:
            self._closed = True
            children = [child for one, child in self._jobs.values() if one.state == "running"]
            children += [] if self._spare is None else [self._spare]
        self._questions.close()
        for child in children:
            child.end()

    def _follow(
        self,
        session: WorkSession,
        record: JobRecord,
        child: Child,
        then: Callable[[JobRecord], None],
        after: Callable[[], None],
    ) -> None:
        """Read the messages of a job until the job ends, and store how the job ended."""
        said: dict[str, Any] = {}
        while record.state == "running":
            said = child.answer()
            if "progress" in said:
                record.progress = said["progress"]
                _drawn(record)
            elif "note" in said:
                record.notes.append(said["note"])
            elif "found" in said:
                record.found = said["found"]
                self._ended(session, record, "done", then)
            else:
                record.error = said["error"]
                stopped = record.stopping or said["error"].get("stopped")
                self._ended(session, record, "stopped" if stopped else "failed", then)
            record.version += 1
        gone = (said.get("error") or {}).get("gone")
        self._free(child, again=not gone and record.seconds() < _SHORT)
        if not self._closed:
            after()

    def _free(self, child: Child, *, again: bool) -> None:
        """If a process is reusable and no other process waits, let it wait for the next job."""
        with self._lock:
            if again and self._spare is None and not self._closed:
                self._spare = child
                return
        child.end()

    def _ended(
        self,
        session: WorkSession,
        record: JobRecord,
        state: JobState,
        then: Callable[[JobRecord], None],
    ) -> None:
        record.ended = time.time()
        with self._ending[session.name]:  # The job is dropped before or after this block.
            if (session.name, record.name) not in self._jobs:
                record.state = "stopped"
                return
            if record.stopping and (record.error or {}).get("gone"):
                record.error = {"message": "the job ended before there was a result"}
            try:
                if state == "done":
                    then(record)
                session.find(f"jobs/{record.name}", {**asdict(record), "state": state})
            except RoadsteadError as error:
                record.error, state = {"message": error.message, "field": error.field}, "failed"
            except Exception as error:  # its text may contain data  # noqa: BLE001 - reported below
                words = f"a bug in Roadstead ({type(error).__name__}); please report it"
                record.error, state = {"message": words}, "failed"
            record.state = state


_MOST_DRAWN = 400


def _drawn(record: JobRecord) -> None:
    """Store how the best loss and the bound changed, at the resolution of the picture."""
    own = record.progress or {}
    if own.get("loss") is None:
        return
    point = [own["seconds"], own["loss"], own["bound"]]
    if record.course and record.course[-1][1:] == point[1:] and len(record.course) > 1:
        record.course[-1] = point
    else:
        record.course.append(point)
    if len(record.course) > _MOST_DRAWN:
        record.course = record.course[::2]
