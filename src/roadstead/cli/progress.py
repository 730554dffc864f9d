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

from roadstead.cli.show import note
from roadstead.reports.wording import counted
from roadstead.search.protocol import Progress
from roadstead.verbs.anonymize import Watch
from roadstead.verbs.words import percent

_SECONDS_BETWEEN_LINES = 10.0


@contextlib.contextmanager
def watching() -> Iterator[Watch]:
    """Show the search while it runs, and stop it on the first Ctrl-C."""
    asked = searching = False

    def ask(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler
        nonlocal asked
        if asked or not searching:
            raise KeyboardInterrupt
        asked = True
        note("stopping the search; the best policy so far is kept (Ctrl-C again to end)")

    def stopped() -> bool:
        nonlocal searching
        searching = True
        return asked

    former = signal.signal(signal.SIGINT, ask)
    try:
        with _live_line() if sys.stderr.isatty() else _lines_now_and_then() as tell:
            yield Watch(tell, stopped)
    finally:
        signal.signal(signal.SIGINT, former)


def describe(progress: Progress) -> str:
    """Say on one line how far a search is."""
    best = progress.best
    if best is None:
        known = "no policy yet"
    else:
        gap = 1.0 - progress.lower_bound / best.loss if best.loss else 0.0
        known = (
            f"best loss {percent(best.loss)}, at least {percent(progress.lower_bound)}, "
            f"gap {percent(gap)}"
        )
    evaluated = counted(progress.evaluated, "policy", "policies")
    return f"searching {progress.seconds:.0f} s: {known}; {evaluated} evaluated"


@contextlib.contextmanager
def _live_line() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console  # noqa: PLC0415 - only terminals need it

    with Console(stderr=True).status("reading the table") as status:
        yield lambda progress: status.update(f"{describe(progress)}  (Ctrl-C keeps the best)")


@contextlib.contextmanager
def _lines_now_and_then() -> Iterator[Callable[[Progress], None]]:
    last = 0.0

    def tell(progress: Progress) -> None:
        nonlocal last
        if progress.seconds - last >= _SECONDS_BETWEEN_LINES:
            last = progress.seconds
            note(describe(progress))

    yield tell
