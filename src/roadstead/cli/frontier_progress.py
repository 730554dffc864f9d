"""The running search for a frontier on standard error, and Ctrl-C as a way to keep what it has."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from roadstead.cli.progress import stoppable, telling
from roadstead.reports.wording import counted
from roadstead.search.protocol import Progress
from roadstead.verbs.frontier.run import FrontierWatch


@contextlib.contextmanager
def watching() -> Iterator[FrontierWatch]:
    """Show the search while it runs, and stop it on the first Ctrl-C."""
    kept = "stopping the search; the frontier so far is kept (Ctrl-C again to end)"
    with stoppable(kept) as stopped, telling(describe) as tell:
        yield FrontierWatch(tell, stopped)


def describe(progress: Progress) -> str:
    """Say on one line how far a search is."""
    return (
        f"{progress.seconds:.0f} s, {counted(progress.evaluated, 'policy', 'policies')} evaluated, "
        f"{progress.members:,} on the frontier, area {progress.area:.4f}"
    )
