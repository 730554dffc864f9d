"""The running synthesis on standard error: which question is being asked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from roadstead.cli.progress import telling
from roadstead.cli.show import on_one_line
from roadstead.verbs.synthesize.progress import SynthesisProgress, Tell


@contextlib.contextmanager
def watching() -> Iterator[Tell]:
    """Tell the steps, on a line that is kept up to date or in lines now and then."""
    with _live_line() if sys.stderr.isatty() else telling(describe) as tell:
        yield tell


def describe(progress: SynthesisProgress) -> str:
    """Say on one line how far it is."""
    return f"synthesizing {progress.seconds:.0f} s: {progress.step}"


@contextlib.contextmanager
def _live_line() -> Iterator[Tell]:
    with on_one_line("reading the table") as say:
        yield lambda progress: say(describe(progress))
