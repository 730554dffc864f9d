"""The running synthesis on standard error: which question is being asked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from roadstead.cli.progress import telling
from roadstead.verbs.synthesis_progress import SynthesisProgress, Tell


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
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.markup import escape  # noqa: PLC0415 - only terminals need it

    with Console(stderr=True).status("reading the table") as status:
        yield lambda progress: status.update(escape(describe(progress)))
