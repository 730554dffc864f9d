"""The running search on standard error, and Ctrl-C as a way to keep what it has.

On a terminal one line is kept up to date; elsewhere a line is written now and then, so that a log
shows the search is alive. The first Ctrl-C ends a search that has begun with the best policy so
far; a second one ends the command.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Protocol, TypeVar

from roadstead.cli.show import note, on_one_line
from roadstead.quality.for_sharing import gap_between
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted
from roadstead.search.protocol import Progress
from roadstead.verbs.anonymize.run import Watch

_SECONDS_BETWEEN_LINES = 10.0


class _Timed(Protocol):
    """Progress of whatever kind of search."""

    @property
    def seconds(self) -> float:
        """Time since the start."""
        ...


Told = TypeVar("Told", bound=_Timed)


@contextlib.contextmanager
def watching() -> Iterator[Watch]:
    """Show the search while it runs, and stop it on the first Ctrl-C."""
    kept = "stopping the search; the best policy so far is kept (Ctrl-C again to end)"
    with stoppable(kept) as stopped, telling(describe) as tell:
        yield Watch(tell, stopped)


@contextlib.contextmanager
def stoppable(kept: str) -> Iterator[Callable[[], bool]]:
    """Take the first Ctrl-C of a search for the wish to stop it.

    Parameters
    ----------
    kept
        What is said then.

    Yields
    ------
    callable
        Tells whether to stop. Until it is asked, and after the first Ctrl-C, one ends the command.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script
        yield lambda: False
        return
    asked = searching = False

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or not searching:
            if not callable(former):
                raise KeyboardInterrupt
            former(number, frame)
            return
        asked = True
        note(kept)

    def stopped() -> bool:
        nonlocal searching
        searching = True
        return asked

    former = signal.signal(signal.SIGINT, ask)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, former)


@contextlib.contextmanager
def telling(describe: Callable[[Told], str]) -> Iterator[Callable[[Told], None]]:
    """Tell how far a search is, on a line that is kept up to date or in lines now and then."""
    with _live_line(describe) if sys.stderr.isatty() else _lines_now_and_then(describe) as tell:
        yield tell


def describe(progress: Progress) -> str:
    """Say on one line how far a search is."""
    best = progress.best
    if best is None:
        known = "no policy yet"
    else:
        gap = gap_between(progress.lower_bound, best.loss)
        known = (
            f"best loss {percent(best.loss)}, "
            f"at least {percent(progress.lower_bound, bound='lower')}, "
            f"gap {percent(gap, bound='upper')}"
        )
    evaluated = counted(progress.evaluated, "policy", "policies")
    asked = f" with {counted(progress.queries, 'query', 'queries')}" if progress.queries else ""
    return f"searching {progress.seconds:.0f} s: {known}; {evaluated} evaluated{asked}"


@contextlib.contextmanager
def _live_line(describe: Callable[[Told], str]) -> Iterator[Callable[[Told], None]]:
    with on_one_line("reading the table") as say:
        yield lambda progress: say(f"{describe(progress)}  (Ctrl-C keeps the best)")


@contextlib.contextmanager
def _lines_now_and_then(describe: Callable[[Told], str]) -> Iterator[Callable[[Told], None]]:
    last = 0.0

    def tell(progress: Told) -> None:
        nonlocal last
        if progress.seconds - last >= _SECONDS_BETWEEN_LINES:
            last = progress.seconds
            note(describe(progress))

    yield tell
