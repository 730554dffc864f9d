"""The running evaluation on standard error, and Ctrl-C as a way to keep the runs so far."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from roadstead.cli.progress import stoppable, telling
from roadstead.cli.show import on_one_line
from roadstead.verbs.evaluate.progress import EvaluationProgress, EvaluationWatch


@contextlib.contextmanager
def watching() -> Iterator[EvaluationWatch]:
    """Show the runs while they are made, and stop after one on the first Ctrl-C."""
    kept = "stopping after this run; the runs so far are kept (Ctrl-C again to end)"
    with (
        stoppable(kept) as stopped,
        _live_line() if sys.stderr.isatty() else telling(describe) as tell,
    ):
        yield EvaluationWatch(tell, stopped)


def describe(progress: EvaluationProgress) -> str:
    """Say on one line how far it is."""
    return f"run {progress.run} of {progress.runs}, {progress.seconds:.0f} s: {progress.step}"


@contextlib.contextmanager
def _live_line() -> Iterator[Callable[[EvaluationProgress], None]]:
    with on_one_line("reading the table") as say:
        yield lambda progress: say(f"{describe(progress)}  (Ctrl-C to stop)")
