"""Run commands so that a program can monitor and stop the commands.

An `Observer` is passed to the ``run`` method of a request. The observer receives progress reports,
and decides whether to stop. A `Job` runs a request in its own thread, for a page or a queue. A job
reports its progress. If it is stopped early, it returns the best result so far. The result can be
pickled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")

State: TypeAlias = Literal["waiting", "running", "done", "failed"]


def _never() -> bool:
    return False


def _ignore(*_: Any) -> None:  # noqa: ANN401 - whatever is reported
    pass


class Stopped(KeyboardInterrupt):
    """Raised if work is stopped before it has a result."""


@dataclass(frozen=True)
class Observer:
    """A set of callbacks that monitor a running command.

    Attributes
    ----------
    progress
        Called with the progress, at most ten times per second.
    stopped
        Called often. If the callback returns True, the work ends with the best result so far, or
        with `Stopped` if there is no result.
    note
        Called with messages for a waiting user, one line each.
    ask
        Called with a yes-or-no question. The callback returns None if no one can answer.
    opened
        Called with an opened table. The caller must close the table when the result is no longer
        needed.
    finished
        Called after the part of the work that can be stopped, just before the result is written.
    """

    progress: Callable[[Any], None] = _ignore
    stopped: Callable[[], bool] = _never
    note: Callable[[str], None] = _ignore
    ask: Callable[[str], bool | None] = _ignore
    opened: Callable[[Any], None] = _ignore
    finished: Callable[[], None] = _ignore


SILENT = Observer()
"""An observer that ignores everything."""


class Runnable(Protocol[R_co]):
    """A request that can be run."""

    def run(self, observer: Observer = SILENT) -> R_co:
        """Run the request."""


@dataclass(frozen=True)
class Delivery(Generic[R]):
    """The outcome of a request, as a front end displays it."""

    result: R
    lines: tuple[str, ...]  # The outcome in words, and as JSON with the place of the output.
    document: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # additional messages for the user
    statement: str | None = None  # output for another program, such as SQL, instead of the lines
    exit_code: int = 0  # 0 if done, 1 if the result is negative


@dataclass
class Job(Generic[R]):
    """A request that runs in its own thread.

    Attributes
    ----------
    request
        The request.
    state
        ``waiting``, ``running``, ``done``, or ``failed``.
    progress
        The latest progress report, or None before the first report.
    notes
        The messages for a waiting user.
    """

    request: Runnable[R]
    state: State = "waiting"
    progress: Any = None
    notes: list[str] = field(default_factory=list)
    _result: R | None = None
    _error: BaseException | None = None
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _thread: threading.Thread | None = field(default=None, repr=False)

    def start(self) -> Job[R]:
        """Start the job, and return the job itself."""
        self.state = "running"
        work = partial(copy_context().run, self._work)  # same notation of fields as the caller
        self._thread = threading.Thread(target=work, name="roadstead-job", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Let the job end with the best result so far. Return without waiting for the end."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the job has ended, or until the given number of seconds has passed.

        Return whether the job has ended.
        """
        if self._thread is not None:
            self._thread.join(seconds)
        return self.state in ("done", "failed")

    def result(self) -> R:
        """Wait for the result, and return it.

        Raises
        ------
        RoadsteadError
            If the job failed, the error that ended it.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value] # there is one when there is no error

    def _work(self) -> None:
        watcher = Observer(self._report, self._stop.is_set, self.notes.append)
        try:
            self._result = self.request.run(watcher)
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            self._error = error
            self.state = "failed"
        else:
            self.state = "done"

    def _report(self, progress: Any) -> None:  # noqa: ANN401 - of every kind of work
        self.progress = progress
