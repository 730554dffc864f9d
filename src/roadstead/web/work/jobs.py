"""The work of all sessions, as the page sees it: begun, watched, stopped, asked after.

Each job has a process of its own; one more waits, its libraries loaded, so that the next begins at
once. Questions about a table go to one process a session, one after another. A job that ended is
kept in its session, so that a page that comes back, or another server, finds how it ended.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from roadstead.errors import RoadsteadError
from roadstead.web.sessions.session import Session

JobState: TypeAlias = Literal["running", "done", "failed", "stopped"]
_MOST_QUESTIONS = 4  # processes that keep a table open
_NO_DATA = {"PYTHONFAULTHANDLER": "0"}


class WorkError(RoadsteadError):
    """A piece of work that a page asked for went wrong; `told` is what the process said."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.told = told
        super().__init__(
            str(told.get("what") or told["message"]), where=told.get("where"), fix=told.get("fix")
        )
        self.field = told.get("field")


class Child:
    """A process at work, and what it says."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "roadstead.web.work.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("ROADSTEAD_DEBUG") else subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C on the terminal is for the server
            env={**os.environ, **_NO_DATA},
        )

    def ask(self, **words: Any) -> None:  # noqa: ANN401 - as JSON holds it
        """Say something to it; what is no more hears nothing."""
        assert self.process.stdin is not None  # noqa: S101 - a pipe
        with suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(json.dumps(words, default=str) + "\n")
            self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Wait for the next thing that it says."""
        assert self.process.stdout is not None  # noqa: S101 - a pipe
        line = self.process.stdout.readline()
        if not line:
            return {"error": {"message": "the work ended early; there may be too little memory"}}
        said: dict[str, Any] = json.loads(line)
        return said

    def end(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr] # both are pipes


@dataclass
class JobRecord:
    """How far a job is, or how it ended."""

    name: str
    kind: str  # what the page calls it, such as `scan`
    title: str
    state: JobState = "running"
    began: float = field(default_factory=time.time)
    ended: float | None = None
    stopping: bool = False
    progress: dict[str, Any] | None = None
    course: list[list[float | None]] = field(default_factory=list)  # seconds, loss, bound
    notes: list[str] = field(default_factory=list)
    error: dict[str, Any] | None = None
    found: dict[str, Any] | None = None
    version: int = 0

    def seconds(self) -> float:
        """How long it has been at work."""
        return (self.ended or time.time()) - self.began


@dataclass
class Desk:
    """All that is at work for the sessions of a server."""

    _jobs: dict[tuple[str, str], tuple[JobRecord, Child]] = field(default_factory=dict)
    _spare: Child | None = None
    _asked: dict[str, tuple[threading.Lock, Child]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _closed: bool = False

    def prepare(self) -> None:
        """Have a process wait for the next job."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = Child()

    def start(
        self,
        session: Session,
        kind: str,
        title: str,
        task: Mapping[str, Any],
        then: Callable[[JobRecord], None] = lambda _: None,
        after: Callable[[], None] = lambda: None,
    ) -> JobRecord:
        """Begin a job: its process is asked for `task`; `then` is done once it ended well.

        `after` is done however it ended.
        """
        record = JobRecord(f"{kind}-{secrets.token_hex(4)}", kind, title)
        with self._lock:
            child, self._spare = self._spare or Child(), None
            self._jobs[session.name, record.name] = (record, child)
        child.ask(**task)
        threading.Thread(
            target=self._follow, args=(session, record, child, then, after), daemon=True
        ).start()
        self.prepare()
        return record

    def stop(self, session: Session, name: str) -> None:
        """Ask a job to end with the best so far; asked again, end it at once."""
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

    def job(self, session: Session, name: str) -> JobRecord | None:
        """Give a job of a session, at work or ended."""
        with self._lock:
            if (found := self._jobs.get((session.name, name))) is not None:
                return found[0]
        kept = session.facts(f"jobs/{name}") if name.replace("-", "").isalnum() else {}
        return JobRecord(**kept) if kept else None

    def at_work(self, session: Session, kind: str | None = None) -> list[JobRecord]:
        """List the jobs of a session that are at work, of one kind if it is named."""
        with self._lock:
            records = [one for (name, _), (one, _) in self._jobs.items() if name == session.name]
        return [one for one in records if one.state == "running" and kind in (None, one.kind)]

    def answer(self, session: Session, do: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Answer a question about a session's table.

        Raises
        ------
        WorkError
            When it has no answer.
        """
        with self._lock:
            if session.name not in self._asked:
                self._asked[session.name] = (threading.Lock(), Child())
            lock, child = self._asked.pop(session.name)
            self._asked[session.name] = (lock, child)  # the one asked last stands last
            idle = [one for one in [*self._asked][:-_MOST_QUESTIONS] if one != session.name]
            for one in idle:
                self._asked.pop(one)[1].end()
        with lock:
            child.ask(do=do, **{"with": {"project": str(session.project), **given}})
            said = child.answer()
            while not said.keys() & {"found", "error"}:
                said = child.answer()
        if "error" in said:
            if child.process.poll() is not None:
                with self._lock:
                    self._asked.pop(session.name, None)
            raise WorkError(said["error"])
        found: dict[str, Any] = said["found"]
        return found

    def forget(self, session: Session) -> None:
        """End all that is at work for a session."""
        with self._lock:
            ended = [child for (name, _), (_, child) in self._jobs.items() if name == session.name]
            ended += [self._asked.pop(session.name)[1]] if session.name in self._asked else []
        for child in ended:
            child.end()

    def close(self) -> None:
        """End everything."""
        with self._lock:
            self._closed = True
            children = [child for _, child in (*self._jobs.values(), *self._asked.values())]
            children += [] if self._spare is None else [self._spare]
        for child in children:
            child.end()

    def _follow(
        self,
        session: Session,
        record: JobRecord,
        child: Child,
        then: Callable[[JobRecord], None],
        after: Callable[[], None],
    ) -> None:
        """Hear what a job says until it ends; keep how it ended."""
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
        child.end()
        if not self._closed:
            after()

    def _ended(
        self,
        session: Session,
        record: JobRecord,
        state: JobState,
        then: Callable[[JobRecord], None],
    ) -> None:
        record.ended = time.time()
        try:
            if state == "done":
                then(record)
            session.find(f"jobs/{record.name}", {**asdict(record), "state": state})
        except RoadsteadError as error:
            record.error, state = {"message": error.message, "field": error.field}, "failed"
        record.state = state


_MOST_DRAWN = 400


def _drawn(record: JobRecord) -> None:
    """Keep the course of best loss and bound, not more of it than can be seen."""
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
