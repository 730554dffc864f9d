"""Work that can be watched, stopped and asked after, whatever the verb.

An `Observer` is handed to a request's ``run``: it hears how far the work is, and is asked whether
to stop. A `Job` runs a request in a thread of its own, for a page or a queue: it can be asked how
far it is, and stopped with the best so far; its result can be pickled.
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
    """Work was stopped that has no best so far to end with."""


@dataclass(frozen=True)
class Observer:
    """Who watches a piece of work.

    Attributes
    ----------
    progress
        Called with how far the work is, ten times a second at most.
    stopped
        Asked often; True ends the work with the best so far, or with `Stopped` if it can have none.
    note
        Called with what somebody who waits should read, one line each.
    ask
        Called with a question that yes or no answers; None where nobody is there to be asked.
    opened
        Called with a table that was opened, to be closed when its result is no longer needed.
    finished
        Called when the work that can be stopped is over, and its result is written.
    """

    progress: Callable[[Any], None] = _ignore
    stopped: Callable[[], bool] = _never
    note: Callable[[str], None] = _ignore
    ask: Callable[[str], bool | None] = _ignore
    opened: Callable[[Any], None] = _ignore
    finished: Callable[[], None] = _ignore


SILENT = Observer()
"""Nobody watches."""


class Runnable(Protocol[R_co]):
    """A request."""

    def run(self, observer: Observer = SILENT) -> R_co:
        """Do what is requested."""


@dataclass(frozen=True)
class Delivery(Generic[R]):
    """What came of a request, as a front end shows it."""

    result: R
    lines: tuple[str, ...]  # the same in words, and as JSON holds it; with where it was written
    document: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # what else somebody should read, alongside the result
    statement: str | None = None  # a text for another program, such as SQL, in place of the lines
    exit_code: int = 0  # 0 for done, 1 where the answer is no


@dataclass
class Job(Generic[R]):
    """A request at work in a thread of its own.

    Attributes
    ----------
    request
        What is done.
    state
        ``waiting``, ``running``, ``done`` or ``failed``.
    progress
        The newest report of how far it is; None before the first.
    notes
        What somebody who waits should read.
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
        """Begin; return the job itself."""
        self.state = "running"
        work = partial(copy_context().run, self._work)  # names fields as who starts it does
        self._thread = threading.Thread(target=work, name="roadstead-job", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ask the work to end with the best so far; return at once."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most so many seconds; tell whether it has."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.state in ("done", "failed")

    def result(self) -> R:
        """Wait for the result.

        Raises
        ------
        RoadsteadError
            When the work failed: the error that it failed with.
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
