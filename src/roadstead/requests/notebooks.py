"""Display progress in a notebook, and return the best result so far after an interrupt.

If the work takes a second or more, one line displays the progress. A separate thread updates the
line, so the displayed seconds increase even while an engine or compiled code is running.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from typing import Any

from roadstead.jobs import SILENT, Observer
from roadstead.printable import printable
from roadstead.requests.stopping import stoppable

SECONDS_UNSEEN = 1.0
SECONDS_BETWEEN = 0.5
_HINT = "  (interrupt to stop with the best result so far)"


@contextmanager
def watched(kind: Any) -> Iterator[Observer]:  # noqa: ANN401 - the class of a request
    """Display the progress of a request in a notebook. Outside a notebook, display nothing."""
    if not _in_a_notebook():
        yield SILENT
        return
    line = _Line(kind)
    with line.shown(), ExitStack() as at_work:
        stopped = at_work.enter_context(stoppable(line.stop)) if line.stops else SILENT.stopped

        def finished() -> None:
            line.progress(None)
            at_work.close()

        yield Observer(progress=line.progress, stopped=stopped, finished=finished)


def _in_a_notebook() -> bool:
    """Return whether the current code runs in a notebook cell, in the main thread."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return (
        getattr(shell, "kernel", None) is not None
        and threading.current_thread() is threading.main_thread()
    )


class _Line:
    def __init__(self, kind: Any) -> None:  # noqa: ANN401 - the class of a request
        self.stops = hasattr(kind, "stopping")
        self._verb: str = kind.verb
        self._describe: Callable[[Any], str] = getattr(kind, "progress_line", str)
        self._newest: Any = None
        self._stopped = False
        self._begun = time.monotonic()
        self._over = threading.Event()
        self._handle: Any = None
        self._written = ""

    def progress(self, newest: Any) -> None:  # noqa: ANN401 - of every kind of work
        """Store the latest progress, or None if the progress is not known."""
        self._newest = newest

    def stop(self) -> None:
        """Display a message that the work will end soon."""
        self._stopped = True

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Display the progress line until the work ends."""
        writing = threading.Thread(
            target=copy_context().run, args=(self._keep,), name="roadstead-line", daemon=True
        )  # the context identifies the cell of the line
        writing.start()
        try:
            yield
            last = self._after()
        except BaseException:
            last = ""
            raise
        finally:
            self._over.set()
            writing.join()
            self._write(last)

    def _keep(self) -> None:
        wait = SECONDS_UNSEEN
        while not self._over.wait(wait):
            self._write(self._now())
            wait = SECONDS_BETWEEN

    def _now(self) -> str:
        newest = self._newest
        if self._stopped:
            return (
                "stopping with the best result so far  (interrupt again to stop without a result)"
            )
        if newest is None:
            return f"{self._verb}: working for {self._seconds}"
        return self._describe(newest) + (_HINT if self.stops else "")

    def _after(self) -> str:
        if not self._stopped:
            return ""
        return f"{self._verb}: interrupted after {self._seconds}; this is the best result so far"

    @property
    def _seconds(self) -> str:
        return f"{time.monotonic() - self._begun:.0f} s"

    def _write(self, text: str) -> None:
        from IPython.display import display  # noqa: PLC0415 - only where a notebook has it

        if text == self._written:
            return
        self._written = text
        shown = {"text/plain": printable(text)}
        if self._handle is None:
            show: Callable[..., Any] = display  # which IPython does not type
            self._handle = show(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)
